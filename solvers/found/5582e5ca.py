def solve_5582e5ca(I):
    O = cell_rule(I, (COPY, MAIN_COLOR))
    return O

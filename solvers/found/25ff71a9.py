def solve_25ff71a9(I):
    O = cell_rule(I, (ABOVE, IS, -1, (PAINT, 0), (COPY, ABOVE)))
    return O

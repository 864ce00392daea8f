def solve_11852cab(I):
    O = cell_rule(I, (1, 94))
    return O

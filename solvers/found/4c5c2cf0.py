def solve_4c5c2cf0(I):
    O = cell_rule(I, (20, 0, 1, (1, 94), (1, 114)))
    return O

def solve_c3f564a4(I):
    O = cell_rule(I, (1, 22))
    return O

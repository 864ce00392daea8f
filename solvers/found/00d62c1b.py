def solve_00d62c1b(I):
    O = cell_rule(I, (30, 0, 0, (1, 0), (0, 4)))
    return O

def solve_d2abd087(I):
    O = cell_rule(I, (0, 0, 0, (1, 0), (25, 0, 6, (0, 2), (0, 1))))
    return O

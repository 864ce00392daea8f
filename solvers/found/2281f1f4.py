def solve_2281f1f4(I):
    O = cell_rule(I, (2, 0, -1, (1, 0), (90, 1, 1, (0, 2), (1, 0))))
    return O

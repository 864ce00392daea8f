def solve_5c0a986e(I):
    O = cell_rule(I, (102, 0, 1, (0, 1), (104, 0, 2, (0, 2), (1, 0))))
    return O

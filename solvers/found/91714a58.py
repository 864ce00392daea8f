def solve_91714a58(I):
    O = cell_rule(I, (23, 0, 2, (0, 0), (28, 0, 0, (1, 0), (0, 0))))
    return O

def solve_29c11459(I):
    O = cell_rule(I, (14, 0, -1, (1, 0), (58, 0, -1, (0, 5), (1, 58))))
    return O

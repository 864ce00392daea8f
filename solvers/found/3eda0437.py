def solve_3eda0437(I):
    O = cell_rule(I, (0, 0, 0, (99, 0, 0, (1, 0), (0, 6)), (1, 0)))
    return O

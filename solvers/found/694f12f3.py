def solve_694f12f3(I):
    O = cell_rule(I, (24, 1, 5, (0, 2, 61, (0, 2), (0, 1)), (1, 0)))
    return O

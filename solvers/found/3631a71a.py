def solve_3631a71a(I):
    O = cell_rule(I, (0, 0, 9, (12, 0, 9, (1, 63), (1, 12)), (1, 0)))
    return O

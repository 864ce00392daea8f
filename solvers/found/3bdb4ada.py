def solve_3bdb4ada(I):
    O = cell_rule(I, (43, 0, 0, (1, 0), (75, 0, 0, (0, 0), (1, 0))))
    return O

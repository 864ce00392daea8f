def solve_aedd82e4(I):
    O = cell_rule(I, (0, 0, 0, (1, 0), (25, 0, 1, (0, 1), (1, 0))))
    return O

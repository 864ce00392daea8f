def solve_29623171(I):
    O = cell_rule(I, (0, 0, 5, (1, 0), (67, 0, 0, (1, 20), (0, 0))))
    return O

def solve_a61f2674(I):
    O = cell_rule(I, (25, 1, 3, (82, 0, 0, (0, 1), (0, 0)), (0, 2)))
    return O

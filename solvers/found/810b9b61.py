def solve_810b9b61(I):
    O = cell_rule(I, (44, 0, 0, (1, 0), (0, 3)))
    return O

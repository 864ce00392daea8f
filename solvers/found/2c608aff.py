def solve_2c608aff(I):
    O = cell_rule(I, (29, 0, 0, (1, 0), (100, 0, -1, (1, 0), (1, 20))))
    return O

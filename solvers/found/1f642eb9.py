def solve_1f642eb9(I):
    O = cell_rule(I, (0, 0, 8, (100, 0, -1, (1, 0), (1, 100)), (1, 0)))
    return O

def solve_83302e8f(I):
    O = cell_rule(I, (0, 0, 0, (76, 0, 0, (0, 4), (0, 3)), (1, 0)))
    return O

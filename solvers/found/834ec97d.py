def solve_834ec97d(I):
    O = cell_rule(I, (108, 0, 0, (112, 1, 1, (1, 1), (0, 4)), (1, 0)))
    return O

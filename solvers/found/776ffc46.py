def solve_776ffc46(I):
    O = cell_rule(I, (77, 1, 2, (1, 20), (28, 0, 2, (0, 3), (1, 0))))
    return O

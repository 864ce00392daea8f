def solve_44d8ac46(I):
    O = cell_rule(I, (26, 2, 27, (76, 0, 0, (1, 0), (0, 2)), (1, 0)))
    return O

def solve_63613498(I):
    O = cell_rule(I, (77, 1, 1, (79, 0, 0, (1, 0), (0, 5)), (1, 0)))
    return O

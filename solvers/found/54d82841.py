def solve_54d82841(I):
    O = cell_rule(I, (4, 0, -1, (41, 0, 1, (0, 4), (1, 0)), (1, 0)))
    return O

def solve_0dfd9992(I):
    O = cell_rule(I, (1, 22))
    return O

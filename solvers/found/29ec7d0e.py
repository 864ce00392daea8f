def solve_29ec7d0e(I):
    O = cell_rule(I, (1, 22))
    return O

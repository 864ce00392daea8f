def solve_484b58aa(I):
    O = cell_rule(I, (1, 22))
    return O

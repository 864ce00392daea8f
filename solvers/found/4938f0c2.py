def solve_4938f0c2(I):
    O = cell_rule(I, (1, 114))
    return O

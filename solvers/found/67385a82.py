def solve_67385a82(I):
    O = cell_rule(I, (0, 0, 0, (1, 0), (25, 0, 1, (1, 0), (0, 8))))
    return O

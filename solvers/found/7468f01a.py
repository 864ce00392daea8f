def solve_7468f01a(I):
    x1 = compress(I)
    O = cell_rule(x1, (1, 10))
    return O

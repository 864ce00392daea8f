def solve_a79310a0(I):
    O = cell_rule(I, (ABOVE, IS, 8, (PAINT, 2), (PAINT, 0)))
    return O

def solve_d364b489(I):
    O = cell_rule(I, (NEAREST_STEPS, IS, 1, (BELOW, IS, 1, (PAINT, 2), (ABOVE, IS, 1, (PAINT, 8), (OWN, SAME, RIGHT, (PAINT, 6), (PAINT, 7)))), (COPY, OWN)))
    return O

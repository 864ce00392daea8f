def solve_a9f96cdd(I):
    O = cell_rule(I, (BUSY_AROUND, IS, 0, (PAINT, 0), (NEAREST_STEPS, IS, 1, (COPY, OWN), (ABOVE_RIGHT, IS, 2, (PAINT, 8), (BELOW_RIGHT, IS, 2, (PAINT, 3), (OWN, SAME, ABOVE, (PAINT, 7), (PAINT, 6)))))))
    return O

def solve_253bf280(I):
    O = cell_rule(I, (BETWEEN_SIDES, IS, 0, (BETWEEN_ENDS, IS, 0, (COPY, OWN), (PAINT, 3)), (PAINT, 3)))
    return O

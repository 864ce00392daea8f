def solve_b2862040(I):
    O = cell_rule(I, (PART_HOLES, IS, 0, (COPY, OWN), (PAINT, 8)))
    return O

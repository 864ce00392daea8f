def solve_b2862040(I):
    O = cell_rule(I, (COMPONENT_HOLES, IS, 0, (COPY, OWN), (PAINT, 8)))
    return O

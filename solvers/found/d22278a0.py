def solve_d22278a0(I):
    O = cell_rule(I, (NEAREST_COLOR, IS, -1, (COPY, OWN), (RING_MOD2, IS, 0, (COPY, NEAREST_COLOR), (COPY, OWN))))
    return O

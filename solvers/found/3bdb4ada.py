def solve_3bdb4ada(I):
    O = cell_rule(I, (BETWEEN_ENDS, IS, 0, (COPY, OWN), (COMPONENT_AT_MOD2, IS, 0, (PAINT, 0), (COPY, OWN))))
    return O

def solve_83302e8f(I):
    O = cell_rule(I, (OWN, IS, 0, (COMPONENT_FULL, IS, 0, (PAINT, 4), (PAINT, 3)), (COPY, OWN)))
    return O

def solve_e8593010(I):
    O = cell_rule(I, (OWN, IS, 0, (COMPONENT_SIZE, IS, 1, (PAINT, 3), (COMPONENT_SIZE, IS, 2, (PAINT, 2), (PAINT, 1))), (COPY, OWN)))
    return O

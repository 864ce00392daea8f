def solve_b230c067(I):
    O = cell_rule(I, (COMPONENT_SHAPES, IS, 1, (PAINT, 2), (OWN, IS, 0, (COPY, OWN), (PAINT, 1))))
    return O

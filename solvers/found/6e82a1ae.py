def solve_6e82a1ae(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COMPONENT_SIZE, IS, 2, (PAINT, 3), (COMPONENT_SIZE, IS, 3, (PAINT, 2), (PAINT, 1)))))
    return O

def solve_aedd82e4(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COMPONENT_SIZE, IS, 1, (PAINT, 1), (COPY, OWN))))
    return O

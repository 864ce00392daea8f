def solve_810b9b61(I):
    O = cell_rule(I, (COMPONENT_HOLES, IS, 0, (COPY, OWN), (PAINT, 3)))
    return O

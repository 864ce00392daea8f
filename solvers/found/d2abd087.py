def solve_d2abd087(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COMPONENT_SIZE, IS, 6, (PAINT, 2), (PAINT, 1))))
    return O

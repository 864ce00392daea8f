def solve_67385a82(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COMPONENT_SIZE, IS, 1, (COPY, OWN), (PAINT, 8))))
    return O

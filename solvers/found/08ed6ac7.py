def solve_08ed6ac7(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COMPONENT_RANK, IS, 0, (PAINT, 1), (COMPONENT_RANK, IS, 1, (PAINT, 2), (COMPONENT_RANK, IS, 2, (PAINT, 3), (PAINT, 4))))))
    return O

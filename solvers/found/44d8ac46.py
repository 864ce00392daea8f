def solve_44d8ac46(I):
    O = cell_rule(I, (COMPONENT_HEIGHT, SAME, COMPONENT_WIDTH, (COMPONENT_FULL, IS, 0, (COPY, OWN), (PAINT, 2)), (COPY, OWN)))
    return O

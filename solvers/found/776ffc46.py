def solve_776ffc46(I):
    O = cell_rule(I, (COMPONENT_SHAPES, OVER, 2, (COPY, RAREST_COLOR), (COMPONENT_RANK, IS, 2, (PAINT, 3), (COPY, OWN))))
    return O

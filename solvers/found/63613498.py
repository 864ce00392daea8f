def solve_63613498(I):
    O = cell_rule(I, (COMPONENT_SHAPES, OVER, 1, (COMPONENT_LEFT_RANK, IS, 0, (COPY, OWN), (PAINT, 5)), (COPY, OWN)))
    return O

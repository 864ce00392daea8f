def solve_aabf363d(I):
    O = cell_rule(I, (COMPONENT_HEIGHT, IS, 5, (COPY, RAREST_COLOR), (PAINT, 0)))
    return O

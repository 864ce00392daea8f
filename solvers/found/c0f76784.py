def solve_c0f76784(I):
    O = cell_rule(I, (ENCLOSED, IS, 0, (COPY, OWN), (LIKE_AROUND, IS, 0, (PAINT, 6), (COMPONENT_HEIGHT, IS, 3, (PAINT, 8), (PAINT, 7)))))
    return O

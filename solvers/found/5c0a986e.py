def solve_5c0a986e(I):
    O = cell_rule(I, (CORNER_DOWN_RIGHT, IS, 1, (PAINT, 1), (CORNER_UP_LEFT, IS, 2, (PAINT, 2), (COPY, OWN))))
    return O

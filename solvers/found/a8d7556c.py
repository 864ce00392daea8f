def solve_a8d7556c(I):
    O = cell_rule(I, (OWN, IS, 0, (RECT_LARGEST, IS, 0, (RECT_CELLS, IS, 4, (PAINT, 2), (COPY, OWN)), (PAINT, 2)), (COPY, OWN)))
    return O

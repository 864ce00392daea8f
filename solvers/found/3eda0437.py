def solve_3eda0437(I):
    O = cell_rule(I, (OWN, IS, 0, (RECT_LARGEST, IS, 0, (COPY, OWN), (PAINT, 6)), (COPY, OWN)))
    return O

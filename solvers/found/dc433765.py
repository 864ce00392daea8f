def solve_dc433765(I):
    O = cell_rule(I, (NEAREST_COLOR, IS, 4, (COPY, OWN), (BUSY_AROUND, IS, 0, (PAINT, 0), (ABOVE_LEFT, IS, -1, (COPY, OWN), (SEES, IS, 1, (COPY, OWN), (SUM_MOD2, IS, 0, (PAINT, 3), (COPY, OWN)))))))
    return O

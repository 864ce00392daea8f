def solve_d43fd935(I):
    O = cell_rule(I, (BETWEEN_RARER, IS, -1, (COPY, OWN), (SQUARE, OVER, 3, (COPY, PERIODIC), (BETWEEN_RARER, IS, 3, (MIRROR_COLUMNS, IS, 3, (PAINT, 7), (COPY, BOX_COLOR)), (COPY, OWN)))))
    return O

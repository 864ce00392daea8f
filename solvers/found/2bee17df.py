def solve_2bee17df(I):
    O = cell_rule(I, (OWN, IS, 0, (ROW_BUSY, IS, 2, (PAINT, 3), (COLUMN_BUSY, IS, 2, (PAINT, 3), (COPY, OWN))), (COPY, OWN)))
    return O

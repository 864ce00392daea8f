def solve_4612dd53(I):
    O = cell_rule(I, (SEES, OVER, 1, (OWN, IS, 0, (ROW_BUSY, OVER, 3, (PAINT, 2), (COLUMN_BUSY, OVER, 3, (PAINT, 2), (COPY, OWN))), (COPY, OWN)), (COPY, OWN)))
    return O

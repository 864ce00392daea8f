def solve_694f12f3(I):
    O = cell_rule(I, (BUSY_AROUND, OVER, 5, (OWN, SAME, AXIS_COLUMNS, (PAINT, 2), (PAINT, 1)), (COPY, OWN)))
    return O

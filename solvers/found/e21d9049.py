def solve_e21d9049(I):
    O = cell_rule(I, (ROW_BUSY, OVER, 1, (COPY, PERIODIC), (COLUMN_BUSY, OVER, 1, (COPY, PERIODIC), (COPY, OWN))))
    return O

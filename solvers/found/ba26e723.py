def solve_ba26e723(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COLUMN_MOD3, IS, 0, (PAINT, 6), (COPY, OWN))))
    return O

def solve_a5f85a15(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COLUMN_MOD2, IS, 0, (COPY, OWN), (PAINT, 4))))
    return O

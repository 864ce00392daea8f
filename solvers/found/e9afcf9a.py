def solve_e9afcf9a(I):
    O = cell_rule(I, (COLUMN_MOD2, IS, 0, (COPY, OWN), (COPY, MIRROR_ROWS)))
    return O

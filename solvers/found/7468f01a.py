def solve_7468f01a(I):
    x1 = compress(I)
    O = cell_rule(x1, (COPY, MIRROR_COLUMNS))
    return O

def solve_9ecd008a(I):
    x1 = ofcolor(I, ZERO)
    x2 = cell_rule(I, (COPY, MIRROR_COLUMNS))
    O = subgrid(x1, x2)
    return O

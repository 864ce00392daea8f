def solve_0b148d64(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = cell_rule(I, (COPY, OWN))
    O = subgrid(x2, x3)
    return O

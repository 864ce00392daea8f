def solve_ff805c23(I):
    x1 = ofcolor(I, ONE)
    x2 = cell_rule(I, (COPY, MIRROR_BOTH))
    O = subgrid(x1, x2)
    return O

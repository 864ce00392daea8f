def solve_dc0a314f(I):
    x1 = ofcolor(I, THREE)
    x2 = cell_rule(I, (COPY, MIRROR_BOTH))
    O = subgrid(x1, x2)
    return O

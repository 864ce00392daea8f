def solve_dc0a314f(I):
    x1 = ofcolor(I, THREE)
    x2 = cell_rule(I, (1, 11))
    O = subgrid(x1, x2)
    return O

def solve_ff805c23(I):
    x1 = ofcolor(I, ONE)
    x2 = cell_rule(I, (1, 11))
    O = subgrid(x1, x2)
    return O

def solve_3f7978a0(I):
    x1 = ofcolor(I, FIVE)
    x2 = delta(x1)
    x3 = outbox(x2)
    x4 = cell_rule(I, (COPY, OWN))
    O = subgrid(x3, x4)
    return O

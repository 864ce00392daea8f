def solve_f9012d9b(I):
    x1 = ofcolor(I, ZERO)
    x2 = cell_rule(I, (COPY, PERIODIC))
    O = subgrid(x1, x2)
    return O

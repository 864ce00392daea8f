def solve_dc1df850(I):
    x1 = ofcolor(I, TWO)
    x2 = mapply(neighbors, x1)
    O = fill(I, ONE, x2)
    return O

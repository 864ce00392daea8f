def solve_dae9d2b5(I):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = shape(x1)
    x4 = canvas(SIX, x3)
    x5 = ofcolor(x1, ZERO)
    x6 = ofcolor(x2, ZERO)
    x7 = intersection(x5, x6)
    O = fill(x4, ZERO, x7)
    return O

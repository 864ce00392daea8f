def solve_94f9d214(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = shape(x1)
    x4 = canvas(ZERO, x3)
    x5 = ofcolor(x1, ZERO)
    x6 = ofcolor(x2, ZERO)
    x7 = intersection(x5, x6)
    O = fill(x4, TWO, x7)
    return O

def solve_3618c87e(I):
    x1 = vupscale(I, TWO)
    x2 = tophalf(x1)
    x3 = ofcolor(I, FIVE)
    x4 = ofcolor(x2, ZERO)
    x5 = intersection(x3, x4)
    O = fill(x2, FIVE, x5)
    return O

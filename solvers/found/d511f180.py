def solve_d511f180(I):
    x1 = ofcolor(I, FIVE)
    x2 = fill(I, EIGHT, x1)
    x3 = ofcolor(I, EIGHT)
    O = fill(x2, FIVE, x3)
    return O

def solve_928ad970(I):
    x1 = ofcolor(I, FIVE)
    x2 = inbox(x1)
    x3 = merge(I)
    x4 = remove(ZERO, x3)
    x5 = mostcommon(x4)
    O = fill(I, x5, x2)
    return O

def solve_0ca9ddb6(I):
    x1 = ofcolor(I, TWO)
    x2 = mapply(ineighbors, x1)
    x3 = fill(I, FOUR, x2)
    x4 = ofcolor(I, ONE)
    x5 = mapply(dneighbors, x4)
    O = fill(x3, SEVEN, x5)
    return O

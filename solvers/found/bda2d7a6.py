def solve_bda2d7a6(I):
    x1 = mostcolor(I)
    x2 = shape(I)
    x3 = canvas(x1, x2)
    x4 = objects(I, T, F, T)
    x5 = fork(recolor, color, delta)
    x6 = mapply(x5, x4)
    x7 = paint(x3, x6)
    x8 = ofcolor(I, x1)
    x9 = leastcolor(I)
    O = fill(x7, x9, x8)
    return O

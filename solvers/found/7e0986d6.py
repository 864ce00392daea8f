def solve_7e0986d6(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = fill(I, ZERO, x2)
    x4 = objects(I, T, F, T)
    x5 = fork(recolor, color, delta)
    x6 = mapply(x5, x4)
    x7 = paint(x3, x6)
    x8 = objects(I, F, T, T)
    x9 = mapply(delta, x8)
    O = fill(x7, ZERO, x9)
    return O

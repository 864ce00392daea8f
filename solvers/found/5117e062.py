def solve_5117e062(I):
    x1 = ofcolor(I, EIGHT)
    x2 = inbox(x1)
    x3 = subgrid(x2, I)
    x4 = objects(I, T, F, T)
    x5 = argmin(x4, height)
    x6 = color(x5)
    x7 = vfrontier(RIGHT)
    O = fill(x3, x6, x7)
    return O

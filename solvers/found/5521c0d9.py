def solve_5521c0d9(I):
    x1 = vupscale(I, TWO)
    x2 = bottomhalf(x1)
    x3 = objects(I, T, F, T)
    x4 = merge(x3)
    O = fill(x2, ZERO, x4)
    return O

def solve_39a8645d(I):
    x1 = canvas(ZERO, THREE_BY_THREE)
    x2 = objects(I, T, T, T)
    x3 = totuple(x2)
    x4 = apply(normalize, x3)
    x5 = mostcommon(x4)
    O = paint(x1, x5)
    return O

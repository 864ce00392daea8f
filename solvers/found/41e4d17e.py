def solve_41e4d17e(I):
    x1 = fork(combine, vfrontier, hfrontier)
    x2 = compose(x1, center)
    x3 = objects(I, T, F, T)
    x4 = mapply(x2, x3)
    O = underfill(I, SIX, x4)
    return O

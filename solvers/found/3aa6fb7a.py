def solve_3aa6fb7a(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(delta, x1)
    O = fill(I, ONE, x2)
    return O

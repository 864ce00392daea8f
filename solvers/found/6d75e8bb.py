def solve_6d75e8bb(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(delta, x1)
    O = fill(I, TWO, x2)
    return O

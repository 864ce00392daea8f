def solve_b548a754(I):
    x1 = merge(I)
    x2 = remove(EIGHT, x1)
    x3 = leastcommon(x2)
    x4 = objects(I, T, F, T)
    x5 = merge(x4)
    x6 = backdrop(x5)
    x7 = fill(I, x3, x6)
    x8 = remove(ZERO, x1)
    x9 = mostcommon(x8)
    x10 = box(x5)
    O = fill(x7, x9, x10)
    return O

def solve_6455b5f5(I):
    x1 = objects(I, T, F, F)
    x2 = valmin(x1, size)
    x3 = matcher(size, x2)
    x4 = sfilter(x1, x3)
    x5 = merge(x4)
    x6 = fill(I, EIGHT, x5)
    x7 = argmax(x1, size)
    O = fill(x6, ONE, x7)
    return O

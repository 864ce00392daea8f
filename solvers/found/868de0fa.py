def solve_868de0fa(I):
    x1 = objects(I, T, F, F)
    x2 = mostcolor(I)
    x3 = colorfilter(x1, x2)
    x4 = rbind(bordering, I)
    x5 = compose(flip, x4)
    x6 = sfilter(x3, x5)
    x7 = merge(x6)
    x8 = fill(I, SEVEN, x7)
    x9 = compose(even, size)
    x10 = mfilter(x6, x9)
    O = fill(x8, TWO, x10)
    return O

def solve_d6ad076f(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(inbox, x1)
    x3 = prapply(connect, x2, x2)
    x4 = fork(either, vline, hline)
    x5 = sfilter(x3, x4)
    x6 = merge(x5)
    O = underfill(I, EIGHT, x6)
    return O

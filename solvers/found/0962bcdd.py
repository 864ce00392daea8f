def solve_0962bcdd(I):
    x1 = compose(dneighbors, center)
    x2 = fork(recolor, color, x1)
    x3 = objects(I, T, F, T)
    x4 = mapply(x2, x3)
    x5 = underpaint(I, x4)
    x6 = leastcolor(I)
    x7 = objects(I, T, T, T)
    x8 = apply(outbox, x7)
    x9 = mapply(corners, x8)
    O = fill(x5, x6, x9)
    return O

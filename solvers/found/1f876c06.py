def solve_1f876c06(I):
    x1 = fgpartition(I)
    x2 = lbind(prapply, connect)
    x3 = fork(x2, toindices, toindices)
    x4 = compose(merge, x3)
    x5 = fork(recolor, color, x4)
    x6 = mapply(x5, x1)
    O = paint(I, x6)
    return O

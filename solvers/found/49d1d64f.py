def solve_49d1d64f(I):
    x1 = lbind(mapply, dneighbors)
    x2 = compose(x1, toindices)
    x3 = fork(recolor, color, x2)
    x4 = objects(I, T, F, F)
    x5 = mapply(x3, x4)
    x6 = shape(x5)
    x7 = canvas(ZERO, x6)
    x8 = normalize(x5)
    x9 = paint(x7, x8)
    x10 = asobject(I)
    x11 = shift(x10, UNITY)
    O = paint(x9, x11)
    return O

def solve_ba97ae07(I):
    x1 = fgpartition(I)
    x2 = fork(recolor, color, delta)
    x3 = mapply(x2, x1)
    O = paint(I, x3)
    return O

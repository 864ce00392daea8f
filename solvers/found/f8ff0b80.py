def solve_f8ff0b80(I):
    x1 = objects(I, T, T, T)
    x2 = order(x1, size)
    x3 = apply(color, x2)
    x4 = repeat(x3, ONE)
    x5 = dmirror(x4)
    O = cell_rule(x5, (COPY, MIRROR_ROWS))
    return O

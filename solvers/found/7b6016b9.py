def solve_7b6016b9(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_paste(I, x1)
    x4 = stamp_lay(x2, x3, OPAQUE)
    x5 = stamp_fill(I, FILLED)
    x6 = stamp_paint(x5, TWO)
    x7 = stamp_paste(x6, x1)
    x8 = stamp_lay(x4, x7, OPAQUE)
    x9 = stamp_keep(I, ZERO)
    x10 = stamp_paint(x9, THREE)
    x11 = stamp_paste(x10, x1)
    O = stamp_lay(x8, x11, OPAQUE)
    return O

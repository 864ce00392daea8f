def solve_50cb2852(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_paste(I, x1)
    x4 = stamp_lay(x2, x3, TRANSPARENT)
    x5 = stamp_fill(I, BORDER)
    x6 = stamp_paste(x5, x1)
    x7 = stamp_lay(x4, x6, OPAQUE)
    x8 = stamp_paint(I, EIGHT)
    x9 = stamp_paste(x8, x1)
    O = stamp_lay(x7, x9, OPAQUE)
    return O

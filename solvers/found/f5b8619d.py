def solve_f5b8619d(I):
    x1 = shape(I)
    x2 = multiply(x1, TWO_BY_TWO)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_rays(I, VERTICAL)
    x5 = stamp_tile(x4, x2, CLOSE)
    x6 = stamp_lay(x3, x5, TRANSPARENT)
    x7 = stamp_keep(I, ZERO)
    x8 = stamp_tile(x7, x2, CLOSE)
    x9 = stamp_paint(x8, EIGHT)
    x10 = stamp_lay(x6, x9, OPAQUE)
    x11 = stamp_tile(I, x2, CLOSE)
    O = stamp_lay(x10, x11, OPAQUE)
    return O

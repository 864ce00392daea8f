def solve_73251a56(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_paste(I, x1)
    x4 = stamp_lay(x2, x3, OPAQUE)
    x5 = stamp_turn(I, TRANSPOSED)
    x6 = stamp_paste(x5, x1)
    x7 = stamp_lay(x4, x6, OPAQUE)
    x8 = stamp_rays(I, LOWER_RIGHT)
    x9 = stamp_paste(x8, x1)
    O = stamp_lay(x7, x9, OPAQUE)
    return O

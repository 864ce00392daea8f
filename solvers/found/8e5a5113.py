def solve_8e5a5113(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_paste(I, x1)
    x4 = stamp_lay(x2, x3, OPAQUE)
    x5 = stamp_turn(I, ROT180)
    x6 = stamp_paste(x5, x1)
    x7 = stamp_lay(x4, x6, OPAQUE)
    x8 = stamp_turn(I, ROT90)
    x9 = shape(I)
    x10 = stamp_tile(x8, x9, GAPS)
    x11 = stamp_paste(x10, x1)
    O = stamp_lay(x7, x11, OPAQUE)
    return O

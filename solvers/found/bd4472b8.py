def solve_bd4472b8(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_paste(I, x1)
    x4 = stamp_lay(x2, x3, OPAQUE)
    x5 = stamp_erase(I, FIVE)
    x6 = stamp_turn(x5, ROT270)
    x7 = shape(I)
    x8 = stamp_tile(x6, x7, CONTINUED)
    x9 = stamp_turn(x8, ROT180)
    x10 = stamp_paste(x9, x1)
    O = stamp_lay(x4, x10, OPAQUE)
    return O

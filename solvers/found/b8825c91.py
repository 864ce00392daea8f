def solve_b8825c91(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_erase(I, FOUR)
    x4 = stamp_paste(x3, x1)
    x5 = stamp_lay(x2, x4, OPAQUE)
    x6 = stamp_turn(I, ROT180)
    x7 = stamp_paste(x6, x1)
    O = stamp_lay(x5, x7, OPAQUE)
    return O

def solve_f25ffba3(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_paste(I, x1)
    x4 = stamp_lay(x2, x3, OPAQUE)
    x5 = stamp_turn(I, MIRROR_ROWS)
    x6 = stamp_paste(x5, x1)
    O = stamp_lay(x4, x6, ALL)
    return O

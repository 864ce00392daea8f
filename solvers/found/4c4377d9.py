def solve_4c4377d9(I):
    x1 = shape(I)
    x2 = multiply(x1, (2, 1))
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_turn(I, MIRROR_ROWS)
    x5 = stamp_paste(x4, x2)
    x6 = stamp_lay(x3, x5, OPAQUE)
    x7 = stamp_tile(I, x2, CLOSE)
    O = stamp_lay(x6, x7, OPAQUE)
    return O

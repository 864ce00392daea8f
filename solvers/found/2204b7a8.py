def solve_2204b7a8(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_paste(I, x1)
    x4 = stamp_lay(x2, x3, TRANSPARENT)
    x5 = stamp_erase(I, THREE)
    x6 = stamp_spread(x5, ALL)
    x7 = stamp_paste(x6, x1)
    O = stamp_lay(x4, x7, OPAQUE)
    return O

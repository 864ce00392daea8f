def solve_40853293(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_join(I, BOTH)
    x4 = stamp_paste(x3, x1)
    x5 = stamp_lay(x2, x4, TRANSPARENT)
    x6 = stamp_join(I, COLUMNS)
    x7 = stamp_paste(x6, x1)
    x8 = stamp_lay(x5, x7, OPAQUE)
    x9 = stamp_rays(I, RIGHTWARD)
    x10 = stamp_paste(x9, x1)
    O = stamp_lay(x8, x10, OPAQUE)
    return O

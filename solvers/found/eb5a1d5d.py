def solve_eb5a1d5d(I):
    x1 = stamp_trim(I, MERGED)
    x2 = stamp_home(x1)
    x3 = shape(x2)
    x4 = canvas(NEG_ONE, x3)
    x5 = stamp_paste(x1, x3)
    O = stamp_lay(x4, x5, OPAQUE)
    return O

def solve_90c28cc7(I):
    x1 = stamp_trim(I, CONTENT)
    x2 = stamp_trim(x1, MERGED)
    x3 = stamp_home(x2)
    x4 = shape(x3)
    x5 = canvas(NEG_ONE, x4)
    x6 = stamp_spread(I, ALL)
    x7 = stamp_trim(x6, MERGED)
    x8 = stamp_paste(x7, x4)
    O = stamp_lay(x5, x8, OPAQUE)
    return O

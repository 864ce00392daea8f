def solve_8f2ea7aa(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_trim(I, CONTENT)
    x4 = shape(I)
    x5 = stamp_scale(x3, x4)
    x6 = stamp_paste(x5, x1)
    x7 = stamp_lay(x2, x6, TRANSPARENT)
    x8 = shape(I)
    x9 = stamp_tile(x3, x8, CLOSE)
    x10 = stamp_paste(x9, x1)
    O = stamp_lay(x7, x10, ALL)
    return O

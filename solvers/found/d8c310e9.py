def solve_d8c310e9(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_half(I, LEFT_HALF)
    x4 = shape(I)
    x5 = stamp_tile(x3, x4, CONTINUED)
    x6 = stamp_paste(x5, x1)
    O = stamp_lay(x2, x6, ALL)
    return O

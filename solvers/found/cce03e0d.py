def solve_cce03e0d(I):
    x1 = shape(I)
    x2 = multiply(x1, THREE_BY_THREE)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_keep(I, TWO)
    x5 = stamp_scale(x4, x2)
    x6 = stamp_lay(x3, x5, TRANSPARENT)
    x7 = stamp_tile(I, x2, CLOSE)
    O = stamp_lay(x6, x7, ALL)
    return O

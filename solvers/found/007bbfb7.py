def solve_007bbfb7(I):
    x1 = shape(I)
    x2 = multiply(x1, THREE_BY_THREE)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_scale(I, x2)
    x5 = stamp_lay(x3, x4, TRANSPARENT)
    x6 = stamp_tile(I, x2, CLOSE)
    O = stamp_lay(x5, x6, ALL)
    return O

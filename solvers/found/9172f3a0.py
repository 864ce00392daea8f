def solve_9172f3a0(I):
    x1 = shape(I)
    x2 = multiply(x1, THREE_BY_THREE)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_scale(I, x2)
    O = stamp_lay(x3, x4, ALL)
    return O

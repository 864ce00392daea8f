def solve_d13f3404(I):
    x1 = shape(I)
    x2 = multiply(x1, TWO_BY_TWO)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_paste(I, x2)
    x5 = stamp_rays(x4, LOWER_RIGHT)
    x6 = stamp_paste(x5, x2)
    O = stamp_lay(x3, x6, ALL)
    return O

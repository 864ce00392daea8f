def solve_178fcbfb(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_erase(I, TWO)
    x4 = stamp_rays(x3, HORIZONTAL)
    x5 = stamp_paste(x4, x1)
    x6 = stamp_lay(x2, x5, OPAQUE)
    x7 = stamp_keep(I, TWO)
    x8 = stamp_rays(x7, VERTICAL)
    x9 = stamp_paste(x8, x1)
    O = stamp_lay(x6, x9, ALL)
    return O

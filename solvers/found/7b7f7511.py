def solve_7b7f7511(I):
    x1 = stamp_half(I, FIRST_HALF)
    x2 = stamp_home(x1)
    x3 = shape(x2)
    x4 = canvas(NEG_ONE, x3)
    x5 = stamp_paste(I, x3)
    O = stamp_lay(x4, x5, OPAQUE)
    return O

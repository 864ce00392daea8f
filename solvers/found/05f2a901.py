def solve_05f2a901(I):
    x1 = stamp_orient(I, I, THREE)
    x2 = shape(x1)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_trim(x1, ONE)
    x5 = stamp_paste(x4, x2)
    x6 = stamp_lay(x3, x5, TWO)
    O = stamp_unorient(x6, I, THREE)
    return O

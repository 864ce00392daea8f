def solve_05f2a901(I):
    x1 = stamp_orient(I, I, RAREST)
    x2 = shape(x1)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_trim(x1, DENSE)
    x5 = stamp_paste(x4, x2)
    x6 = stamp_lay(x3, x5, ALL)
    O = stamp_unorient(x6, I, RAREST)
    return O

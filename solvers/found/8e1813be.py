def solve_8e1813be(I):
    x1 = stamp_orient(I, I, RAREST)
    x2 = stamp_keep(x1, FIVE)
    x3 = stamp_trim(x2, CONTENT)
    x4 = stamp_home(x3)
    x5 = shape(x4)
    x6 = canvas(NEG_ONE, x5)
    x7 = stamp_erase(x1, FIVE)
    x8 = stamp_trim(x7, DENSE)
    x9 = stamp_home(x8)
    x10 = stamp_paste(x9, x5)
    x11 = stamp_lay(x6, x10, OPAQUE)
    O = stamp_unorient(x11, I, RAREST)
    return O

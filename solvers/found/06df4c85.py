def solve_06df4c85(I):
    x1 = stamp_roles(I, I, FREQUENT, ZERO)
    x2 = shape(x1)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_paste(x1, x2)
    x5 = stamp_lay(x3, x4, OPAQUE)
    x6 = stamp_erase(x1, ONE)
    x7 = stamp_join(x6, BOTH)
    x8 = stamp_paste(x7, x2)
    x9 = stamp_lay(x5, x8, ALL)
    O = stamp_unroles(x9, I, FREQUENT, ZERO)
    return O

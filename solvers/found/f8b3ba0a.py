def solve_f8b3ba0a(I):
    x1 = shape(((2,), (3,), (4,)))
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_paste(((2,), (3,), (4,)), x1)
    x4 = stamp_lay(x2, x3, OPAQUE)
    O = stamp_unroles(x4, I, FREQUENT, ONE)
    return O

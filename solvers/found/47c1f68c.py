def solve_47c1f68c(I):
    x1 = replace(I, THREE, EIGHT)
    x2 = lefthalf(x1)
    x3 = stamp_half(x2, FIRST_HALF)
    x4 = shape(I)
    x5 = add(x4, NEG_UNITY)
    x6 = stamp_tile(x3, x5, MIRRORED)
    x7 = stamp_paint(x6, ONE)
    x8 = stamp_paste(x7, x5)
    O = stamp_unroles(x8, I, FREQUENT, ONE)
    return O

def solve_46f33fce(I):
    x1 = shape(I)
    x2 = multiply(x1, TWO_BY_TWO)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_scale(I, x2)
    x5 = stamp_frame(x4, OUTLINE)
    x6 = stamp_corner(x5, x2, LOWER_RIGHT)
    x7 = stamp_lay(x3, x6, TRANSPARENT)
    x8 = stamp_rays(I, LEFTWARD)
    x9 = stamp_rays(x8, UPWARD)
    x10 = stamp_scale(x9, x2)
    O = stamp_lay(x7, x10, OPAQUE)
    return O

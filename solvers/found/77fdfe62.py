def solve_77fdfe62(I):
    x1 = stamp_keep(I, EIGHT)
    x2 = stamp_trim(x1, CONTENT)
    x3 = stamp_home(x2)
    x4 = shape(x3)
    x5 = canvas(NEG_ONE, x4)
    x6 = stamp_corner(I, x4, MIDDLE)
    x7 = stamp_lay(x5, x6, TRANSPARENT)
    x8 = stamp_erase(I, ONE)
    x9 = stamp_erase(x8, EIGHT)
    x10 = stamp_trim(x9, DENSE)
    x11 = stamp_scale(x10, x4)
    O = stamp_lay(x7, x11, OPAQUE)
    return O

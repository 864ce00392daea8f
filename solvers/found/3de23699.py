def solve_3de23699(I):
    x1 = stamp_split(I, MARKED)
    x2 = stamp_best(x1, MOST_CELLS)
    x3 = stamp_home(x2)
    x4 = shape(x3)
    x5 = canvas(NEG_ONE, x4)
    x6 = stamp_line(x1)
    x7 = stamp_paste(x6, x4)
    x8 = stamp_lay(x5, x7, TRANSPARENT)
    x9 = stamp_turn(I, ROT90)
    x10 = stamp_spread(x9, ALL_BUT_MAIN)
    x11 = stamp_paste(x10, x4)
    O = stamp_lay(x8, x11, OPAQUE)
    return O

def solve_3de23699(I):
    x1 = stamp_split(I, FIVE)
    x2 = stamp_best(x1, ZERO)
    x3 = stamp_home(x2)
    x4 = shape(x3)
    x5 = canvas(NEG_ONE, x4)
    x6 = stamp_line(x1)
    x7 = stamp_paste(x6, x4)
    x8 = stamp_lay(x5, x7, ONE)
    x9 = stamp_turn(I, ONE)
    x10 = stamp_spread(x9, ONE)
    x11 = stamp_paste(x10, x4)
    O = stamp_lay(x8, x11, ZERO)
    return O

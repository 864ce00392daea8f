def solve_feca6190(I):
    x1 = stamp_tally(I, CELLS_SQUARE)
    x2 = stamp_home(x1)
    x3 = shape(x2)
    x4 = multiply(x3, (5, 5))
    x5 = canvas(NEG_ONE, x4)
    x6 = stamp_paste(I, x4)
    x7 = stamp_turn(x6, ROT90)
    x8 = stamp_rays(x7, LOWER_LEFT)
    x9 = stamp_paste(x8, x4)
    O = stamp_lay(x5, x9, ALL)
    return O

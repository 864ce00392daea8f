def solve_44f52bb0(I):
    x1 = shape(((1,),))
    x2 = stamp_turn(I, ROT180)
    x3 = stamp_paste(x2, x1)
    x4 = shape(I)
    x5 = stamp_tile(I, x4, CONTINUED)
    x6 = stamp_paste(x5, x1)
    O = stamp_table(x3, x6, ((0, 0, 1), (0, 2, 7), (2, 2, 1)))
    return O

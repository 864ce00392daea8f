def solve_239be575(I):
    x1 = shape(((0,),))
    x2 = stamp_turn(I, ROT90)
    x3 = stamp_paste(x2, x1)
    x4 = stamp_rays(I, UPWARD)
    x5 = stamp_paste(x4, x1)
    O = stamp_table(x3, x5, ((0, 2, 8), (0, 8, 0), (8, 2, 0), (8, 8, 8)))
    return O

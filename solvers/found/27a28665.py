def solve_27a28665(I):
    x1 = stamp_half(I, LEFT_HALF)
    x2 = stamp_frame(x1, OUTLINE)
    x3 = stamp_home(x2)
    x4 = shape(((1,),))
    x5 = stamp_paste(x3, x4)
    x6 = stamp_half(I, RIGHT_HALF)
    x7 = stamp_frame(x6, OUTLINE)
    x8 = stamp_home(x7)
    x9 = stamp_paste(x8, x4)
    O = stamp_table(x5, x9, ((0, 0, 6), (0, 1, 3), (1, 0, 1), (1, 1, 2)))
    return O

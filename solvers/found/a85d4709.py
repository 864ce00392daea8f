def solve_a85d4709(I):
    x1 = shape(I)
    x2 = stamp_half(I, LEFT_HALF)
    x3 = shape(I)
    x4 = stamp_scale(x2, x3)
    x5 = stamp_paste(x4, x1)
    x6 = stamp_half(I, RIGHT_HALF)
    x7 = shape(I)
    x8 = stamp_scale(x6, x7)
    x9 = stamp_paste(x8, x1)
    O = stamp_table(x5, x9, ((0, 0, 4), (0, 5, 3), (5, 0, 2)))
    return O

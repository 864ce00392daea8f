def solve_54d9e175(I):
    x1 = shape(I)
    x2 = stamp_spread(I, ALL_BUT_MAIN)
    x3 = stamp_paste(x2, x1)
    x4 = stamp_paste(x2, x1)
    O = stamp_table(x3, x4, ((1, 1, 6), (2, 2, 7), (3, 3, 8), (4, 4, 9), (5, 5, 5)))
    return O

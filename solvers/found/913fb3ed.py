def solve_913fb3ed(I):
    x1 = shape(I)
    x2 = stamp_frame(I, OUTLINE)
    x3 = stamp_paste(x2, x1)
    x4 = stamp_spread(I, ALL)
    x5 = stamp_paste(x4, x1)
    O = stamp_table(x3, x5, ((0, 2, 0), (0, 3, 0), (0, 8, 0), (1, 2, 1), (1, 3, 6), (1, 8, 4), (2, 2, 2), (3, 3, 3), (8, 8, 8)))
    return O

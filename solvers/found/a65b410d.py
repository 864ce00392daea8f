def solve_a65b410d(I):
    x1 = shape(I)
    x2 = stamp_rays(I, LOWER_LEFT)
    x3 = stamp_paste(x2, x1)
    x4 = stamp_rays(I, UPWARD)
    x5 = stamp_rays(x4, UPPER_RIGHT)
    x6 = stamp_paste(x5, x1)
    O = stamp_table(x3, x6, ((0, 0, 0), (0, 2, 3), (2, 0, 1), (2, 2, 2)))
    return O

def solve_bdad9b1f(I):
    x1 = shape(I)
    x2 = stamp_rays(I, DOWNWARD)
    x3 = stamp_paste(x2, x1)
    x4 = stamp_rays(I, HORIZONTAL)
    x5 = stamp_paste(x4, x1)
    O = stamp_table(x3, x5, ((0, 0, 0), (0, 2, 2), (0, 8, 0), (2, 0, 0), (2, 2, 2), (8, 0, 8), (8, 2, 4), (8, 8, 8)))
    return O

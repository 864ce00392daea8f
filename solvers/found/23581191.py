def solve_23581191(I):
    x1 = shape(I)
    x2 = stamp_rays(I, HORIZONTAL)
    x3 = stamp_paste(x2, x1)
    x4 = stamp_rays(I, VERTICAL)
    x5 = stamp_paste(x4, x1)
    O = stamp_table(x3, x5, ((0, 0, 0), (0, 7, 7), (0, 8, 8), (7, 0, 7), (7, 7, 7), (7, 8, 2), (8, 0, 8), (8, 7, 2), (8, 8, 8)))
    return O

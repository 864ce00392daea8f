def solve_0d3d703e(I):
    x1 = shape(I)
    x2 = stamp_paste(I, x1)
    x3 = stamp_paste(I, x1)
    O = stamp_table(x2, x3, ((1, 1, 5), (2, 2, 6), (3, 3, 4), (4, 4, 3), (5, 5, 1), (6, 6, 2), (8, 8, 9), (9, 9, 8)))
    return O

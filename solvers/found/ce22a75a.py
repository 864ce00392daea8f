def solve_ce22a75a(I):
    x1 = shape(I)
    x2 = stamp_frame(I, OUTLINE)
    x3 = stamp_paste(x2, x1)
    x4 = stamp_paste(x2, x1)
    O = stamp_table(x3, x4, ((0, 0, 0), (1, 1, 1), (5, 5, 1)))
    return O

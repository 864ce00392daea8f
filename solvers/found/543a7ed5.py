def solve_543a7ed5(I):
    x1 = shape(I)
    x2 = stamp_keep(I, SIX)
    x3 = stamp_fill(x2, FILLED)
    x4 = stamp_paste(x3, x1)
    x5 = stamp_frame(x2, OUTLINE)
    x6 = stamp_paste(x5, x1)
    O = stamp_table(x4, x6, ((0, 0, 8), (0, 1, 3), (6, 0, 4), (6, 1, 4), (6, 6, 6)))
    return O

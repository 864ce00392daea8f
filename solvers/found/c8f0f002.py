def solve_c8f0f002(I):
    x1 = shape(I)
    x2 = stamp_paste(I, x1)
    x3 = stamp_paste(I, x1)
    O = stamp_table(x2, x3, ((1, 1, 1), (7, 7, 5), (8, 8, 8)))
    return O

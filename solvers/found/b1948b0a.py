def solve_b1948b0a(I):
    x1 = shape(I)
    x2 = stamp_paste(I, x1)
    x3 = stamp_paste(I, x1)
    O = stamp_table(x2, x3, ((6, 6, 2), (7, 7, 7)))
    return O

def solve_31aa019c(I):
    x1 = stamp_roles(I, I, RARE, 34)
    x2 = shape(x1)
    x3 = stamp_keep(x1, TWO)
    x4 = stamp_frame(x3, OUTLINE)
    x5 = stamp_paste(x4, x2)
    x6 = stamp_keep(x1, FIVE)
    x7 = shape(I)
    x8 = stamp_tile(x6, x7, CONTINUED)
    x9 = stamp_paste(x8, x2)
    x10 = stamp_table(x5, x9, ((0, 0, 0), (0, 5, 0), (1, 0, 8), (1, 5, 3), (2, 0, 2), (2, 5, 2)))
    O = stamp_unroles(x10, I, RARE, 34)
    return O

def solve_d4a91cb9(I):
    x1 = stamp_trim(I, CONTENT)
    x2 = stamp_rays(x1, HORIZONTAL)
    x3 = shape(I)
    x4 = stamp_paste(x2, x3)
    x5 = stamp_rays(x1, VERTICAL)
    x6 = stamp_paste(x5, x3)
    O = stamp_table(x4, x6, ((0, 0, 0), (0, 2, 0), (0, 8, 4), (2, 0, 4), (2, 2, 2), (2, 8, 4), (8, 0, 0), (8, 2, 0), (8, 8, 8)))
    return O

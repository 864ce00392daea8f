def solve_22168020(I):
    x1 = shape(I)
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_join(I, ROWS)
    x4 = stamp_paste(x3, x1)
    O = stamp_lay(x2, x4, ALL)
    return O

def solve_d10ecb37(I):
    x1 = shape(((4, 3), (6, 0)))
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_paste(I, x1)
    O = stamp_lay(x2, x3, ALL)
    return O

def solve_445eab21(I):
    x1 = shape(((8, 8), (8, 8)))
    x2 = canvas(NEG_ONE, x1)
    x3 = stamp_box(I, FILLED)
    x4 = stamp_paste(x3, x1)
    O = stamp_lay(x2, x4, OPAQUE)
    return O

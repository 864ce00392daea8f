def solve_2dee498d(I):
    x1 = shape(I)
    x2 = first(x1)
    x3 = stamp_turn(I, ROT90)
    x4 = stamp_home(x3)
    x5 = shape(x4)
    x6 = last(x5)
    x7 = astuple(x2, x6)
    x8 = canvas(NEG_ONE, x7)
    x9 = stamp_paste(I, x7)
    O = stamp_lay(x8, x9, ALL)
    return O

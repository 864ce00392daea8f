def solve_de1cd16c(I):
    x1 = shape(((8,),))
    x2 = stamp_turn(I, ROT180)
    x3 = stamp_paste(x2, x1)
    x4 = stamp_paste(x2, x1)
    O = stamp_table(x3, x4, ((1, 1, 8), (4, 4, 4), (6, 6, 6), (8, 8, 2)))
    return O

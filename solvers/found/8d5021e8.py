def solve_8d5021e8(I):
    x1 = shape(I)
    x2 = multiply(x1, (3, 2))
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_turn(I, ROT180)
    x5 = stamp_tile(x4, x2, MIRRORED)
    O = stamp_lay(x3, x5, ALL)
    return O

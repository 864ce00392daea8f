def solve_67e8384a(I):
    x1 = shape(I)
    x2 = multiply(x1, TWO_BY_TWO)
    x3 = canvas(NEG_ONE, x2)
    x4 = stamp_tile(I, x2, MIRRORED)
    O = stamp_lay(x3, x4, OPAQUE)
    return O

def solve_ac0a08a4(I):
    x1 = stamp_tally(I, CELLS_SQUARE)
    x2 = stamp_home(x1)
    x3 = shape(x2)
    x4 = multiply(x3, THREE_BY_THREE)
    x5 = canvas(NEG_ONE, x4)
    x6 = stamp_scale(I, x4)
    O = stamp_lay(x5, x6, ALL)
    return O

def solve_67a423a3(I):
    x1 = fgpartition(I)
    x2 = mapply(delta, x1)
    x3 = inbox(x2)
    O = fill(I, FOUR, x3)
    return O

def solve_e9614598(I):
    x1 = compose(ineighbors, center)
    x2 = fgpartition(I)
    x3 = mapply(x1, x2)
    x4 = delta(x3)
    O = fill(I, THREE, x4)
    return O

def solve_7fe24cdd(I):
    x1 = rot90(I)
    x2 = hconcat(I, x1)
    x3 = rot180(x2)
    O = combine(x2, x3)
    return O

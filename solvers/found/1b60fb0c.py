def solve_1b60fb0c(I):
    x1 = dmirror(I)
    O = cell_rule(x1, (12, 0, 0, (61, 0, 1, (0, 2), (0, 0)), (0, 1)))
    return O

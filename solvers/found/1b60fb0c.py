def solve_1b60fb0c(I):
    x1 = dmirror(I)
    O = cell_rule(x1, (TRANSPOSED, IS, 0, (AXIS_COLUMNS, IS, 1, (PAINT, 2), (PAINT, 0)), (PAINT, 1)))
    return O

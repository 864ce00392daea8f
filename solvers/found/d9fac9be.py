def solve_d9fac9be(I):
    x1 = objects(I, T, F, T)
    x2 = argmin(x1, size)
    x3 = cell_rule(I, (MIRROR_ROWS, IS, 3, (PAINT, 8), (COPY, RAREST_COLOR)))
    O = subgrid(x2, x3)
    return O

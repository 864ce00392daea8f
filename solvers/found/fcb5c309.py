def solve_fcb5c309(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COPY, RAREST_COLOR)))
    O = subgrid(x2, x3)
    return O

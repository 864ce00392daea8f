def solve_fcb5c309(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = cell_rule(I, (0, 0, 0, (1, 0), (1, 20)))
    O = subgrid(x2, x3)
    return O

def solve_1f85a75f(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = cell_rule(I, (COPY, OWN))
    O = subgrid(x2, x3)
    return O

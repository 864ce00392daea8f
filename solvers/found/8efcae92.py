def solve_8efcae92(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ONE)
    x3 = compose(size, delta)
    x4 = argmax(x2, x3)
    x5 = cell_rule(I, (COPY, OWN))
    O = subgrid(x4, x5)
    return O

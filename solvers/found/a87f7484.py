def solve_a87f7484(I):
    x1 = partition(I)
    x2 = compose(size, delta)
    x3 = argmin(x1, x2)
    x4 = cell_rule(I, (COPY, OWN))
    O = subgrid(x3, x4)
    return O

def solve_1c786137(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = inbox(x2)
    x4 = cell_rule(I, (COPY, OWN))
    O = subgrid(x3, x4)
    return O

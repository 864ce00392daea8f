def solve_a740d043(I):
    x1 = objects(I, T, F, T)
    x2 = merge(x1)
    x3 = cell_rule(I, (OWN, IS, 1, (PAINT, 0), (COPY, OWN)))
    O = subgrid(x2, x3)
    return O

def solve_b94a9452(I):
    x1 = objects(I, T, F, T)
    x2 = merge(x1)
    x3 = cell_rule(I, (COPY, AROUND_COMPONENT))
    O = subgrid(x2, x3)
    return O

def solve_48d8fb45(I):
    x1 = objects(I, T, T, T)
    x2 = first(x1)
    x3 = cell_rule(I, (12, 0, 2, (1, 3), (2, 0, -1, (1, 8), (1, 0))))
    O = subgrid(x2, x3)
    return O

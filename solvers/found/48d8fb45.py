def solve_48d8fb45(I):
    x1 = objects(I, T, T, T)
    x2 = first(x1)
    x3 = cell_rule(I, (TRANSPOSED, IS, 2, (COPY, RIGHT), (ABOVE_RIGHT, IS, -1, (COPY, ABOVE_LEFT), (COPY, OWN))))
    O = subgrid(x2, x3)
    return O

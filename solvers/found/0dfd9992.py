def solve_0dfd9992(I):
    O = cell_rule(I, (COPY, PERIODIC))
    return O

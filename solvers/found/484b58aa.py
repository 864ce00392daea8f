def solve_484b58aa(I):
    O = cell_rule(I, (COPY, PERIODIC))
    return O

def solve_29c11459(I):
    O = cell_rule(I, (SEEN_RIGHT, IS, -1, (COPY, OWN), (NEAREST_COLOR, IS, -1, (PAINT, 5), (COPY, NEAREST_COLOR))))
    return O

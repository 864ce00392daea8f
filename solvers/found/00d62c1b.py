def solve_00d62c1b(I):
    O = cell_rule(I, (ENCLOSED, IS, 0, (COPY, OWN), (PAINT, 4)))
    return O

def solve_2281f1f4(I):
    O = cell_rule(I, (ABOVE_RIGHT, IS, -1, (COPY, OWN), (SEES, OVER, 1, (PAINT, 2), (COPY, OWN))))
    return O

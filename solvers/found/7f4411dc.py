def solve_7f4411dc(I):
    O = cell_rule(I, (SIDES_LIKE, OVER, 1, (COPY, OWN), (PAINT, 0)))
    return O

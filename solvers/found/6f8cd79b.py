def solve_6f8cd79b(I):
    O = cell_rule(I, (LIKE_AROUND, OVER, 5, (COPY, OWN), (PAINT, 8)))
    return O

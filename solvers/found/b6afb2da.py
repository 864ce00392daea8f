def solve_b6afb2da(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (LIKE_AROUND, IS, 3, (PAINT, 1), (LIKE_AROUND, IS, 5, (PAINT, 4), (PAINT, 2)))))
    return O

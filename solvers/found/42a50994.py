def solve_42a50994(I):
    O = cell_rule(I, (LIKE_AROUND, IS, 0, (PAINT, 0), (COPY, OWN)))
    return O

def solve_91714a58(I):
    O = cell_rule(I, (LIKE_AROUND, IS, 2, (PAINT, 0), (COMPONENT_RANK, IS, 0, (COPY, OWN), (PAINT, 0))))
    return O

def solve_aedd82e4(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (PART_SIZE, IS, 1, (PAINT, 1), (COPY, OWN))))
    return O

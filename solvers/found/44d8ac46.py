def solve_44d8ac46(I):
    O = cell_rule(I, (PART_HEIGHT, SAME, PART_WIDTH, (PART_FULL, IS, 0, (COPY, OWN), (PAINT, 2)), (COPY, OWN)))
    return O

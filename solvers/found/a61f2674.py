def solve_a61f2674(I):
    O = cell_rule(I, (COMPONENT_SIZE, OVER, 3, (MULTICOLOR_RANK, IS, 0, (PAINT, 1), (PAINT, 0)), (PAINT, 2)))
    return O

def solve_25d8a9c8(I):
    O = cell_rule(I, (COMPONENT_WIDTH, OVER, 2, (PAINT, 5), (PAINT, 0)))
    return O

def solve_05269061(I):
    O = cell_rule(I, (1, 59))
    return O

def solve_05269061(I):
    O = cell_rule(I, (COPY, PERIODIC_RISING))
    return O

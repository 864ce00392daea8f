def solve_9565186b(I):
    O = cell_rule(I, (OWN, SAME, MAIN_COLOR, (COPY, OWN), (PAINT, 5)))
    return O

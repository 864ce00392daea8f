def solve_09629e4f(I):
    O = cell_rule(I, (OWN, IS, 5, (COPY, OWN), (COPY, PANEL_KEY)))
    return O

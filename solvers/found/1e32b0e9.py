def solve_1e32b0e9(I):
    O = cell_rule(I, (OWN, SAME, PANEL_OTHER, (COPY, OWN), (COPY, PERIODIC)))
    return O

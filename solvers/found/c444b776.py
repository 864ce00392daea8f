def solve_c444b776(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, PANEL_OTHER), (COPY, OWN)))
    return O

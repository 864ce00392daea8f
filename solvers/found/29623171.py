def solve_29623171(I):
    O = cell_rule(I, (OWN, IS, 5, (COPY, OWN), (PANEL_RANK, IS, 0, (COPY, RAREST_COLOR), (PAINT, 0))))
    return O

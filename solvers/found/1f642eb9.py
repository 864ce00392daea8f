def solve_1f642eb9(I):
    O = cell_rule(I, (OWN, IS, 8, (BETWEEN_RARER, IS, -1, (COPY, OWN), (COPY, BETWEEN_RARER)), (COPY, OWN)))
    return O

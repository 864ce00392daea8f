def solve_2c608aff(I):
    O = cell_rule(I, (COMPONENT_RIM, IS, 0, (COPY, OWN), (BETWEEN_RARER, IS, -1, (COPY, OWN), (COPY, RAREST_COLOR))))
    return O

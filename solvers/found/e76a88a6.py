def solve_e76a88a6(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COPY, TEMPLATE_COLOR)))
    return O

def solve_22eb0ac0(I):
    O = cell_rule(I, (BETWEEN_SIDES, IS, 0, (COPY, OWN), (COPY, SEEN_RIGHT)))
    return O

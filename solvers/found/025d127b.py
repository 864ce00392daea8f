def solve_025d127b(I):
    O = cell_rule(I, (OWN, SAME, LEFT, (COPY, OWN), (SEEN_LEFT, IS, -1, (OWN, IS, 0, (COPY, OWN), (COPY, MIRROR_COLUMNS)), (COPY, BELOW))))
    return O

def solve_b8cdaf2b(I):
    O = cell_rule(I, (CORNER_DOWN_RIGHT, IS, -1, (CORNER_DOWN_LEFT, IS, -1, (COPY, OWN), (COPY, RAREST_COLOR)), (COPY, RAREST_COLOR)))
    return O

def solve_d90796e8(I):
    O = cell_rule(I, (MULTICOLOR_RAREST, IS, 2, (AROUND_COMPONENT, IS, -1, (COPY, OWN), (OWN, IS, 2, (PAINT, 0), (PAINT, 8))), (COPY, OWN)))
    return O

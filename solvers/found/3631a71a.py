def solve_3631a71a(I):
    O = cell_rule(I, (OWN, IS, 9, (TRANSPOSED, IS, 9, (COPY, AXIS_BOTH), (COPY, TRANSPOSED)), (COPY, OWN)))
    return O

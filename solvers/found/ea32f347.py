def solve_ea32f347(I):
    O = cell_rule(I, (OWN, IS, 0, (COPY, OWN), (COMPONENT_RANK, IS, 1, (PAINT, 4), (COMPONENT_RANK, OVER, 1, (PAINT, 2), (PAINT, 1)))))
    return O

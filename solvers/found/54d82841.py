def solve_54d82841(I):
    O = cell_rule(I, (BELOW_RIGHT, IS, -1, (COLUMN_BUSY, IS, 1, (PAINT, 4), (COPY, OWN)), (COPY, OWN)))
    return O

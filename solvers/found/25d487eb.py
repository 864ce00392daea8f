def solve_25d487eb(I):
    x1 = stamp_orient(I, I, CONTENT)
    x2 = cell_rule(x1, (SQUARE, OVER, 3, (RARE_ROW, IS, 1, (COPY, RAREST_COLOR), (COPY, OWN)), (COPY, OWN)))
    O = stamp_unorient(x2, I, CONTENT)
    return O

def solve_228f6490(I):
    x1 = stamp_orient(I, I, SIDE)
    x2 = cell_rule(x1, (ENCLOSED, IS, 0, (COMPONENTS_OF_COLOR, IS, 1, (PAINT, 0), (COPY, OWN)), (COPY, TWIN_COLOR)))
    O = stamp_unorient(x2, I, SIDE)
    return O

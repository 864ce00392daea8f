def solve_228f6490(I):
    x1 = stamp_orient(I, I, ONE)
    x2 = cell_rule(x1, (30, 0, 0, (129, 0, 1, (0, 0), (1, 0)), (1, 115)))
    O = stamp_unorient(x2, I, ONE)
    return O

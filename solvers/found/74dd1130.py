def solve_74dd1130(I):
    O = dmirror(I)
    return O

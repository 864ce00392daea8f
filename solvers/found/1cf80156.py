def solve_1cf80156(I):
    O = compress(I)
    return O

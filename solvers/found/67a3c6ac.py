def solve_67a3c6ac(I):
    O = vmirror(I)
    return O

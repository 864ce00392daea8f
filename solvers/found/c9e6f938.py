def solve_c9e6f938(I):
    x1 = vmirror(I)
    O = hconcat(I, x1)
    return O

def solve_28bf18c6(I):
    x1 = hconcat(I, I)
    O = compress(x1)
    return O

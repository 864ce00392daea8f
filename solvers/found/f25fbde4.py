def solve_f25fbde4(I):
    x1 = upscale(I, TWO)
    O = compress(x1)
    return O

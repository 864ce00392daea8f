def solve_c59eb873(I):
    O = upscale(I, TWO)
    return O

def solve_3c9b0459(I):
    O = rot180(I)
    return O

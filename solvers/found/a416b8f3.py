def solve_a416b8f3(I):
    O = hconcat(I, I)
    return O

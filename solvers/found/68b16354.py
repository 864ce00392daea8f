def solve_68b16354(I):
    O = hmirror(I)
    return O

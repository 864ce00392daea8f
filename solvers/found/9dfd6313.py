def solve_9dfd6313(I):
    O = dmirror(I)
    return O

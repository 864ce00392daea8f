def solve_447fd412(I):
    O = pattern_echo(I, KEEP)
    return O

def solve_447fd412(I):
    O = pattern_echo(I, ZERO)
    return O

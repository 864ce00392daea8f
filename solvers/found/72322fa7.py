def solve_72322fa7(I):
    O = pattern_echo(I, KEEP)
    return O

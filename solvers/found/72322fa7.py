def solve_72322fa7(I):
    O = pattern_echo(I, ZERO)
    return O

def solve_0e206a2e(I):
    O = pattern_echo(I, REMOVE)
    return O

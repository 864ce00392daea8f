def solve_6aa20dc0(I):
    O = pattern_echo(I, KEEP)
    return O

def solve_36d67576(I):
    O = pattern_echo(I, KEEP)
    return O

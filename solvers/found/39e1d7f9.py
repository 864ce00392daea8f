def solve_39e1d7f9(I):
    x1 = panel_sum(I, MAIN)
    x2 = pattern_echo(x1, KEEP)
    O = panel_paint(x2, I)
    return O

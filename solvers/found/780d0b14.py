def solve_780d0b14(I):
    O = panel_sum(I, MAIN)
    return O

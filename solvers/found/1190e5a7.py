def solve_1190e5a7(I):
    O = panel_sum(I, MAIN)
    return O

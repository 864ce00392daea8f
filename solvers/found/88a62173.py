def solve_88a62173(I):
    x1 = panel_grids(I)
    O = leastcommon(x1)
    return O

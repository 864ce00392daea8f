def solve_7c008303(I):
    x1 = ofcolor(I, THREE)
    x2 = subgrid(x1, I)
    x3 = panel_grids(I)
    x4 = argmax(x3, numcolors)
    x5 = upscale(x4, THREE)
    x6 = ofcolor(x2, ZERO)
    O = fill(x5, ZERO, x6)
    return O

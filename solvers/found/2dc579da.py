def solve_2dc579da(I):
    x1 = panel_grids(I)
    O = argmax(x1, numcolors)
    return O

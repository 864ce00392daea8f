def solve_ed36ccf7(I):
    O = rot270(I)
    return O

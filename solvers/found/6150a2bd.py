def solve_6150a2bd(I):
    O = rot180(I)
    return O

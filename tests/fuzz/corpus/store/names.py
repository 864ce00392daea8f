# lineage: parents= mutation=
# name: a%20b
def solve_a_b(I):
    O = rot90(I)
    return O
def solve_a_b(I):
    O = rot180(I)
    return O

def solve_b8cdaf2b(I):
    O = cell_rule(I, (102, 0, -1, (103, 0, -1, (1, 0), (1, 20)), (1, 20)))
    return O

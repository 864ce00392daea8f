def solve_72ca375d(I):
    x1 = objects(I, T, T, T)
    x2 = fork(equality, identity, vmirror)
    x3 = mfilter(x1, x2)
    x4 = cell_rule(I, (COPY, OWN))
    O = subgrid(x3, x4)
    return O

def solve_1e0a9b12(I):
    x1 = rbind(order, identity)
    x2 = dmirror(I)
    x3 = apply(x1, x2)
    O = dmirror(x3)
    return O

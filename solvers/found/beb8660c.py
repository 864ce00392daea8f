def solve_beb8660c(I):
    x1 = rbind(order, decrement)
    x2 = apply(x1, I)
    O = order(x2, identity)
    return O

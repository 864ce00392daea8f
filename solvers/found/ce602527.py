def solve_ce602527(I):
    x1 = objects(I, T, T, T)
    x2 = rbind(subgrid, I)
    x3 = order(x1, x2)
    x4 = argmax(x3, portrait)
    x5 = subgrid(x4, I)
    O = replace(x5, TWO, TWO)
    return O

def solve_ae4f1146(I):
    x1 = objects(I, T, T, T)
    x2 = rbind(colorcount, ONE)
    x3 = argmax(x1, x2)
    O = subgrid(x3, I)
    return O

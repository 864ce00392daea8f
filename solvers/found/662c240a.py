def solve_662c240a(I):
    x1 = hmirror(I)
    x2 = objects(x1, T, F, F)
    x3 = argmax(x2, size)
    O = subgrid(x3, I)
    return O

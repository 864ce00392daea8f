def solve_ea786f4a(I):
    x1 = objects(I, T, F, T)
    x2 = rbind(shoot, UNITY)
    x3 = rbind(shoot, NEG_UNITY)
    x4 = rbind(shoot, DOWN_LEFT)
    x5 = rbind(shoot, UP_RIGHT)
    x6 = fork(combine, x4, x5)
    x7 = fork(combine, x3, x6)
    x8 = fork(combine, x2, x7)
    x9 = compose(x8, center)
    x10 = fork(recolor, color, x9)
    x11 = mapply(x10, x1)
    O = paint(I, x11)
    return O

# written by batt card
# batt-card: programs=3 mutated=0 differs=0 calls=15 merged=15
def batt(I):
    x1 = shape(I)
    x2 = add(TWO, x1)
    x3 = canvas(FIVE, x2)
    x4 = asobject(I)
    x5 = shift(x4, UNITY)
    x6 = paint(x3, x5)  # output solve_4b5a5d7f
    x7 = objects(I, T, F, T)
    x8 = rbind(bordering, I)
    x9 = mfilter(x7, x8)
    x10 = fill(I, EIGHT, x9)  # output solve_905f8ed6
    x11 = vsplit(I, THREE)
    x12 = rbind(hsplit, THREE)
    x13 = lbind(apply, mostcolor)
    x14 = compose(x13, x12)
    x15 = apply(x14, x11)  # output solve_5d3edc3e
    O = (x6, x10, x15)
    return O

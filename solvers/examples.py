# written by batt synth


# mirror_columns: swap left and right
def solve_fa2e3f8c(I):
    O = vmirror(I)
    return O


# mirror_diagonal: mirror at the main diagonal
def solve_ff7540e0(I):
    O = dmirror(I)
    return O


# turn_right: a quarter turn clockwise
def solve_b31f8c4a(I):
    O = rot90(I)
    return O


# turn_in_place: the square block makes a quarter turn where it is
def solve_92eac448(I):
    x1 = objects(I, F, F, T)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    x4 = rot90(x3)
    x5 = asobject(x4)
    x6 = ulcorner(x2)
    x7 = shift(x5, x6)
    O = paint(I, x7)
    return O


# reflect_at_line: the shape is reflected at the line
def solve_62bf1715(I):
    x1 = vmirror(I)
    x2 = ofcolor(x1, THREE)
    O = fill(I, THREE, x2)
    return O


# enlarge: every cell becomes a block
def solve_eb77f399(I):
    O = upscale(I, THREE)
    return O


# shrink: every block becomes a cell
def solve_e61a4965(I):
    O = downscale(I, TWO)
    return O


# enlarge_by_colors: enlarge by the number of colors
def solve_65a6f856(I):
    x1 = numcolors(I)
    O = upscale(I, x1)
    return O


# tile_mirrored: two by two copies, mirrored where they meet
def solve_bd466c55(I):
    x1 = vmirror(I)
    x2 = hconcat(I, x1)
    x3 = hmirror(x2)
    O = vconcat(x2, x3)
    return O


# tile_turned: four copies, each a quarter turn further
def solve_49db1a3f(I):
    x1 = rot90(I)
    x2 = rot180(I)
    x3 = rot270(I)
    x4 = hconcat(I, x1)
    x5 = hconcat(x3, x2)
    O = vconcat(x4, x5)
    return O


# tile_fractal: every colored cell becomes a copy of the whole
def solve_cf2244ba(I):
    x1 = upscale(I, THREE)
    x2 = hconcat(I, I)
    x3 = hconcat(x2, I)
    x4 = vconcat(x3, x3)
    x5 = vconcat(x4, x3)
    O = cellwise(x1, x5, ZERO)
    return O


# complete_tiles: the pattern repeats across: fill in what is hidden
def solve_817794f5(I):
    x1 = ofcolor(I, FOUR)
    x2 = asobject(I)
    x3 = matcher(first, FOUR)
    x4 = compose(flip, x3)
    x5 = sfilter(x2, x4)
    x6 = tojvec(THREE)
    x7 = invert(x6)
    x8 = shift(x5, x6)
    x9 = shift(x5, x7)
    x10 = combine(x8, x9)
    x11 = rbind(contained, x1)
    x12 = compose(x11, last)
    x13 = sfilter(x10, x12)
    O = paint(I, x13)
    return O


# top_half: the upper half
def solve_38f798e2(I):
    O = tophalf(I)
    return O


# peel_frame: take the frame away
def solve_251a1d9b(I):
    O = trim(I)
    return O


# add_frame: put a frame around the grid
def solve_4b5a5d7f(I):
    x1 = shape(I)
    x2 = add(x1, TWO)
    x3 = canvas(FIVE, x2)
    x4 = asobject(I)
    x5 = shift(x4, UNITY)
    O = paint(x3, x5)
    return O


# odd_quarter: the quarter that is unlike the others
def solve_4bfcb8d0(I):
    x1 = vsplit(I, TWO)
    x2 = rbind(hsplit, TWO)
    x3 = mapply(x2, x1)
    O = leastcommon(x3)
    return O


# crop_marked: what lies inside the four marked corners
def solve_bf7f2b03(I):
    x1 = ofcolor(I, SIX)
    x2 = subgrid(x1, I)
    O = trim(x2)
    return O


# drop_lines: remove rows and columns of one color
def solve_852a4547(I):
    O = compress(I)
    return O


# swap_colors: two colors change places
def solve_3983c71f(I):
    O = switch(I, SEVEN, EIGHT)
    return O


# recolor_rarest: the rarest color becomes another
def solve_8be6661a(I):
    x1 = leastcolor(I)
    O = replace(I, x1, TWO)
    return O


# legend: the corner says which color becomes which
def solve_978a5e93(I):
    x1 = index(I, ORIGIN)
    x2 = index(I, RIGHT)
    O = replace(I, x1, x2)
    return O


# recolor_largest: the largest thing changes its color
def solve_762ab6ab(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    O = fill(I, EIGHT, x2)
    return O


# recolor_extremes: the tallest bar gets one color, the shortest another
def solve_605160bb(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, height)
    x3 = argmin(x1, height)
    x4 = fill(I, NINE, x2)
    O = fill(x4, ONE, x3)
    return O


# recolor_squares: squares change their color, other rectangles do not
def solve_2fca66a2(I):
    x1 = objects(I, T, F, T)
    x2 = mfilter(x1, square)
    O = fill(I, THREE, x2)
    return O


# recolor_at_border: what touches the border changes its color
def solve_905f8ed6(I):
    x1 = objects(I, T, F, T)
    x2 = rbind(bordering, I)
    x3 = mfilter(x1, x2)
    O = fill(I, EIGHT, x3)
    return O


# spread_marker: each thing takes the color of the one odd cell in it
def solve_31348de0(I):
    x1 = objects(I, F, F, T)
    x2 = fork(recolor, leastcolor, identity)
    x3 = mapply(x2, x1)
    O = paint(I, x3)
    return O


# erase_specks: lone cells vanish
def solve_2bbc2aac(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = merge(x2)
    O = cover(I, x3)
    return O


# mend_rectangles: spoiled cells get the color of their rectangle
def solve_551bb39e(I):
    x1 = objects(I, F, F, T)
    x2 = fork(recolor, mostcolor, identity)
    x3 = mapply(x2, x1)
    O = paint(I, x3)
    return O


# keep_symmetric: only things that are their own mirror image stay
def solve_b4239a50(I):
    x1 = objects(I, T, F, T)
    x2 = fork(equality, identity, vmirror)
    x3 = compose(flip, x2)
    x4 = mfilter(x1, x3)
    O = cover(I, x4)
    return O


# crop_largest: the largest thing
def solve_4bba40db(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O


# crop_odd_shape: the thing whose shape occurs only once
def solve_65cf2344(I):
    x1 = objects(I, T, F, T)
    x2 = compose(toindices, normalize)
    x3 = totuple(x1)
    x4 = apply(x2, x3)
    x5 = leastcommon(x4)
    x6 = matcher(x2, x5)
    x7 = extract(x1, x6)
    O = subgrid(x7, I)
    return O


# fill_holes: holes are filled, open frames are not
def solve_7458ed96(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, FOUR, x5)
    return O


# outline: rectangles get an outline
def solve_70f72b18(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(outbox, x1)
    O = underfill(I, SIX, x2)
    return O


# flower: every dot gets petals at its sides and leaves at its corners
def solve_ecf56c7f(I):
    x1 = ofcolor(I, SEVEN)
    x2 = mapply(dneighbors, x1)
    x3 = mapply(ineighbors, x1)
    x4 = fill(I, NINE, x2)
    O = fill(x4, ONE, x3)
    return O


# rays: every dot casts a ray to one side
def solve_5dc0b7d2(I):
    x1 = ofcolor(I, FIVE)
    x2 = rbind(shoot, DOWN)
    x3 = mapply(x2, x1)
    O = underfill(I, ONE, x3)
    return O


# connect_rows: two dots in a row are joined
def solve_8c5f9c65(I):
    x1 = ofcolor(I, FIVE)
    x2 = product(x1, x1)
    x3 = fork(connect, first, last)
    x4 = apply(x3, x2)
    x5 = mfilter(x4, hline)
    O = underfill(I, EIGHT, x5)
    return O


# elbow: a bent line from one end to the other, across first
def solve_d003e5b0(I):
    x1 = ofcolor(I, FIVE)
    x2 = first(x1)
    x3 = ofcolor(I, ONE)
    x4 = first(x3)
    x5 = first(x2)
    x6 = last(x4)
    x7 = astuple(x5, x6)
    x8 = connect(x2, x7)
    x9 = connect(x7, x4)
    x10 = combine(x8, x9)
    O = underfill(I, NINE, x10)
    return O


# diagonals: every dot casts four diagonal rays
def solve_d6213147(I):
    x1 = ofcolor(I, SIX)
    x2 = rbind(shoot, UNITY)
    x3 = rbind(shoot, NEG_UNITY)
    x4 = rbind(shoot, UP_RIGHT)
    x5 = rbind(shoot, DOWN_LEFT)
    x6 = mapply(x2, x1)
    x7 = mapply(x3, x1)
    x8 = mapply(x4, x1)
    x9 = mapply(x5, x1)
    x10 = combine(x6, x7)
    x11 = combine(x8, x9)
    x12 = combine(x10, x11)
    O = underfill(I, EIGHT, x12)
    return O


# fall_down: everything falls down
def solve_0cd24527(I):
    x1 = dmirror(I)
    x2 = rbind(order, positive)
    x3 = apply(x2, x1)
    O = dmirror(x3)
    return O


# fall_to_floor: things fall until they stand on the floor
def solve_a729ef36(I):
    x1 = ofcolor(I, SIX)
    x2 = objects(I, T, F, T)
    x3 = colorfilter(x2, SIX)
    x4 = difference(x2, x3)
    x5 = rbind(gravitate, x1)
    x6 = fork(shift, identity, x5)
    x7 = mapply(x6, x4)
    x8 = merge(x4)
    x9 = cover(I, x8)
    O = paint(x9, x7)
    return O


# move_to_anchor: one block moves until it touches the other
def solve_9ed03bf0(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, ONE)
    x3 = first(x2)
    x4 = ofcolor(I, SIX)
    x5 = gravitate(x3, x4)
    O = move(I, x3, x5)
    return O


# trade_places: two things change places
def solve_6c1e7df6(I):
    x1 = ofcolor(I, ONE)
    x2 = ofcolor(I, TWO)
    x3 = ulcorner(x1)
    x4 = ulcorner(x2)
    x5 = subtract(x4, x3)
    x6 = invert(x5)
    x7 = shift(x1, x5)
    x8 = shift(x2, x6)
    x9 = combine(x1, x2)
    x10 = cover(I, x9)
    x11 = fill(x10, ONE, x7)
    O = fill(x11, TWO, x8)
    return O


# sort_columns: bars are sorted, the shortest first
def solve_f1a725b5(I):
    x1 = dmirror(I)
    x2 = rbind(sfilter, positive)
    x3 = compose(size, x2)
    x4 = order(x1, x3)
    O = dmirror(x4)
    return O


# complete_mirror: left and right are alike: fill in what is hidden
def solve_23aa58f6(I):
    x1 = ofcolor(I, EIGHT)
    x2 = vmirror(I)
    x3 = toobject(x1, x2)
    O = paint(I, x3)
    return O


# halves_xor: where the halves differ
def solve_ff1ddb3a(I):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = ofcolor(x1, SIX)
    x4 = ofcolor(x2, FOUR)
    x5 = combine(x3, x4)
    x6 = intersection(x3, x4)
    x7 = difference(x5, x6)
    x8 = shape(x1)
    x9 = canvas(ZERO, x8)
    O = fill(x9, TWO, x7)
    return O


# fullest_cell: the cell of the lattice that holds most
def solve_53187a70(I):
    x1 = vsplit(I, THREE)
    x2 = rbind(hsplit, THREE)
    x3 = mapply(x2, x1)
    x4 = rbind(colorcount, FOUR)
    O = argmax(x3, x4)
    return O


# cells_to_map: the lattice as a small map of its cells
def solve_5d3edc3e(I):
    x1 = vsplit(I, THREE)
    x2 = rbind(hsplit, THREE)
    x3 = lbind(apply, mostcolor)
    x4 = compose(x3, x2)
    O = apply(x4, x1)
    return O


# count_things: a row with a cell for every dot
def solve_5dd61cc6(I):
    x1 = objects(I, T, F, T)
    x2 = size(x1)
    x3 = astuple(ONE, x2)
    O = canvas(NINE, x3)
    return O

"""Stamps: grids with a place, as `batt prims stamp_keep` and the others describe them."""
from itertools import product

from grids import *

MAX_SIDE, MAX_CELLS, MAX_LIST, FARTHEST = 100, 1800, 128, (1 << 20) - 1


class Stamp:
    def __init__(self, g, i=0, j=0):
        if not g or not g[0] or len(g) > MAX_SIDE or len(g[0]) > MAX_SIDE or len(g) * len(g[0]) > MAX_CELLS:
            raise Failed
        self.g, self.i, self.j = tuples(g), i, j
        self.h, self.w = len(g), len(g[0])

    def cells(self):
        """Those that are not transparent, in reading order."""
        return [k for k in cells_of(self.g) if self.g[k[0]][k[1]] != 0]

    def main(self):
        return max(0, most_frequent([c for c in flat(self.g) if 1 <= c <= 9]))

    def colors(self):
        return {c for c in flat(self.g) if 1 <= c <= 9}

    def value(self):
        return self.g if (self.i, self.j) == (0, 0) else ((self.i, self.j), self.g)

    def map(self, change):
        """change(i, j, color) for every cell."""
        return Stamp([[change(i, j, self.g[i][j]) for j in range(self.w)] for i in range(self.h)], self.i, self.j)

    def cut(self, top, left, bottom, right):
        return Stamp([r[left:right + 1] for r in self.g[top:bottom + 1]], self.i + top, self.j + left)

    def only(self, cells):
        return self.map(lambda i, j, c: c if (i, j) in cells else 0)


def is_stamp(v):
    return is_grid(v) or (isinstance(v, tuple) and len(v) == 2 and isinstance(v[0], tuple) and len(v[0]) == 2
                          and all(is_int(x) for x in v[0]) and is_grid(v[1]))


def read(v):
    if not is_stamp(v):
        raise Failed
    if not is_grid(v) and max(abs(x) for x in v[0]) > FARTHEST:
        raise Failed
    return Stamp(v) if is_grid(v) else Stamp(v[1], *v[0])


def read_list(v):
    if not isinstance(v, tuple) or not v or len(v) > MAX_LIST:
        raise Failed
    return [read(s) for s in v]


def each(change):
    """For a stamp, or for each of a list, leaving out those without an answer."""
    def primitive(v, *args):
        if is_stamp(v):
            return change(read(v), *args).value()
        found = []
        for s in read_list(v):
            try:
                found.append(change(s, *args).value())
            except Failed:
                pass
        if not found:
            raise Failed
        return tuple(found)
    return primitive


def one_of(how, maximum, minimum=0):
    if not is_int(how) or not minimum <= how <= maximum:
        raise Failed


def unless_same(old, new):
    if old.g == new.g:
        raise Failed
    return new


# ---- one stamp ----

def keep(s, color):
    if color == 0:
        there = [c for c in flat(s.g) if 1 <= c <= 9]
        return unless_blank(s.map(lambda i, j, c: (min(there) if there else 1) if c == 0 else 0))
    return unless_blank(s.map(lambda i, j, c: c if c == color else 0))


def unless_blank(s):
    if not s.cells():
        raise Failed
    return s


def erase(s, color):
    if color == 0:
        raise Failed
    return unless_same(s, s.map(lambda i, j, c: 0 if c == color else c))


def paint(s, color):
    one_of(color, 9, 1)
    return s.map(lambda i, j, c: color if c != 0 else 0)


def trim(s, how):
    one_of(how, 3)
    if how == 2:
        rows = [i for i in range(s.h) if i == 0 or s.g[i] != s.g[i - 1]]
        columns = [j for j in range(s.w) if j == 0 or any(r[j] != r[j - 1] for r in s.g)]
        return Stamp([[s.g[i][j] for j in columns] for i in rows], s.i, s.j)
    cells = unless_blank(s).cells()
    if how == 1:
        rows, columns = sorted({i for i, _ in cells}), sorted({j for _, j in cells})
        return Stamp([[s.g[i][j] for j in columns] for i in rows], s.i + rows[0], s.j + columns[0])
    cut = s.cut(*box(cells))
    if how == 0:
        return cut
    for n in range(min(cut.h, cut.w), 1, -1):
        if cut.h % n == 0 and cut.w % n == 0 and all(
                cut.g[i][j] == cut.g[i - i % n][j - j % n] for i, j in cells_of(cut.g)):
            return Stamp([r[::n] for r in cut.g[::n]], cut.i, cut.j)
    raise Failed


def filled(h, w, color, i=0, j=0):
    return Stamp([[color] * w] * h, i, j)


def box_of(s, how):
    one_of(how, 4)
    if how == 3:
        return filled(1, 1, s.main(), s.i, s.j)
    if how == 4:
        return filled(2 - s.h % 2, 2 - s.w % 2, s.main() or 1, s.i + (s.h - 1) // 2, s.j + (s.w - 1) // 2)
    at_origin = how == 2
    return filled(s.h, s.w, 0 if how == 1 else s.main(), 0 if at_origin else s.i, 0 if at_origin else s.j)


def home(s):
    return Stamp(s.g)


def main(s):
    return filled(1, 1, s.main())


def outside_of(s):
    """Transparent cells that a path over sides connects with the outside, and the cells around the stamp."""
    wide = [(i, j) for i in range(-1, s.h + 1) for j in range(-1, s.w + 1) if at(s.g, i, j, 0) == 0]
    return next(p for p in connected(wide, SIDES, lambda a, b: True) if (-1, -1) in p)


def fill(s, how):
    one_of(how, 3)
    outside = outside_of(s)
    border = {k for k in s.cells() if any((k[0] + di, k[1] + dj) in outside for di, dj in AROUND)}
    hole = lambda i, j: s.g[i][j] == 0 and (i, j) not in outside
    new = (s.map(lambda i, j, c: s.main() if hole(i, j) else c) if how == 0 else
           s.map(lambda i, j, c: s.main() if hole(i, j) else 0) if how == 1 else
           s.map(lambda i, j, c: 0 if (i, j) in border else c) if how == 2 else s.only(border))
    return unless_blank(new)


def turned(g, how):
    if how in (1, 2, 3):
        for _ in range(how):
            g = tuples(zip(*g[::-1]))
        return g
    if how == 4:
        return tuples(r[::-1] for r in g)
    if how == 5:
        return g[::-1]
    if how == 6:
        return tuples(zip(*g))
    return tuples(zip(*[r[::-1] for r in g[::-1]]))


def turn(s, how):
    one_of(how, 8, 1)
    if how == 8:
        how = 4 if s.w > s.h else 5 if s.h > s.w else 6
    return Stamp(turned(s.g, how), s.i, s.j)


def parts_of(s, near):
    return connected(s.cells(), near, lambda a, b: s.g[a[0]][a[1]] == s.g[b[0]][b[1]])


def tally(s, how):
    one_of(how, 8)
    n = (len(s.cells()), len(s.colors()), len(parts_of(s, AROUND)))[how // 3]
    if n == 0:
        raise Failed
    return filled(*((n, n), (1, n), (n, 1))[how % 3], s.main())


RAY_SETS = {4: (0, 2), 5: (1, 3), 6: (0, 1, 2, 3), 11: (7, 9), 12: (8, 10), 13: (7, 8, 9, 10),
            14: (0, 1, 2, 3, 7, 8, 9, 10)}
RAYS = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0), 7: (1, 1), 8: (1, -1), 9: (-1, -1), 10: (-1, 1)}


def rays(s, how):
    one_of(how, 14)
    new = [list(r) for r in s.g]
    for which in RAY_SETS.get(how, (how,)):
        di, dj = RAYS[which]
        for i, j in s.cells():
            x, y = i + di, j + dj
            while at(s.g, x, y) == 0:
                new[x][y] = s.g[i][j]
                x, y = x + di, y + dj
    return unless_same(s, Stamp(new, s.i, s.j))


def frame(s, how):
    one_of(how, 2)
    cells = set(s.cells())

    def cell(i, j):
        if how > 0:
            on_rim = i in (-1, s.h) or j in (-1, s.w)
            return (1 if how == 1 else s.main()) if on_rim else s.g[i][j]
        if (i, j) in cells:
            return s.g[i][j]
        return int(any((i + di, j + dj) in cells for di, dj in AROUND))
    return Stamp([[cell(i, j) for j in range(-1, s.w + 1)] for i in range(-1, s.h + 1)], s.i - 1, s.j - 1)


def join(s, how):
    one_of(how, 2)
    new = [list(r) for r in s.g]
    for along_rows in {0: [True], 1: [False], 2: [False, True]}[how]:
        di, dj = (0, 1) if along_rows else (1, 0)
        for i, j in s.cells():
            gap, x, y = [], i + di, j + dj
            while at(s.g, x, y) == 0:
                gap.append((x, y))
                x, y = x + di, y + dj
            if at(s.g, x, y) == s.g[i][j]:
                for k in gap:
                    new[k[0]][k[1]] = s.g[i][j]
    return unless_same(s, Stamp(new, s.i, s.j))


def spread(s, how):
    one_of(how, 1)
    new = [list(r) for r in s.g]
    queue = [k for k in s.cells() if how == 0 or s.g[k[0]][k[1]] != s.main()]
    for i, j in queue:  # grows while it is walked
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            if at(new, i + di, j + dj) == 0:
                new[i + di][j + dj] = new[i][j]
                queue.append((i + di, j + dj))
    return unless_same(s, Stamp(new, s.i, s.j))


def half(s, how):
    one_of(how, 5)
    if how > 3:
        how = how - 4 if s.w >= s.h else how - 2
    n = (s.w if how < 2 else s.h) // 2
    if n == 0:
        raise Failed
    return (s.cut(0, 0, s.h - 1, n - 1), s.cut(0, s.w - n, s.h - 1, s.w - 1),
            s.cut(0, 0, n - 1, s.w - 1), s.cut(s.h - n, 0, s.h - 1, s.w - 1))[how]


# ---- onto a canvas ----

def canvas(dimensions):
    if not isinstance(dimensions, tuple) or len(dimensions) != 2:
        raise Failed
    h, w = dimensions
    if h < 1 or w < 1 or h > MAX_SIDE or w > MAX_SIDE or h * w > MAX_CELLS:
        raise Failed
    return h, w


def stamp_paste(v, dimensions):
    s, (h, w) = read(v), canvas(dimensions)
    return tuples([at(s.g, i - s.i, j - s.j, 0) for j in range(w)] for i in range(h))


def stamp_wrap(v, dimensions):
    s, (h, w) = read(v), canvas(dimensions)
    if s.h > 1 and s.w > 1:
        raise Failed
    line = flat(s.g) + [0] * (h * w)
    return tuples(line[i * w:(i + 1) * w] for i in range(h))


def stamp_scale(v, dimensions):
    s, (h, w) = read(v), canvas(dimensions)
    if (h % s.h and s.h % h) or (w % s.w and s.w % w):
        raise Failed
    return tuples([s.g[i * s.h // h][j * s.w // w] for j in range(w)] for i in range(h))


def stamp_tile(v, dimensions, how):
    s, (h, w) = read(v), canvas(dimensions)
    one_of(how, 4)
    if how == 4:
        return carried_on(s, h, w)

    def place(x, side):
        period = side + how % 2
        copy, x = x // period, x % period
        return None if x == side else side - 1 - x if how >= 2 and copy % 2 else x

    def cell(i, j):
        x, y = place(i - s.i, s.h), place(j - s.j, s.w)
        return 0 if x is None or y is None else s.g[x][y]
    return tuples([cell(i, j) for j in range(w)] for i in range(h))


def repeats(s, p, axis, alike):
    di, dj = (p, 0) if axis == 0 else (0, p)
    return all(alike(s.g[i][j], s.g[i + n * di][j + n * dj]) for i, j in cells_of(s.g) for n in range(1, s.h + s.w)
               if i + n * di < s.h and j + n * dj < s.w)


def period(s, axis, alike):
    side = (s.h, s.w)[axis]
    return next((p for p in range(1, side) if repeats(s, p, axis, alike)), side)


def carried_on(s, h, w):
    down, right = [period(s, axis, lambda x, y: x == y) for axis in (0, 1)]
    if (down, right) == (s.h, s.w):
        down, right = [period(s, axis, lambda x, y: 0 in (x, y) or x == y) for axis in (0, 1)]

    def cell(i, j):
        found = [s.g[x][y] for x in range((i - s.i) % down, s.h, down) for y in range((j - s.j) % right, s.w, right)]
        return next((c for c in found if c != 0), 0)
    return tuples([cell(i, j) for j in range(w)] for i in range(h))


def stamp_corner(v, dimensions, how):
    s, (h, w) = read(v), canvas(dimensions)
    one_of(how, 4)
    if h > s.h or w > s.w:
        raise Failed
    top = 0 if how in (0, 1) else s.h - h if how in (2, 3) else (s.h - h) // 2
    left = 0 if how in (0, 2) else s.w - w if how in (1, 3) else (s.w - w) // 2
    return tuples(r[left:left + w] for r in s.g[top:top + h])


def stamp_lay(onto, v, how):
    c, s = read(onto), read(v)
    one_of(how, 2)

    def cell(i, j, old):
        new = at(s.g, i + c.i - s.i, j + c.j - s.j, None)
        if old != -1 or new is None or (how == 0 and new == 0) or (how == 1 and new != 0):
            return old
        return new
    return c.map(cell).value()


def stamp_table(first, second, table):
    a, b = read(first), read(second)
    if not is_grid(table) or len(table[0]) != 3 or any(not 0 <= c <= 9 for c in flat(table)):
        raise Failed
    rows = {(x, y): z for x, y, z in table}
    if (a.h, a.w) != (b.h, b.w) or any((x, y) not in rows for x, y in zip(flat(a.g), flat(b.g))):
        raise Failed
    return a.map(lambda i, j, c: rows[c, b.g[i][j]]).value()


# ---- lists ----

def stamp_split(v, how):
    s = read(v)
    one_of(how, 9)
    found = SPLITS[how](s) if how < 6 else fallen(s, how - 6)
    if not found or len(found) > MAX_LIST:
        raise Failed
    return tuple(p.value() for p in found)


def cropped(s, cells):
    return s.only(cells).cut(*box(cells))


def standing_out(s):
    rim = [s.g[i][j] for i, j in cells_of(s.g) if i in (0, s.h - 1) or j in (0, s.w - 1)]
    background = most_frequent([c for c in rim if 0 <= c <= 9])
    cells = [k for k in cells_of(s.g) if s.g[k[0]][k[1]] != background]
    return [cropped(s, p) for p in connected(cells, AROUND, lambda a, b: True)]


def by_color(s):
    return [s.map(lambda i, j, c: c if c == color else 0) for color in sorted({c for c in flat(s.g) if 1 <= c <= 9})]


def insides(s):
    found = []
    for (top, left), (bottom, right) in product(cells_of(s.g), cells_of(s.g)):
        color = s.g[top][left]
        if bottom - top < 2 or right - left < 2 or color == 0:
            continue
        inside = [(i, j) for i in range(top, bottom + 1) for j in range(left, right + 1) if s.g[i][j] == color]
        if sorted(inside) == [(top, left), (top, right), (bottom, left), (bottom, right)]:
            found.append(s.cut(top + 1, left + 1, bottom - 1, right - 1))
    return found


SPLITS = {0: standing_out, 1: by_color, 2: lambda s: [cropped(s, p) for p in parts_of(s, SIDES)],
          3: lambda s: [s.cut(0, j, s.h - 1, j) for j in range(s.w)],
          4: lambda s: [s.cut(i, 0, i, s.w - 1) for i in range(s.h)], 5: insides}


def fallen(s, side):
    """Down, right, up, left."""
    di, dj = ((1, 0), (0, 1), (-1, 0), (0, -1))[side]
    front = lambda part: max(i * di + j * dj for i, j in part)
    there, found = set(), []
    for part in sorted(parts_of(s, SIDES), key=front, reverse=True):
        n = 0
        while all(0 <= i + (n + 1) * di < s.h and 0 <= j + (n + 1) * dj < s.w
                  and (i + (n + 1) * di, j + (n + 1) * dj) not in there for i, j in part):
            n += 1
        p = cropped(s, part)
        found.append(Stamp(p.g, p.i + n * di, p.j + n * dj))
        there |= {(i + n * di, j + n * dj) for i, j in part}
    return found


def holes(s):
    outside = outside_of(s)
    inside = [k for k in cells_of(s.g) if s.g[k[0]][k[1]] == 0 and k not in outside]
    return len(connected(inside, AROUND, lambda a, b: True)), len(inside)


def criterion(s, which):
    """What is to be greatest."""
    cells = len(s.cells())
    return (cells, -cells, s.h * s.w, -s.h * s.w, len(s.colors()), -s.i, s.i, -s.j, s.j,
            len(parts_of(s, AROUND)), holes(s)[0], -holes(s)[0], holes(s)[1], -holes(s)[1])[which]


def ranked(v, which):
    one_of(which, 13)
    values = [criterion(s, which) for s in read_list(v)]
    return [s for s, x in zip(v, values) if x == max(values)], [s for s, x in zip(v, values) if x != max(values)]


def stamp_best(v, which):
    return ranked(v, which)[0][0]


def stamp_bests(v, which):
    return tuple(ranked(v, which)[0])


def stamp_rest(v, which):
    rest = ranked(v, which)[1]
    if not rest:
        raise Failed
    return tuple(rest)


def stamp_odd(v):
    stamps = read_list(v)
    mains = [s.main() for s in stamps]
    alone = [given for s, given in zip(stamps, v) if mains.count(s.main()) == 1]
    if len(alone) != 1:
        raise Failed
    return alone[0]


def over_each_other(stamps):
    top, left = min(s.i for s in stamps), min(s.j for s in stamps)
    bottom, right = max(s.i + s.h for s in stamps), max(s.j + s.w for s in stamps)
    if bottom - top > MAX_SIDE or right - left > MAX_SIDE:
        raise Failed
    new = [[0] * (right - left) for _ in range(bottom - top)]
    for s in stamps:
        for i, j in s.cells():
            new[s.i + i - top][s.j + j - left] = s.g[i][j]
    return Stamp(new, top, left).value()


def stamp_overlay(v):
    return over_each_other(read_list(v))


def stamp_heap(v):
    return over_each_other(sorted(read_list(v), key=lambda s: -len(s.cells())))


def in_a_row(stamps, beside):
    at_, moved = 0, []
    for s in stamps:
        moved.append(Stamp(s.g, 0, at_) if beside else Stamp(s.g, at_, 0))
        at_ += s.w if beside else s.h
    return over_each_other(moved)


def stamp_line(v):
    stamps = read_list(v)
    down = max(s.i for s in stamps) - min(s.i for s in stamps)
    across = max(s.j for s in stamps) - min(s.j for s in stamps)
    beside = across > down
    return in_a_row(sorted(stamps, key=lambda s: s.j if beside else s.i), beside)


def stamp_pile(v, how):
    one_of(how, 1)
    return in_a_row(sorted(read_list(v), key=lambda s: len(s.cells())), how == 0)


# ---- roles and orientation ----

def roles(reference, by, fixed):
    """New numbers of the colors 1 to 9."""
    one_of(by, 3)
    one_of(fixed, 1023)
    if not is_grid(reference) or any(not 0 <= c <= 9 for c in flat(reference)):
        raise Failed
    colors = flat(reference)
    there = [c for c in range(1, 10) if c in colors and not fixed >> c & 1]

    def tall(c):
        rows = [i for i, r in enumerate(reference) if c in r]
        return rows[-1] - rows[0] + 1
    key = (lambda c: -colors.count(c), lambda c: colors.count(c), lambda c: colors.index(c), lambda c: -tall(c))[by]
    order = sorted(there, key=lambda c: (key(c), c))
    order += [c for c in range(1, 10) if c not in colors and not fixed >> c & 1]
    free = [n for n in range(1, 10) if not fixed >> n & 1]
    return dict(zip(order, free))


def renumbered(v, numbers):
    return read(v).map(lambda i, j, c: numbers.get(c, c)).value()


def stamp_roles(v, reference, by, fixed):
    return renumbered(v, roles(reference, by, fixed))


def stamp_unroles(v, reference, by, fixed):
    return renumbered(v, {new: old for old, new in roles(reference, by, fixed).items()})


def orientation(reference, by):
    """Whether columns and rows are reversed, and then transposed."""
    one_of(by, 4)
    if (not is_grid(reference) or any(not 0 <= c <= 9 for c in flat(reference))
            or len(reference) * len(reference[0]) > 1024):
        raise Failed
    g, h, w, background = reference, len(reference), len(reference[0]), background_of(reference)
    if by == 0:
        return False, False, h > w
    if by == 1:
        sides = [[r[0] for r in g], list(g[0]), [r[-1] for r in g], list(g[-1])]
        shares = [sum(c != background for c in side) / len(side) for side in sides]
        which = shares.index(max(shares))
        return which == 2, which == 3, which in (1, 3)
    color = {3: least_frequent(flat(g)), 4: most_frequent(flat(g), {background})}.get(by)
    cells = [k for k in cells_of(g) if (g[k[0]][k[1]] != background if by == 2 else g[k[0]][k[1]] == color)]
    down = sum(2 * i - (h - 1) for i, _ in cells)
    right = sum(2 * j - (w - 1) for _, j in cells)
    return right > 0, down > 0, abs(down) * w > abs(right) * h  # as shares of the sides


def oriented(g, columns, rows, transpose):
    g = tuples(r[::-1] for r in g) if columns else g
    g = g[::-1] if rows else g
    return tuples(zip(*g)) if transpose else g


def stamp_orient(v, reference, by):
    return oriented(read(v).g, *orientation(reference, by))


def stamp_unorient(v, reference, by):
    columns, rows, transpose = orientation(reference, by)
    g = read(v).g
    return oriented(tuples(zip(*g)) if transpose else g, columns, rows, False)


stamp_keep, stamp_erase, stamp_paint, stamp_trim, stamp_box = each(keep), each(erase), each(paint), each(trim), each(box_of)
stamp_home, stamp_main, stamp_fill, stamp_turn, stamp_tally = each(home), each(main), each(fill), each(turn), each(tally)
stamp_rays, stamp_frame, stamp_join, stamp_spread, stamp_half = each(rays), each(frame), each(join), each(spread), each(half)

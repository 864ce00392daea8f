"""Features of cells and the rules made of them, as `batt prims cell_feature` and `cell_rule` describe them."""
from grids import *

FEATURES = {}


def feature(*names):
    """A feature takes a GridAnalysis and returns a function of (i, j)."""
    def keep(make):
        for k, name in enumerate(names):
            FEATURES[name] = make if len(names) == 1 else (lambda b, k=k: make(b, k))
        return make
    return keep


class GridAnalysis:
    def __init__(self, g):
        if not is_grid(g) or len(g) * len(g[0]) > 1024 or any(not 0 <= c <= 9 for c in flat(g)):
            raise Failed
        self.g, self.h, self.w = g, len(g), len(g[0])
        self.background = background_of(g)
        self.cells = cells_of(g)
        self.kept = {}
        self.grown = None  # the current cell of cell_grow, with its factors

    def once(self, make):
        if make not in self.kept:
            self.kept[make] = make(self)
        return self.kept[make]

    def busy(self, i, j):
        return at(self.g, i, j) not in (-1, self.background)


def clip(n):
    return min(n, 127)


# ---- near ----

FEATURES['OWN'] = lambda b: lambda i, j: b.g[i][j]


@feature('ABOVE', 'ABOVE_RIGHT', 'RIGHT', 'BELOW_RIGHT', 'BELOW', 'BELOW_LEFT', 'LEFT', 'ABOVE_LEFT')
def neighbour(b, k):
    return lambda i, j: at(b.g, i + AROUND[k][0], j + AROUND[k][1])


FEATURES['MIRROR_ROWS'] = lambda b: lambda i, j: b.g[b.h - 1 - i][j]
FEATURES['MIRROR_COLUMNS'] = lambda b: lambda i, j: b.g[i][b.w - 1 - j]
FEATURES['MIRROR_BOTH'] = lambda b: lambda i, j: b.g[b.h - 1 - i][b.w - 1 - j]
FEATURES['TRANSPOSED'] = lambda b: lambda i, j: at(b.g, j, i)
FEATURES['TURNED_RIGHT'] = lambda b: lambda i, j: at(b.g, b.h - 1 - j, i)
FEATURES['TURNED_LEFT'] = lambda b: lambda i, j: at(b.g, j, b.w - 1 - i)
FEATURES['ANTITRANSPOSED'] = lambda b: lambda i, j: at(b.g, b.w - 1 - j, b.h - 1 - i)


@feature('LIKE_AROUND', 'SIDES_LIKE')
def like(b, k):
    return lambda i, j: sum(at(b.g, i + di, j + dj) == b.g[i][j] for di, dj in (AROUND, SIDES)[k])


@feature('BUSY_AROUND', 'SIDES_BUSY', 'CORNERS_BUSY')
def busy(b, k):
    return lambda i, j: sum(b.busy(i + di, j + dj) for di, dj in (AROUND, SIDES, CORNERS)[k])


@feature('AROUND_MOST', 'SIDES_MOST')
def around_most(b, k):
    return lambda i, j: most_frequent([at(b.g, i + di, j + dj) for di, dj in (AROUND, SIDES)[k]], {-1, b.background})


# ---- sight ----

def seen(b, i, j, d):
    """The nearest cell in a direction that is not background, or None."""
    i, j = i + d[0], j + d[1]
    while 0 <= i < b.h and 0 <= j < b.w:
        if b.busy(i, j):
            return i, j
        i, j = i + d[0], j + d[1]
    return None


def seen_color(b, i, j, d):
    k = seen(b, i, j, d)
    return b.g[k[0]][k[1]] if k else -1


@feature('SEEN_UP', 'SEEN_RIGHT', 'SEEN_DOWN', 'SEEN_LEFT')
def seen_straight(b, k):
    return lambda i, j: seen_color(b, i, j, SIDES[k])


@feature('SEEN_UP_RIGHT', 'SEEN_DOWN_RIGHT', 'SEEN_DOWN_LEFT', 'SEEN_UP_LEFT')
def seen_slanted(b, k):
    return lambda i, j: seen_color(b, i, j, CORNERS[k])


@feature('CORNER_UP_RIGHT', 'CORNER_DOWN_RIGHT', 'CORNER_DOWN_LEFT', 'CORNER_UP_LEFT')
def corner(b, k):
    di, dj = CORNERS[k]

    def color(i, j):
        c = seen(b, i, j, (di, dj))
        if c is None:
            return -1
        before = (c[0] - di, c[1] - dj)
        beside = at(b.g, c[0], before[1]), at(b.g, before[0], c[1])
        return b.g[c[0]][c[1]] if beside == (b.background, b.background) else -1
    return color


FEATURES['SEES'] = lambda b: lambda i, j: sum(seen(b, i, j, d) is not None for d in SIDES)


@feature('BETWEEN_ENDS', 'BETWEEN_SIDES')
def between(b, k):
    def value(i, j):
        x, y = seen_color(b, i, j, SIDES[k]), seen_color(b, i, j, SIDES[k + 2])
        return int(x == y != -1)
    return value


@feature('BETWEEN_RARER')
def between_rarer(b):
    counts = Counter(flat(b.g))

    def rarer(x, y):
        return -1 if -1 in (x, y) or x == y else min((x, y), key=lambda c: (counts[c], c))

    def color(i, j):
        beside = rarer(seen_color(b, i, j, SIDES[1]), seen_color(b, i, j, SIDES[3]))
        return beside if beside != -1 else rarer(seen_color(b, i, j, SIDES[0]), seen_color(b, i, j, SIDES[2]))
    return color


# ---- the nearest ----

def nearest(b, i, j, distance):
    """Distance to the nearest cells that are not background, and their colors."""
    all_busy = [(distance(abs(i - x), abs(j - y)), b.g[x][y]) for x, y in b.cells if b.busy(x, y)]
    if not all_busy:
        return None, set()
    minimum = min(all_busy)[0]
    return minimum, {c for d, c in all_busy if d == minimum}


def steps_over_sides(a, b):
    return a + b


@feature('NEAREST_COLOR', 'RING_COLOR')
def nearest_color(b, k):
    def color(i, j):
        colors = nearest(b, i, j, (steps_over_sides, max)[k])[1]
        return colors.pop() if len(colors) == 1 else -1
    return color


def steps_or_127(n):
    return 127 if n is None else clip(n)


FEATURES['NEAREST_STEPS'] = lambda b: lambda i, j: steps_or_127(nearest(b, i, j, steps_over_sides)[0])
FEATURES['RING_STEPS'] = lambda b: lambda i, j: steps_or_127(nearest(b, i, j, max)[0])
FEATURES['RING_MOD2'] = lambda b: lambda i, j: steps_or_127(nearest(b, i, j, max)[0]) % 2


# ---- lines ----

def row(b, k, i, j):
    """The line of a cell: its row (k = 0) or its column."""
    return list(b.g[i]) if k == 0 else [r[j] for r in b.g]


@feature('ROW_COLOR', 'COLUMN_COLOR')
def line_color(b, k):
    return lambda i, j: most_frequent(row(b, k, i, j), {b.background})


@feature('ROW_RARE', 'COLUMN_RARE')
def line_rare(b, k):
    return lambda i, j: least_frequent(row(b, k, i, j), {b.background})


@feature('ROW_BUSY', 'COLUMN_BUSY')
def line_busy(b, k):
    return lambda i, j: clip(sum(c != b.background for c in row(b, k, i, j)))


@feature('ROW_UNIFORM', 'COLUMN_UNIFORM')
def line_uniform(b, k):
    return lambda i, j: int(len(set(row(b, k, i, j))) == 1)


@feature('ROW_RUN', 'COLUMN_RUN')
def run(b, k):
    def length(i, j):
        line, at_ = row(b, k, i, j), (j, i)[k]
        same = [c == b.g[i][j] for c in line]
        ahead = (same[at_:] + [False]).index(False)
        behind = (same[at_::-1] + [False]).index(False)
        return clip(ahead + behind - 1)
    return length


@feature('BUSY_TO_LEFT', 'BUSY_ABOVE')
def busy_before(b, k):
    return lambda i, j: clip(sum(c != b.background for c in row(b, k, i, j)[:(j, i)[k]]))


def busy_lines(b, k):
    """All lines that are not all background, with their most frequent color but background."""
    found = {}
    for i, j in b.cells:
        color = most_frequent(row(b, k, i, j), {b.background})
        if color != -1:
            found[(i, j)[k]] = color
    return found


def line_steps(b, k, x):
    """Steps to the nearest busy line, and the colors of those that are that near."""
    lines = busy_lines(b, k)
    if not lines:
        return 127, []
    minimum = min(abs(x - y) for y in lines)
    return clip(minimum), [lines[y] for y in (x - minimum, x + minimum) if y in lines]


@feature('ROW_STEPS', 'COLUMN_STEPS')
def steps(b, k):
    return lambda i, j: line_steps(b, k, (i, j)[k])[0]


@feature('ROW_STEPS_MOD2', 'COLUMN_STEPS_MOD2')
def steps_mod2(b, k):
    return lambda i, j: line_steps(b, k, (i, j)[k])[0] % 2


FEATURES['STEPS_MOD2'] = lambda b: lambda i, j: (line_steps(b, 0, i)[0] + line_steps(b, 1, j)[0]) % 2


@feature('NEAR_ROW_COLOR', 'NEAR_COLUMN_COLOR')
def near_color(b, k):
    def color(i, j):
        colors = set(line_steps(b, k, (i, j)[k])[1])
        return colors.pop() if len(colors) == 1 else -1
    return color


def place_in_box(x, low, high):
    return 0 if x < low else 1 if x <= high else 2


@feature('BOX_ROW', 'BOX_COLUMN')
def box_line(b, k):
    def value(i, j):
        lines = busy_lines(b, k)
        return place_in_box((i, j)[k], min(lines), max(lines)) if lines else 0
    return value


# ---- the whole grid ----

FEATURES['MAIN_COLOR'] = lambda b: lambda i, j: most_frequent(flat(b.g))
FEATURES['RAREST_COLOR'] = lambda b: lambda i, j: least_frequent(flat(b.g))
FEATURES['MAIN_FOREGROUND'] = lambda b: lambda i, j: most_frequent(flat(b.g), {b.background})


@feature('COLOR_RANK')
def color_rank(b):
    counts = Counter(flat(b.g))
    return lambda i, j: sum(n > counts[b.g[i][j]] for n in counts.values())


def color_box(b, color):
    return box([k for k in b.cells if b.g[k[0]][k[1]] == color])


@feature('RARE_ROW', 'RARE_COLUMN')
def rare_line(b, k):
    rarest = least_frequent(flat(b.g), {b.background})

    def value(i, j):
        if rarest == -1:
            return 0
        around = color_box(b, rarest)
        return place_in_box((i, j)[k], around[k], around[k + 2])
    return value


@feature('BOX_COLOR')
def box_color(b):
    def color(i, j):
        found = []
        for c in set(flat(b.g)) - {b.background}:
            top, left, bottom, right = color_box(b, c)
            if top <= i <= bottom and left <= j <= right:
                found.append(((bottom - top + 1) * (right - left + 1), c))
        return min(found)[1] if found else -1
    return color


# ---- places ----

FEATURES['ROW'] = lambda b: lambda i, j: clip(i)
FEATURES['COLUMN'] = lambda b: lambda i, j: clip(j)
FEATURES['ROW_BELOW'] = lambda b: lambda i, j: clip(b.h - 1 - i)
FEATURES['COLUMN_RIGHT'] = lambda b: lambda i, j: clip(b.w - 1 - j)
FEATURES['ROW_MOD2'] = lambda b: lambda i, j: i % 2
FEATURES['COLUMN_MOD2'] = lambda b: lambda i, j: j % 2
FEATURES['SUM_MOD2'] = lambda b: lambda i, j: (i + j) % 2
FEATURES['ROW_MOD3'] = lambda b: lambda i, j: i % 3
FEATURES['COLUMN_MOD3'] = lambda b: lambda i, j: j % 3
FEATURES['SUM_MOD3'] = lambda b: lambda i, j: (i + j) % 3
FEATURES['SLANT_MOD3'] = lambda b: lambda i, j: (i + b.w - 1 - j) % 3
FEATURES['DIAGONAL'] = lambda b: lambda i, j: int(i == j)
FEATURES['ANTIDIAGONAL'] = lambda b: lambda i, j: int(i == b.w - 1 - j)


def rim(b, i, j):
    return min(i, j, b.h - 1 - i, b.w - 1 - j)


FEATURES['RIM_DISTANCE'] = lambda b: lambda i, j: clip(rim(b, i, j))
FEATURES['RIM_MOD2'] = lambda b: lambda i, j: rim(b, i, j) % 2
FEATURES['AT_TOP_LEFT'] = lambda b: lambda i, j: b.g[0][0]
FEATURES['AT_TOP_RIGHT'] = lambda b: lambda i, j: b.g[0][-1]
FEATURES['AT_BOTTOM_LEFT'] = lambda b: lambda i, j: b.g[-1][0]
FEATURES['AT_BOTTOM_RIGHT'] = lambda b: lambda i, j: b.g[-1][-1]
FEATURES['ROW_START'] = lambda b: lambda i, j: b.g[i][0]
FEATURES['ROW_END'] = lambda b: lambda i, j: b.g[i][-1]
FEATURES['COLUMN_START'] = lambda b: lambda i, j: b.g[0][j]
FEATURES['COLUMN_END'] = lambda b: lambda i, j: b.g[-1][j]


@feature('FALLEN_DOWN', 'FALLEN_UP', 'FALLEN_RIGHT', 'FALLEN_LEFT')
def fallen(b, k):
    def color(i, j):
        line = row(b, 1 if k < 2 else 0, i, j)
        rest = [c for c in line if c != b.background]
        gap = [b.background] * (len(line) - len(rest))
        return (gap + rest if k % 2 == 0 else rest + gap)[i if k < 2 else j]
    return color


# ---- components of one color, and of several ----

MAX_COMPONENTS = 200


class Component:
    def __init__(self, b, cells):
        self.cells, self.size = cells, len(cells)
        self.top, self.left, self.bottom, self.right = box(cells)
        self.h, self.w = self.bottom - self.top + 1, self.right - self.left + 1
        first = min(cells)
        self.color = b.g[first[0]][first[1]]
        self.background = self.color == b.background
        self.shape = frozenset((i - self.top, j - self.left) for i, j in cells)
        self.colors = [b.g[i][j] for i, j in sorted(cells)]
        self.on_rim = self.top == 0 or self.left == 0 or self.bottom == b.h - 1 or self.right == b.w - 1


def components(b):
    """All components of one color, and a map from cells to them."""
    found = [Component(b, p) for p in connected(b.cells, SIDES, lambda k, m: b.g[k[0]][k[1]] == b.g[m[0]][m[1]])]
    return found, {k: p for p in found for k in p.cells}


def mcomps(b):
    busy = [k for k in b.cells if b.busy(*k)]
    found = [Component(b, p) for p in connected(busy, AROUND, lambda k, m: True)]
    return found, {k: p for p in found for k in p.cells}


def of_component(value):
    """A feature that is the same in all cells of a component: value(b, all components, component)."""
    def make(b):
        found, where = b.once(components)
        return lambda i, j: value(b, found, where[i, j])
    return make


def others(found):
    """Components that have ranks and are counted; none if there are too many of any kind."""
    return [p for p in found if not p.background] if len(found) <= MAX_COMPONENTS else []


FEATURES['COMPONENT_SIZE'] = of_component(lambda b, all_, p: clip(p.size))
FEATURES['COMPONENT_HEIGHT'] = of_component(lambda b, all_, p: clip(p.h))
FEATURES['COMPONENT_WIDTH'] = of_component(lambda b, all_, p: clip(p.w))
FEATURES['COMPONENT_RIM'] = of_component(lambda b, all_, p: int(p.on_rim))
FEATURES['ENCLOSED'] = of_component(lambda b, all_, p: int(p.background and not p.on_rim))
FEATURES['COMPONENT_FULL'] = of_component(lambda b, all_, p: int(p.size == p.h * p.w))
FEATURES['COMPONENT_RANK'] = of_component(lambda b, all_, p: clip(sum(q.size > p.size for q in others(all_))))
FEATURES['COMPONENT_RANK_UP'] = of_component(lambda b, all_, p: clip(sum(q.size < p.size for q in others(all_))))
FEATURES['COMPONENT_ALIKE'] = of_component(lambda b, all_, p: clip(sum(q.size == p.size for q in others(all_))))
FEATURES['COMPONENT_SHAPES'] = of_component(lambda b, all_, p: clip(sum(q.shape == p.shape for q in others(all_))))
FEATURES['COMPONENT_TOP_RANK'] = of_component(lambda b, all_, p: clip(sum(q.top < p.top for q in others(all_))))
FEATURES['COMPONENT_LEFT_RANK'] = of_component(lambda b, all_, p: clip(sum(q.left < p.left for q in others(all_))))
FEATURES['COMPONENTS_OF_COLOR'] = of_component(lambda b, all_, p: clip(sum(q.color == p.color for q in others(all_))))
FEATURES['COMPONENT_COLOR_RANK'] = of_component(
    lambda b, all_, p: clip(sum(q.color == p.color and q.size > p.size for q in others(all_))))
FEATURES['COMPONENT_HOLES'] = of_component(lambda b, all_, p: clip(sum(
    q.background and not q.on_rim and (min(q.cells)[0] - 1, min(q.cells)[1]) in p.cells for q in all_)))


def areas(found):
    return [p for p in found if p.background] if len(found) <= MAX_COMPONENTS else []


FEATURES['AREA_RANK'] = of_component(
    lambda b, all_, p: clip(sum(q.size > p.size for q in areas(all_))) if p.background else -1)
FEATURES['AREA_RANK_UP'] = of_component(
    lambda b, all_, p: clip(sum(q.size < p.size for q in areas(all_))) if p.background else -1)


def around_component(b, p):
    return [at(b.g, i + di, j + dj) for i, j in p.cells for di, dj in SIDES if (i + di, j + dj) not in p.cells]


FEATURES['AROUND_COMPONENT'] = of_component(lambda b, all_, p: most_frequent(around_component(b, p), {-1, b.background}))
FEATURES['AROUND_RAREST'] = of_component(lambda b, all_, p: least_frequent(around_component(b, p), {-1, b.background}))


def in_box(b, p):
    return [b.g[i][j] for i in range(p.top, p.bottom + 1) for j in range(p.left, p.right + 1)]


def covers(p, i, j):
    return p.top <= i <= p.bottom and p.left <= j <= p.right


@feature('TWIN_COLOR')
def twin_color(b):
    def value(b, all_, p):
        for q in others(all_):
            if q.shape == p.shape and q.color != p.color:
                return q.color
        return p.color
    return of_component(value)(b)


@feature('COMPONENT_DEPTH')
def component_depth(b):
    where = b.once(components)[1]

    def depth(i, j):
        p, n = where[i, j], 1
        inside = set(p.cells)
        while True:
            inside = {k for k in inside if all((k[0] + di, k[1] + dj) in inside for di, dj in SIDES)}
            if (i, j) not in inside:
                return clip(n)
            n += 1
    return depth


@feature('COMPONENT_AT_ROW', 'COMPONENT_AT_COLUMN', 'COMPONENT_AT_BELOW', 'COMPONENT_AT_RIGHT', 'COMPONENT_AT_MOD2')
def component_at(b, k):
    where = b.once(components)[1]

    def value(i, j):
        p = where[i, j]
        return clip((i - p.top, j - p.left, p.bottom - i, p.right - j, (i - p.top + j - p.left) % 2)[k])
    return value


def of_mcomp(value, none):
    def make(b):
        found, where = b.once(mcomps)
        return lambda i, j: value(b, found, where[i, j]) if (i, j) in where else none
    return make


@feature('MULTICOLOR_AT_ROW', 'MULTICOLOR_AT_COLUMN', 'MULTICOLOR_AT_BELOW', 'MULTICOLOR_AT_RIGHT', 'MULTICOLOR_AT_MOD2')
def mcomp_at(b, k):
    where = b.once(mcomps)[1]

    def value(i, j):
        if (i, j) not in where:
            return -1
        p = where[i, j]
        return clip((i - p.top, j - p.left, p.bottom - i, p.right - j, (i - p.top + j - p.left) % 2)[k])
    return value


def ranked(found):
    return found if len(found) <= MAX_COMPONENTS else []


FEATURES['MULTICOLOR_SIZE'] = of_mcomp(lambda b, all_, p: clip(p.size), 0)
FEATURES['MULTICOLOR_HEIGHT'] = of_mcomp(lambda b, all_, p: clip(p.h), 0)
FEATURES['MULTICOLOR_WIDTH'] = of_mcomp(lambda b, all_, p: clip(p.w), 0)
FEATURES['MULTICOLOR_COLORS'] = of_mcomp(lambda b, all_, p: len(set(p.colors)), 0)
FEATURES['MULTICOLOR_RAREST'] = of_mcomp(lambda b, all_, p: least_frequent(p.colors), -1)
FEATURES['MULTICOLOR_MAIN'] = of_mcomp(lambda b, all_, p: most_frequent(p.colors), -1)
FEATURES['MULTICOLOR_RANK'] = of_mcomp(lambda b, all_, p: clip(sum(q.size > p.size for q in ranked(all_))), -1)
FEATURES['MULTICOLOR_RANK_UP'] = of_mcomp(lambda b, all_, p: clip(sum(q.size < p.size for q in ranked(all_))), -1)


def mcomp_mirrored(b, p, columns):
    for i, j in p.cells:
        m = (i, p.left + p.right - j) if columns else (p.top + p.bottom - i, j)
        if m not in p.cells or b.g[m[0]][m[1]] != b.g[i][j]:
            return 0
    return 1


FEATURES['MULTICOLOR_MIRROR_COLUMNS'] = of_mcomp(lambda b, all_, p: mcomp_mirrored(b, p, True), 0)
FEATURES['MULTICOLOR_MIRROR_ROWS'] = of_mcomp(lambda b, all_, p: mcomp_mirrored(b, p, False), 0)


@feature('MULTICOLOR_AROUND')
def mcomps_around(b):
    found = ranked(b.once(mcomps)[0])
    return lambda i, j: clip(sum(p.top <= i <= p.bottom and p.left <= j <= p.right for p in found))


@feature('BOXED_MIRROR_COLUMNS', 'BOXED_MIRROR_ROWS', 'BOXED_MIRROR_BOTH', 'BOXED_TRANSPOSED', 'BOXED_MAIN', 'BOXED_RAREST',
         'BOXED_RIM', 'BOXED_AT_ROW', 'BOXED_AT_COLUMN', 'BOXED_AT_BELOW', 'BOXED_AT_RIGHT', 'BOXED_AT_MOD2')
def boxed(b, k):
    found = ranked(b.once(mcomps)[0])

    def value(i, j):
        around = [p for p in found if covers(p, i, j)]
        if not around:
            return -1
        p = min(around, key=lambda p: p.h * p.w)
        row, column, below, right = i - p.top, j - p.left, p.bottom - i, p.right - j
        return (lambda: b.g[i][p.left + right], lambda: b.g[p.top + below][j], lambda: b.g[p.top + below][p.left + right],
                lambda: b.g[p.top + column][p.left + row] if p.h == p.w else -1,
                lambda: most_frequent(in_box(b, p), {b.background}), lambda: least_frequent(in_box(b, p), {b.background}),
                lambda: clip(min(row, column, below, right)), lambda: clip(row), lambda: clip(column), lambda: clip(below),
                lambda: clip(right), lambda: (row + column) % 2)[k]()
    return value


@feature('LINKED_SIZE', 'LINKED_RANK')
def linked(b, k):
    found = connected([x for x in b.cells if b.busy(*x)], AROUND, lambda x, y: b.g[x[0]][x[1]] == b.g[y[0]][y[1]])

    def value(i, j):
        mine = next((p for p in found if (i, j) in p), None)
        if mine is None:
            return (0, -1)[k]
        return clip((len(mine), sum(len(p) > len(mine) for p in ranked(found)))[k])
    return value


@feature('TEMPLATE_COLOR')
def template_color(b):
    found, where = b.once(mcomps)

    def color(i, j):
        if (i, j) not in where or not ranked(found):
            return -1
        maximum = max(len(set(p.colors)) for p in found)
        t = [p for p in found if len(set(p.colors)) == maximum][0]
        p = where[i, j]
        if (p.h, p.w) != (t.h, t.w):
            return -1
        return b.g[t.top + i - p.top][t.left + j - p.left]
    return color


@feature('LEGEND')
def legend(b):
    pairs = {}
    for p in ranked(b.once(mcomps)[0]):
        if p.size != p.h * p.w:
            continue
        rows = [[b.g[i][j] for j in range(p.left, p.right + 1)] for i in range(p.top, p.bottom + 1)]
        columns = [list(c) for c in zip(*rows)]
        for lines in (rows, columns):
            if all(len(line) == 2 and line[0] != line[1] for line in lines):
                for x, y in lines:
                    pairs.setdefault(x, y)
                    pairs.setdefault(y, x)
                break
    return lambda i, j: pairs.get(b.g[i][j], -1)


# ---- rectangles ----

def rectangles(b, i, j, minimum):
    """Sizes (h, w) of all rectangles of the cell's color that cover it, of at least so many cells either way."""
    found = []
    for top in range(i + 1):
        for bottom in range(i, b.h):
            if any(b.g[x][j] != b.g[i][j] for x in range(top, bottom + 1)):
                continue
            same = [all(b.g[x][y] == b.g[i][j] for x in range(top, bottom + 1)) for y in range(b.w)]
            left = right = j
            while left > 0 and same[left - 1]:
                left -= 1
            while right + 1 < b.w and same[right + 1]:
                right += 1
            if bottom - top + 1 >= minimum and right - left + 1 >= minimum:
                found.append((bottom - top + 1, right - left + 1))
    return found


FEATURES['SQUARE'] = lambda b: lambda i, j: clip(max(min(r) for r in rectangles(b, i, j, 1)))


def largest(b):
    return {k: max([r[0] * r[1] for r in rectangles(b, *k, 2)] or [0]) for k in b.cells}


FEATURES['RECT_CELLS'] = lambda b: lambda i, j: clip(b.once(largest)[i, j])


@feature('RECT_LARGEST')
def rect_largest(b):
    sizes = b.once(largest)
    return lambda i, j: int(sizes[i, j] > 0 and all(
        sizes[k] <= sizes[i, j] for k in b.cells if b.g[k[0]][k[1]] == b.g[i][j]))


# ---- periods ----

def agrees(b, di, dj):
    return all(not b.busy(i, j) or not b.busy(i + di, j + dj) or b.g[i][j] == b.g[i + di][j + dj]
               for i, j in b.cells)


def min_shift(b, axis):
    side = (b.h, b.w)[axis]
    for p in range(1, side):
        if agrees(b, p if axis == 0 else 0, p if axis == 1 else 0):
            return p
    return side


def periods_away(b, i, j, down, right):
    return [b.g[x][y] for x in range(i % down, b.h, down) for y in range(j % right, b.w, right)]


@feature('PERIODIC')
def periodic(b):
    down, right = min_shift(b, 0), min_shift(b, 1)

    def color(i, j):
        if b.busy(i, j):
            return b.g[i][j]
        return next((c for c in periods_away(b, i, j, down, right) if c != b.background), b.background)
    return color


@feature('PERIODIC_RISING', 'PERIODIC_FALLING')
def periodic_diagonal(b, k):
    line = (lambda i, j: i + j) if k == 0 else (lambda i, j: i - j + b.w)
    for p in range(1, b.h + b.w):
        colors = {}
        for i, j in b.cells:
            if b.busy(i, j):
                colors.setdefault(line(i, j) % p, set()).add(b.g[i][j])
        if all(len(c) == 1 for c in colors.values()):
            return lambda i, j: b.g[i][j] if b.busy(i, j) else next(iter(colors.get(line(i, j) % p, {b.background})))
    return lambda i, j: b.g[i][j]


def best_shift(b, axis):
    side = (b.h, b.w)[axis]
    best, share = side, 0.5
    for p in range(1, side // 2 + 1):
        di, dj = (p, 0) if axis == 0 else (0, p)
        pairs = [(b.g[i][j], b.g[i + di][j + dj]) for i, j in b.cells if b.busy(i, j) and b.busy(i + di, j + dj)]
        alike = sum(x == y for x, y in pairs)
        if pairs and (alike / len(pairs) > share if best == side else alike / len(pairs) > share + 0.02):
            best, share = p, alike / len(pairs)
    return best


@feature('PERIODIC_MOSTLY')
def periodic_mostly(b):
    down, right = best_shift(b, 0), best_shift(b, 1)

    def color(i, j):
        found = most_frequent(periods_away(b, i, j, down, right), {b.background})
        return found if found != -1 else b.background
    return color


# ---- axes ----

def axis_of(b, axis):
    """The best axis as the sum of the two places that lie on each other."""
    side = (b.h, b.w)[axis]
    best = None
    for total in range(2 * side - 1):
        if abs(total - (side - 1)) > side / 2:
            continue
        score = 0
        for i, j in b.cells:
            m = (total - i, j) if axis == 0 else (i, total - j)
            if (i, j)[axis] < m[axis] and b.busy(i, j) and b.busy(*m):
                score += 1 if b.g[i][j] == b.g[m[0]][m[1]] else -2
        key = (-score, abs(total - (side - 1)), total)
        best = min(best, (key, total)) if best else (key, total)
    return best[1]


@feature('AXIS_COLUMNS', 'AXIS_ROWS', 'AXIS_BOTH')
def axis_mirror(b, k):
    rows, columns = axis_of(b, 0), axis_of(b, 1)
    return lambda i, j: at(b.g, i if k == 0 else rows - i, j if k == 1 else columns - j)


def transposed_place(rows, columns, i, j):
    if (rows - columns) % 2:
        return None
    shift = (rows - columns) // 2
    return j + shift, i - shift


@feature('AXIS_TRANSPOSED')
def axis_transposed(b):
    rows, columns = axis_of(b, 0), axis_of(b, 1)

    def color(i, j):
        k = transposed_place(rows, columns, i, j)
        return at(b.g, *k) if k else -1
    return color


def first_busy(b, places):
    return next((at(b.g, *k) for k in places if b.busy(*k)), b.background)


@feature('AXIS_ANY')
def axis_any(b):
    rows, columns = axis_of(b, 0), axis_of(b, 1)

    def mirrors(i, j):
        return [(i, j), (i, columns - j), (rows - i, j), (rows - i, columns - j)]

    def color(i, j):
        k = transposed_place(rows, columns, i, j)
        return first_busy(b, mirrors(i, j) + (mirrors(*k) if k else []))
    return color


@feature('CENTER_ANY')
def center_any(b):
    rarest = least_frequent(flat(b.g), {b.background})

    def color(i, j):
        if rarest == -1:
            return b.g[i][j]
        top, left, bottom, right = color_box(b, rarest)
        rows, columns = top + bottom, left + right
        return first_busy(b, [(i, j), (i, columns - j), (rows - i, j), (rows - i, columns - j)])
    return color


# ---- panels ----

class Panel:
    def __init__(self, b, rows, columns, place):
        self.rows, self.columns, self.place = rows, columns, place
        self.colors = [b.g[i][j] for i in rows for j in columns]
        self.busy = sum(c != b.background for c in self.colors)


def panels(b):
    color = panels_of(b.g)
    rows, columns = full_lines(b.g, color) if color is not None else (set(), set())
    found = [Panel(b, r, c, (x, y)) for x, r in enumerate(runs_between(rows, b.h))
             for y, c in enumerate(runs_between(columns, b.w))]
    found = found if len(found) <= 256 else []
    return found, {(i, j): p for p in found for i in p.rows for j in p.columns}


def of_panel(value, none=-1):
    def make(b):
        found, where = b.once(panels)
        return lambda i, j: value(b, found, where[i, j], i, j) if (i, j) in where else none
    return make


FEATURES['PANEL_COLOR'] = of_panel(lambda b, all_, p, i, j: most_frequent(p.colors, {b.background}))
FEATURES['PANEL_BUSY'] = of_panel(lambda b, all_, p, i, j: clip(p.busy))
FEATURES['PANEL_RANK'] = of_panel(lambda b, all_, p, i, j: clip(sum(q.busy > p.busy for q in all_)))
FEATURES['PANEL_ROW'] = of_panel(lambda b, all_, p, i, j: clip(p.place[0]))
FEATURES['PANEL_COLUMN'] = of_panel(lambda b, all_, p, i, j: clip(p.place[1]))


def panels_here(b, all_, p, i, j):
    di, dj = i - p.rows[0], j - p.columns[0]
    here = [b.g[q.rows[di]][q.columns[dj]] for q in all_ if di < len(q.rows) and dj < len(q.columns)]
    return [c for c in here if c != b.background]


FEATURES['PANEL_HERE'] = of_panel(lambda b, all_, p, i, j: clip(len(panels_here(b, all_, p, i, j))))
FEATURES['PANEL_MOST'] = of_panel(lambda b, all_, p, i, j: most_frequent(panels_here(b, all_, p, i, j) or [b.background]))


def panel_other(b, all_, p, i, j):
    di, dj = i - p.rows[0], j - p.columns[0]
    for q in all_:
        if q is not p and di < len(q.rows) and dj < len(q.columns):
            c = b.g[q.rows[di]][q.columns[dj]]
            if c != b.background:
                return c
    return b.background


FEATURES['PANEL_OTHER'] = of_panel(panel_other)


def panel_key(b, all_, p, i, j):
    minimum = min(q.busy for q in all_)
    emptiest = [q for q in all_ if q.busy == minimum]
    many = (max(q.place[0] for q in all_) + 1, max(q.place[1] for q in all_) + 1)
    if len(emptiest) != 1 or (len(emptiest[0].rows), len(emptiest[0].columns)) != many:
        return -1
    key = emptiest[0]
    return b.g[key.rows[p.place[0]]][key.columns[p.place[1]]]


FEATURES['PANEL_KEY'] = of_panel(panel_key)


# ---- rays, marks ----

UP, RIGHT, DOWN, LEFT = range(0, 8, 2)
WAYS = ('UP', 'UP_RIGHT', 'RIGHT', 'DOWN_RIGHT', 'DOWN', 'DOWN_LEFT', 'LEFT', 'UP_LEFT')


def ray(b, i, j, d):
    """The cells from (i, j) to the edge in a direction."""
    di, dj = AROUND[d]
    places = []
    while 0 <= i + di < b.h and 0 <= j + dj < b.w:
        i, j = i + di, j + dj
        places.append((i, j))
    return places


def ray_colors(b, i, j, d):
    return [b.g[x][y] for x, y in ray(b, i, j, d)]


def steps_on(colors, wanted):
    return clip(next((n for n, c in enumerate(colors, 1) if wanted(c)), 127))


def far(b, i, j, d):
    return steps_on(ray_colors(b, i, j, d), lambda c: c != b.background)


@feature(*('FAR_' + way for way in WAYS))
def far_of(b, k):
    return lambda i, j: far(b, i, j, k)


@feature(*('LIKE_' + way for way in WAYS))
def like_of(b, k):
    return lambda i, j: steps_on(ray_colors(b, i, j, k), lambda c: c == b.g[i][j])


@feature(*('BEYOND_' + way for way in WAYS))
def beyond_of(b, k):
    def color(i, j):
        met = [c for c in ray_colors(b, i, j, k) if c != b.background]
        return next((c for c in met if c != met[0]), -1)
    return color


def modulo(n, m):
    return -1 if n == 127 else n % m


@feature(*('FAR_%s_MOD%d' % (way, m) for m in (2, 3) for way in WAYS[::2]))
def far_modulo(b, k):
    return lambda i, j: modulo(far(b, i, j, k % 4 * 2), 2 + k // 4)


def seen_way(b, i, j, d):
    return next((c for c in ray_colors(b, i, j, d) if c != b.background), -1)


def only_color(found):
    found = set(found) - {-1}
    return found.pop() if len(found) == 1 else -1


@feature('SEEN_ONE_WAY', 'SLANTED_ONE_WAY')
def one_way(b, k):
    return lambda i, j: only_color(seen_way(b, i, j, d) for d in range(k, 8, 2) if seen_way(b, i, j, (d + 4) % 8) == -1)


@feature('SEEN_TWO_WAYS', 'SLANTED_TWO_WAYS')
def two_ways(b, k):
    def color(i, j):
        alike = [seen_way(b, i, j, d) for d in (k, k + 2) if seen_way(b, i, j, d) == seen_way(b, i, j, d + 4)]
        return next((c for c in alike if c != -1), -1)
    return color


@feature('SEEN_MOST', 'SEEN_STRAIGHT_MOST')
def seen_most(b, k):
    return lambda i, j: most_frequent([seen_way(b, i, j, d) for d in range(0, 8, 1 + k)], {-1})


@feature('SEEN_COLORS', 'SEEN_STRAIGHT_COLORS')
def seen_colors(b, k):
    return lambda i, j: len({seen_way(b, i, j, d) for d in range(0, 8, 1 + k)} - {-1})


FEATURES['SEES_SLANTED'] = lambda b: lambda i, j: sum(seen_way(b, i, j, d) != -1 for d in range(1, 8, 2))
FEATURES['FAR_LEAST'] = lambda b: lambda i, j: min(far(b, i, j, d) for d in (UP, RIGHT, DOWN, LEFT))


@feature('SEEN_NEAREST')
def seen_nearest(b):
    def color(i, j):
        minimum = min(far(b, i, j, d) for d in (UP, RIGHT, DOWN, LEFT))
        return only_color(seen_way(b, i, j, d) for d in (UP, RIGHT, DOWN, LEFT) if far(b, i, j, d) == minimum)
    return color


@feature('MARK_ROWS', 'MARK_COLUMNS', 'MARK_RING')
def mark(b, k):
    rarest = least_frequent(flat(b.g), {b.background})

    def steps(i, j):
        if rarest == -1:
            return 127
        top, left, bottom, right = color_box(b, rarest)
        rows, columns = max(top - i, 0, i - bottom), max(left - j, 0, j - right)
        return clip((rows, columns, max(rows, columns))[k])
    return steps


@feature(*('MARK_%s_MOD%d' % (what, m) for m in (2, 3) for what in ('ROWS', 'COLUMNS', 'RING')))
def mark_modulo(b, k):
    return lambda i, j: modulo(mark(b, k % 3)(i, j), 2 + k // 3)


@feature('LINE_ROWS', 'LINE_COLUMNS')
def full_line_steps(b, k):
    lines = b.g if k == 0 else list(zip(*b.g))
    full = [x for x, line in enumerate(lines) if len(set(line)) == 1 and line[0] != b.background]
    return lambda i, j: clip(min((abs((i, j)[k] - x) for x in full), default=127))


@feature('FOLD_ROWS', 'FOLD_COLUMNS', 'FOLD_ANY')
def folded(b, k):
    def nearest(lines, x):
        full = [y for y, line in enumerate(lines) if len(set(line)) == 1 and line[0] != b.background]
        return min(full, key=lambda y: (abs(x - y), y), default=None)

    def at(i, j):
        return b.g[i][j] if 0 <= i < b.h and 0 <= j < b.w else -1

    def fold(i, j):
        row, column = nearest(b.g, i), nearest(list(zip(*b.g)), j)
        down = -1 if row is None else at(2 * row - i, j)
        across = -1 if column is None else at(i, 2 * column - j)
        both = -1 if row is None or column is None else at(2 * row - i, 2 * column - j)
        any_of = next((c for c in (b.g[i][j], down, across, both) if c not in (-1, b.background)), b.background)
        return (down, across, any_of)[k]
    return fold


# ---- primitives ----

def cell_feature(g, name):
    b = GridAnalysis(g)
    value = FEATURES[name](b)
    return tuples([value(i, j) for j in range(b.w)] for i in range(b.h))


def check_rule(rule, depth=0):
    """Leaves and branches of a rule; it fails if it is none."""
    if depth > 8:
        raise Failed
    if len(rule) < 5:
        return 1
    return 1 + check_rule(rule[3], depth + 1) + check_rule(rule[4], depth + 1)


@feature('DONE_ABOVE', 'DONE_ABOVE_RIGHT', 'DONE_RIGHT', 'DONE_BELOW_RIGHT', 'DONE_BELOW', 'DONE_BELOW_LEFT', 'DONE_LEFT', 'DONE_ABOVE_LEFT')
def done(b, k):
    return lambda i, j: at(b.g, i + AROUND[k][0], j + AROUND[k][1])


@feature('DONE_RAREST')
def done_rarest(b):
    counts = Counter(flat(b.g))

    def color(i, j):
        beside = [at(b.g, i + di, j + dj) for di, dj in SIDES]
        beside = [c for c in beside if 0 <= c <= 9 and c != b.background]
        return min(beside, key=lambda c: (counts[c], c), default=-1)
    return color


def cell_rule(g, rule):
    """Rules have words: (feature, 'IS' | 'OVER' | 'SAME' | 'MORE' | 'AMONG', number or feature, yes, no), ('PAINT', c), ('COPY', f),
    ('MAP', f, rows)."""
    b, decide = reader(g, rule)
    return tuples([decide(rule, i, j) for j in range(b.w)] for i in range(b.h))


def cell_process(g, rules):
    if not 1 <= len(rules) <= 16:
        raise Failed
    for _ in range(256):
        made = [cell_rule(g, rule) for rule in rules]
        after = tuples([next((m[i][j] for m in made if m[i][j] != g[i][j]), g[i][j]) for j in range(len(g[0]))]
                       for i in range(len(g)))
        if after == tuples(g):
            return after
        g = after
    raise Failed


def cell_grow(g, rule, factors):
    b, decide = reader(g, rule)
    tall, wide = factors
    if not (1 <= tall <= 30 and 1 <= wide <= 30):
        raise Failed
    rows = []
    for i in range(b.h * tall):
        rows.append([])
        for j in range(b.w * wide):
            b.grown = i, j, tall, wide
            rows[-1].append(decide(rule, i // tall, j // wide))
    return tuples(rows)


def grown_place(b, i, j):
    """Row and column in the larger grid, and the factors."""
    return b.grown or (i, j, 1, 1)


@feature('TILE_COLOR', 'TILE_MIRROR_COLUMNS', 'TILE_MIRROR_ROWS', 'TILE_MIRROR_BOTH')
def tile_color(b, k):
    upright, across = b.g, [row[::-1] for row in b.g]
    tiles = {(0, 0): upright, (0, 1): across, (1, 0): upright[::-1], (1, 1): across[::-1]}

    def color(i, j):
        i, j = grown_place(b, i, j)[:2]
        which = (i // b.h % 2 if k & 2 else 0), (j // b.w % 2 if k & 1 else 0)
        return tiles[which][i % b.h][j % b.w]
    return color


@feature('TILE_ROW', 'TILE_COLUMN')
def tile_at(b, k):
    return lambda i, j: clip(grown_place(b, i, j)[k] // (b.h, b.w)[k])


@feature('BLOCK_ROW', 'BLOCK_COLUMN', 'BLOCK_BELOW', 'BLOCK_RIGHT')
def block_at(b, k):
    def value(i, j):
        place = grown_place(b, i, j)
        at, of = place[k % 2], place[2 + k % 2]
        return at % of if k < 2 else of - 1 - at % of
    return value


# What AMONG asks about, by the feature that names it.
DIRECTIONS = {'ABOVE': ('ABOVE', 'RIGHT', 'BELOW', 'LEFT'),
              'ABOVE_RIGHT': ('ABOVE_RIGHT', 'BELOW_RIGHT', 'BELOW_LEFT', 'ABOVE_LEFT'),
              'SEEN_UP': ('SEEN_UP', 'SEEN_RIGHT', 'SEEN_DOWN', 'SEEN_LEFT'),
              'SEEN_UP_RIGHT': ('SEEN_UP_RIGHT', 'SEEN_DOWN_RIGHT', 'SEEN_DOWN_LEFT', 'SEEN_UP_LEFT')}


def reader(g, rule):
    """The analysis of a grid, and a function from a rule and a place to the color."""
    if check_rule(rule) > 64:
        raise Failed
    b = GridAnalysis(g)

    def decide(rule, i, j):
        if rule[0] == 'PAINT':
            return rule[1]
        if rule[0] == 'COPY':
            return FEATURES[rule[1]](b)(i, j)
        if rule[0] == 'MAP':
            x = FEATURES[rule[1]](b)(i, j)
            return next((to for value, to in rule[2] if value == x), x)
        x = FEATURES[rule[0]](b)(i, j)
        if rule[1] == 'AMONG':
            return decide(rule[3] if any(FEATURES[f](b)(i, j) == rule[2] for f in DIRECTIONS[rule[0]]) else rule[4], i, j)
        y = FEATURES[rule[2]](b)(i, j) if rule[1] in ('SAME', 'MORE') else rule[2]
        return decide(rule[3] if (x > y if rule[1] in ('OVER', 'MORE') else x == y) else rule[4], i, j)
    return b, decide


def paths(b):
    """For every cell of a path the whole path, from an end to the other."""
    found = {}
    for mcomp in b.once(mcomps)[0]:
        cells = set(mcomp.cells)

        def leads(k, m):
            di, dj = abs(k[0] - m[0]), abs(k[1] - m[1])
            return di + dj == 1 or (di == dj == 1 and (k[0], m[1]) not in cells and (m[0], k[1]) not in cells)

        to = {k: [m for m in cells if leads(k, m)] for k in cells}
        ends = [k for k in cells if len(to[k]) == 1]
        if len(ends) != 2 or any(len(m) > 2 for m in to.values()):
            continue
        path = [ends[0]]
        while len(path) < len(cells):
            path.append(next(m for m in to[path[-1]] if m not in path))
        found.update({k: path for k in path})
    return found


@feature('PATH_REVERSED', 'PATH_STEPS', 'PATH_MOD2')
def along_path(b, k):
    found = b.once(paths)

    def value(i, j):
        path = found.get((i, j))
        if path is None:
            return -1
        n = path.index((i, j))
        other = path[len(path) - 1 - n]
        far = min(n, len(path) - 1 - n)
        return (b.g[other[0]][other[1]], clip(far), far % 2)[k]
    return value

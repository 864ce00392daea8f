"""Slow models of the mosaic primitives and of grid_number, after what `batt prims` says of them."""
from collections import Counter

from grids import (AROUND, SIDES, Failed, cells_of, connected, flat, background_of, is_grid, is_int, least_frequent,
                   most_frequent, tuples)
from objects import turned

MAX_CELLS = 1024


def checked(g):
    if not is_grid(g) or len(g) * len(g[0]) > MAX_CELLS or any(not 0 <= c <= 9 for c in flat(g)):
        raise Failed
    return g


def turn(g, how):
    cells, h, w = turned(({(i, j): g[i][j] for i, j in cells_of(g)}, len(g), len(g[0])), how)
    return [[cells[i, j] for j in range(w)] for i in range(h)]


def mosaic_join(first, second, how, rule):
    checked(first), checked(second)
    if not is_int(how) or not 0 <= how <= 3:
        raise Failed
    if not (isinstance(rule, tuple) and len(rule) == 4 and all(is_int(x) for x in rule)):
        raise Failed
    test, number, yes, no = rule
    if not (0 <= test <= 2 and -2 <= number <= 9 and 0 <= yes <= 11 and 0 <= no <= 11):
        raise Failed
    (h, w), (h2, w2) = (len(first), len(first[0])), (len(second), len(second[0]))
    if how == 0 and (h, w) != (h2, w2) or how == 1 and (h2 % h or w2 % w) or how == 3 and (h % h2 or w % w2):
        raise Failed
    high, wide = {0: (h, w), 1: (h2, w2), 2: (h * h2, w * w2), 3: (h, w)}[how]
    if high * wide > MAX_CELLS:
        raise Failed
    of = flat(second if test == 1 else first)
    number = most_frequent(of) if number == -1 else least_frequent(of) if number == -2 else number
    made = []
    for i in range(high):
        made.append([])
        for j in range(wide):
            a = first[i * h // high][j * w // wide]
            b = second[i % h2][j % w2]
            met = a == b if test == 2 else (b if test == 1 else a) == number
            color = yes if met else no
            made[-1].append(a if color == 10 else b if color == 11 else color)
    return tuples(made)


def mosaic_blocks(g, blocks):
    checked(g)
    if not is_grid(blocks) or any(not 0 <= c <= 9 for c in flat(blocks)):
        raise Failed
    h, w, background = len(g), len(g[0]), background_of(g)
    if len(blocks) * h * len(blocks[0]) * w > MAX_CELLS:
        raise Failed
    main = most_frequent(flat(g), (background,))

    def block(how):
        if how == 8:
            return [[background] * w for _ in range(h)]
        if how == 9:
            if main < 0:
                return [[background] * w for _ in range(h)]
            return [[main if c == background else background for c in row] for row in g]
        made = turn(g, how)
        if len(made) != h or len(made[0]) != w:
            raise Failed
        return made

    rows = []
    for line in blocks:
        made = [block(how) for how in line]
        rows += [[c for b in made for c in b[i]] for i in range(h)]
    return tuples(rows)


def mosaic_sum(g, size, how):
    checked(g)
    if not (isinstance(size, tuple) and len(size) == 2 and all(is_int(x) for x in size)) or not is_int(how):
        raise Failed
    if not 0 <= how <= 4 or min(size) < 1:
        raise Failed
    background = background_of(g)

    def cut(n, k):
        gap = int(n % k != 0)
        length = (n - gap * (k - 1)) // k
        if length < 1 or length * k + gap * (k - 1) != n:
            raise Failed
        return [range(x * (length + gap), x * (length + gap) + length) for x in range(k)]

    def summed(cells):
        foreground = [c for c in cells if c != background]
        if how == 0:
            return most_frequent(foreground) if foreground else background
        if how == 1:
            return least_frequent(foreground) if foreground else background
        if how == 2:
            return most_frequent(cells)
        return min(9, len(foreground) if how == 3 else len(set(foreground)))

    return tuples([summed([g[i][j] for i in a for j in b]) for b in cut(len(g[0]), size[1])] for a in cut(len(g), size[0]))


def mosaic_pile(grids, how, order):
    if not isinstance(grids, tuple) or not 1 <= len(grids) <= 128 or not is_int(how) or not 0 <= how <= 5:
        raise Failed
    if not isinstance(order, tuple) or any(not is_int(c) or not 0 <= c <= 9 for c in order) or len(set(order)) != len(order):
        raise Failed
    for g in grids:
        checked(g)
    if len({(len(g), len(g[0])) for g in grids}) != 1:
        raise Failed
    every = [c for g in grids for c in flat(g)]
    background = 0 if 0 in every else most_frequent(every)

    def piled(cells):
        if how == 3:
            return min(9, sum(c != background for c in cells))
        if how >= 4:
            return next((c for c in (cells if how == 4 else reversed(cells)) if c != background), background)
        counts = Counter(cells)
        key = {0: lambda c: order.index(c) if c in order else len(order), 1: lambda c: -counts[c],
               2: lambda c: counts[c]}[how]
        return min(cells, key=key)  # the first of equals

    return tuples([piled([g[i][j] for g in grids]) for j in range(len(grids[0][0]))] for i in range(len(grids[0])))


# ---- numbers of grids ----

def numbers_of(g):
    background, every = background_of(g), flat(g)
    foreground = [k for k in cells_of(g) if g[k[0]][k[1]] != background]
    foreground_colors = [g[i][j] for i, j in foreground]
    h, w = len(g), len(g[0])
    same = lambda a, b: g[a[0]][a[1]] == g[b[0]][b[1]]
    components = connected(foreground, SIDES, same)
    largest = max(components, key=len) if components else None
    main, rarest = most_frequent(foreground_colors), least_frequent(foreground_colors)

    def half(places, n):
        if not places:
            return 1
        twice = 2 * sum(places) - (n - 1) * len(places)
        return 0 if twice < 0 else 2 if twice > 0 else 1

    def stays(how):
        return int(tuples(turn(g, how)) == g)

    found = {
        'HEIGHT': h, 'WIDTH': w, 'COLORS': len(set(every)), 'FOREGROUND_COLORS': len(set(foreground_colors)), 'FOREGROUND_CELLS': len(foreground),
        'COMPONENTS': len(components), 'COMPONENTS8': len(connected(foreground, AROUND, same)),
        'MULTICOLOR_COMPONENTS': len(connected(foreground, AROUND, lambda a, b: True)),
        'REGIONS': len(connected([k for k in cells_of(g) if g[k[0]][k[1]] == background], SIDES, same)),
        'MAIN': main, 'RAREST': rarest, 'BACKGROUND': background, 'MAIN_CELLS': foreground_colors.count(main),
        'RAREST_CELLS': foreground_colors.count(rarest), 'LARGEST': len(largest) if largest else 0,
        'LARGEST_COLOR': g[min(largest)[0]][min(largest)[1]] if largest else -1, 'CORNER': g[0][0],
        'MIDDLE': g[h // 2][w // 2], 'TALL': (h > w) - (h < w), 'MIRRORED_COLUMNS': stays(4), 'MIRRORED_ROWS': stays(5),
        'DIAGONAL': stays(6), 'HALF_TURN': stays(2), 'FOREGROUND_ROW': half([i for i, _ in foreground], h),
        'FOREGROUND_COLUMN': half([j for _, j in foreground], w),
    }
    found.update({'CELLS_%d' % c: every.count(c) for c in range(10)})
    return found


def grid_number(g, which):
    return numbers_of(checked(g))[which]

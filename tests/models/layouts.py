"""Slow models of the primitives that lay lists out, after what `batt prims` says of them."""
import random
import sys

import objects
from grids import Failed, is_grid, is_int, tuples

MAX_CELLS = 1024


def pair(v, a, b):
    if not (isinstance(v, tuple) and len(v) == 2 and all(is_int(x) for x in v)):
        raise Failed
    if not (a[0] <= v[0] <= a[1] and b[0] <= v[1] <= b[1]):
        raise Failed
    return v


def rings(h, w):
    """The cells of each ring, the outermost first."""
    left = {(i, j) for i in range(h) for j in range(w)}
    found = []
    while left:
        (top, first), (bottom, last) = min(left), max(left)
        ring = {(i, j) for i, j in left if i in (top, bottom) or j in (first, last)}
        found.append(sorted(ring))
        left -= ring
    return found


def spiral(h, w):
    path, seen, i, j, di, dj = [], set(), 0, 0, 0, 1
    for _ in range(h * w):
        path.append([(i, j)])
        seen.add((i, j))
        if not (0 <= i + di < h and 0 <= j + dj < w) or (i + di, j + dj) in seen:
            di, dj = dj, -di
        i, j = i + di, j + dj
    return path


def places(way, h, w):
    """For each place along the path its cells."""
    row = lambda i, back=False: [[(i, j)] for j in (reversed(range(w)) if back else range(w))]
    column = lambda j, back=False: [[(i, j)] for i in (reversed(range(h)) if back else range(h))]
    every = [(i, j) for i in range(h) for j in range(w)]
    if way == 0:
        return [c for i in range(h) for c in row(i)]
    if way == 1:
        return [c for j in range(w) for c in column(j)]
    if way == 2:
        return [c for i in range(h) for c in row(i, i % 2 == 1)]
    if way == 3:
        return [c for j in range(w) for c in column(j, j % 2 == 1)]
    if way == 4:
        return [[(i, j) for j in range(w)] for i in range(h)]
    if way == 5:
        return [[(i, j) for i in range(h)] for j in range(w)]
    if way in (6, 7):
        return rings(h, w)[::1 if way == 6 else -1]
    if way == 8:
        return [[(k, k)] for k in range(min(h, w))]
    if way == 9:
        return [[(k, w - 1 - k)] for k in range(min(h, w))]
    if way == 10:
        return [[c for c in every if sum(c) == k] for k in range(h + w - 1)]
    if way == 11:
        return [[c for c in every if max(c) == k] for k in range(max(h, w))]
    if way == 12:
        return [[c] for c in every if sum(c) % 2 == 0]
    return spiral(h, w)


def sides(way, runs, h, w):
    if way > 13:
        longest = max([t for _, t in runs], default=0)
        across, along = (h, w) if way < 16 else (w, h)
        across, along = across or len(runs), along or longest
        return (across, along) if way < 16 else (along, across)
    if h and w:
        return h, w
    needed, side = sum(t for _, t in runs), 1
    while (h or side) * (w or side) <= MAX_CELLS and len(places(way, h or side, w or side)) < needed:
        side += 1
    return h or side, w or side


def lay_runs(runs, size, path, colors):
    if not isinstance(runs, tuple) or len(runs) > 256:
        raise Failed
    for run in runs:
        pair(run, (0, 9), (0, MAX_CELLS))
    h, w = pair(size, (0, MAX_CELLS), (0, MAX_CELLS))
    way, again = pair(path, (0, 17), (0, 1))
    foreground, rest = pair(colors, (-1, 9), (0, 9))
    h, w = sides(way, runs, h, w)
    if h * w == 0 or h * w > MAX_CELLS:
        raise Failed
    g = [[rest] * w for _ in range(h)]
    if way > 13:
        for k in range(h if way < 16 else w):
            if not runs or (k >= len(runs) and not again):
                continue
            color, times = runs[k % len(runs)]
            for x in range(min(times, w if way < 16 else h)):
                i, j = {14: (k, x), 15: (k, w - 1 - x), 16: (h - 1 - x, k), 17: (x, k)}[way]
                g[i][j] = color if foreground < 0 else foreground
        return tuples(g)
    line = [(color if foreground < 0 else foreground) for color, times in runs for _ in range(times)]
    for k, cells in enumerate(places(way, h, w)):
        if line and (k < len(line) or again):
            for i, j in cells:
                g[i][j] = line[k % len(line)]
    return tuples(g)


def lay_grids(grids, how, rest):
    if not isinstance(grids, tuple) or not 1 <= len(grids) <= 256:
        raise Failed
    way, gap = pair(how, (0, 10), (0, 3))
    if not is_int(rest) or not 0 <= rest <= 9:
        raise Failed
    for g in grids:
        if not is_grid(g) or any(not 0 <= c <= 9 for row in g for c in row) or len(g) * len(g[0]) > MAX_CELLS:
            raise Failed
    hs, ws = [len(g) for g in grids], [len(g[0]) for g in grids]
    high, wide, n = max(hs), max(ws), len(grids)
    across = next(k for k in range(1, n + 1) if k * k >= n)
    corners = []
    for k in range(n):
        down, right = sum(hs[:k]) + k * gap, sum(ws[:k]) + k * gap
        space = lambda all_of, size, flush: (0, (all_of - size) // 2, all_of - size)[flush]
        if way < 3:
            corners.append((space(high, hs[k], way), right))
        elif way < 6:
            corners.append((down, space(wide, ws[k], way - 3)))
        elif way == 6:
            corners.append((down, right))
        elif way == 7:
            corners.append((sum(hs[k + 1:]) + (n - 1 - k) * gap, right))
        elif way == 8:
            corners.append((0, 0))
        elif way == 9:
            corners.append((space(high, hs[k], 1), space(wide, ws[k], 1)))
        else:
            corners.append((k // across * (high + gap), k % across * (wide + gap)))
    h = max(i + x for (i, _), x in zip(corners, hs))
    w = max(j + x for (_, j), x in zip(corners, ws))
    if way == 10:
        h, w = -(-n // across) * (high + gap) - gap, across * (wide + gap) - gap
    if h * w > MAX_CELLS:
        raise Failed
    result = [[rest] * w for _ in range(h)]
    for (i, j), g in zip(corners, grids):
        for a, row in enumerate(g):
            for b, c in enumerate(row):
                if c != rest:
                    result[i + a][j + b] = c
    return tuples(result)


def listed(grid, segmentation, conditions, how):
    """The chosen objects in their order, each with how often it stands there."""
    order, down, _, times = how
    s = objects.Scene(grid, *segmentation)
    value = lambda o, attribute: o.known[objects.ATTRIBUTES[attribute]]
    chosen = sorted(objects.meeting(s, conditions), key=lambda o: -value(o, order) if down else value(o, order))
    return s, [(o, 1 if times < 0 else max(0, value(o, times))) for o in chosen]


def object_runs(grid, segmentation, conditions, how):
    _, chosen = listed(grid, segmentation, conditions, how)
    return tuple((o.known[objects.ATTRIBUTES[how[2]]], times) for o, times in chosen)


def object_grids(grid, segmentation, conditions, how):
    s, chosen = listed(grid, segmentation, conditions, how)
    if sum(times for _, times in chosen) > 256:
        raise Failed
    return tuple(objects.cut_out(s, o, how[2]) for o, times in chosen for _ in range(times))


# ---- random calls ----

def random_runs(rng):
    often = rng.choice((1, 3, 6))
    return tuple((rng.randrange(10), rng.randint(0 if rng.random() < 0.2 else 1, often)) for _ in range(rng.randint(0, 6)))


def random_lay_runs(rng):
    side = lambda: rng.choice((0, rng.randint(1, 7)))
    return (random_runs(rng), (side(), side()), (rng.randint(0, 17 + (rng.random() < 0.05)), rng.choice((0, 0, 1))),
            (rng.choice((-1, -1, rng.randrange(10))), rng.choice((0, 0, rng.randrange(10)))))


def random_lay_grids(rng):
    def picture():
        h, w = rng.randint(1, 4), rng.randint(1, 4)
        return tuples([rng.choice((0, 0, rng.randrange(10))) for _ in range(w)] for _ in range(h))
    return (tuple(picture() for _ in range(rng.randint(0 if rng.random() < 0.05 else 1, 6))),
            (rng.randint(0, 10 + (rng.random() < 0.05)), rng.randint(0, 3)), rng.choice((0, rng.randrange(10))))


def random_list(rng, whats):
    conditions = tuple(objects.random_condition(rng) for _ in range(rng.choice((0, 1))))
    how = (rng.randrange(len(objects.ATTRIBUTES)), rng.randrange(2), rng.randrange(whats),
           rng.choice((-1, rng.randrange(len(objects.ATTRIBUTES)))))
    return (objects.random_grid(rng), (rng.randrange(len(objects.SEGMENTATIONS)), rng.choice((-2, -1, -1, 0))), conditions, how)


CALLS = {
    'lay_runs': (lay_runs, random_lay_runs),
    'lay_grids': (lay_grids, random_lay_grids),
    'object_runs': (object_runs, lambda rng: random_list(rng, len(objects.ATTRIBUTES))),
    'object_grids': (object_grids, lambda rng: random_list(rng, 4)),
}


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for k in range(int(sys.argv[2]) if len(sys.argv) > 2 else 400):
        name = list(CALLS)[k % len(CALLS)]
        model, arguments = CALLS[name]
        args = arguments(rng)
        try:
            value = repr(model(*args))
        except (Failed, objects.Fail):
            value = '!'
        print('%s(%s)\t%s' % (name, ', '.join(map(repr, args)), value))


if __name__ == '__main__':
    main()

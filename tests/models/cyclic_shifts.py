"""A slow model of grid_roll, after what `batt prims` says of it: lines are lists of cells that are turned."""
from grids import Failed, cells_of, flat, background_of, is_grid, is_int, tuples

MAX_CELLS = 1024


def rings_of(h, w):
    """Lists of cells, clockwise from the upper left corner."""
    top, left, bottom, right = 0, 0, h - 1, w - 1
    rings = []
    while top <= bottom and left <= right:
        if top == bottom:
            ring = [(top, j) for j in range(left, right + 1)]
        elif left == right:
            ring = [(i, left) for i in range(top, bottom + 1)]
        else:
            ring = ([(top, j) for j in range(left, right)] + [(i, right) for i in range(top, bottom)]
                    + [(bottom, j) for j in range(right, left, -1)] + [(i, left) for i in range(bottom, top, -1)])
        rings.append(ring)
        top, left, bottom, right = top + 1, left + 1, bottom - 1, right - 1
    return rings


def grid_roll(g, mode, steps):
    if not is_grid(g) or len(g) * len(g[0]) > MAX_CELLS or any(not 0 <= c <= 9 for c in flat(g)):
        raise Failed
    if not is_int(mode) or not 0 <= mode <= 8:
        raise Failed
    listed = isinstance(steps, tuple) and len(steps) > 0 and all(is_int(s) for s in steps) and mode in (0, 1, 5, 6)
    if not is_int(steps) and not listed:
        raise Failed
    of_line = lambda k: steps[k % len(steps)] if listed else steps
    h, w = len(g), len(g[0])
    rows = [[(i, j) for j in range(w)] for i in range(h)]
    columns = [[(i, j) for i in range(h)] for j in range(w)]
    if mode <= 4:
        lines = {0: rows, 1: columns, 2: rings_of(h, w), 3: rows, 4: columns}[mode]
        new = [list(r) for r in g]
        for k, line in enumerate(lines):
            far = steps * k if mode >= 3 else of_line(k)
            for n, (i, j) in enumerate(line):
                to = line[(n + far) % len(line)]
                new[to[0]][to[1]] = g[i][j]
        return tuples(new)
    high, wide = h, w
    if mode == 7:
        wide += abs(steps) * (h - 1)
    if mode == 8:
        high += abs(steps) * (w - 1)
    if high * wide > MAX_CELLS:
        raise Failed
    new = [[background_of(g) if mode <= 6 else 0] * wide for _ in range(high)]
    for i, j in cells_of(g):
        k, last = (i, h - 1) if mode in (5, 7) else (j, w - 1)
        far = of_line(k) if mode <= 6 else steps * k if steps >= 0 else -steps * (last - k)
        a, b = (i, j + far) if mode in (5, 7) else (i + far, j)
        if 0 <= a < high and 0 <= b < wide:
            new[a][b] = g[i][j]
    return tuples(new)

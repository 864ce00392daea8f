"""Slow models of local_split and local_join, written after what `batt prims local_split` says.

    python3 tests/models/local.py [SEED [CALLS]]     lines EXPRESSION<TAB>VALUE of random calls

A call that fails has the value `!`. Panels are those of panel_grids and are modelled with it, not here.
Compare: batt eval --vectors on the lines."""
import random
import sys


class Fail(Exception):
    pass


def ground_of(grid):
    cells = [c for row in grid for c in row]
    return 0 if 0 in cells else min(set(cells), key=lambda c: (-cells.count(c), c))


def groups(grid, joined, steps):
    """Cells that hang together, in the order of their first cells."""
    seen, found = set(), []
    for i, row in enumerate(grid):
        for j, _ in enumerate(row):
            if (i, j) in seen or not joined((i, j), (i, j)):
                continue
            group, edge = set(), [(i, j)]
            while edge:
                a = edge.pop()
                if a in group:
                    continue
                group.add(a)
                for di, dj in steps:
                    b = (a[0] + di, a[1] + dj)
                    if 0 <= b[0] < len(grid) and 0 <= b[1] < len(grid[0]) and joined(a, b):
                        edge.append(b)
            seen |= group
            found.append(group)
    return found


SIDES = [(0, 1), (1, 0), (0, -1), (-1, 0)]
ALL = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]


def box_of(cells):
    rows, columns = [c[0] for c in cells], [c[1] for c in cells]
    return min(rows), max(rows), min(columns), max(columns)


def within(a, b):
    return a[0] >= b[0] and a[1] <= b[1] and a[2] >= b[2] and a[3] <= b[3]


def cross(a, b):
    return a[0] <= b[1] and b[0] <= a[1] and a[2] <= b[3] and b[2] <= a[3]


def runs(flags):
    out, start = [], None
    for k, flag in enumerate(flags + [False]):
        if flag and start is None:
            start = k
        elif not flag and start is not None:
            out.append((start, k - 1))
            start = None
    return out


def boxes(grid, how):
    ground, h, w = ground_of(grid), len(grid), len(grid[0])
    color = lambda c: grid[c[0]][c[1]]
    blobs = groups(grid, lambda a, b: color(a) != ground and color(b) != ground, ALL)
    parts = [g for g in groups(grid, lambda a, b: color(a) == color(b), SIDES) if color(min(g)) != ground]
    if how == 1:
        found = [box_of(g) for g in blobs]
    elif how == 2:
        found = [box_of(g) for g in parts]
    elif how == 3:
        found = []
        for g in parts:
            top, bottom, left, right = box_of(g)
            rim = {(i, j) for i in range(top, bottom + 1) for j in range(left, right + 1)
                   if i in (top, bottom) or j in (left, right)}
            if bottom - top >= 2 and right - left >= 2 and g == rim:
                found.append((top + 1, bottom - 1, left + 1, right - 1))
    elif how == 4:
        found = [(i, i, 0, w - 1) for i in range(h)]
    elif how == 5:
        found = [(0, h - 1, j, j) for j in range(w)]
    elif how == 6:
        found = [(a, b, 0, w - 1) for a, b in runs([any(c != ground for c in row) for row in grid])]
    else:
        found = [(0, h - 1, a, b) for a, b in runs([any(row[j] != ground for row in grid) for j in range(w)])]
    if not found or len(found) > 64:
        raise Fail
    outer = [a for k, a in enumerate(found)
             if not any(x != k and within(a, b) and (not within(b, a) or x < k) for x, b in enumerate(found))]
    if any(cross(a, b) for k, a in enumerate(outer) for b in outer[:k]):
        raise Fail
    return outer


def local_split(grid, how):
    return tuple(tuple(tuple(grid[i][left:right + 1]) for i in range(top, bottom + 1))
                 for top, bottom, left, right in boxes(grid, how))


def local_join(grid, how, pieces):
    places = boxes(grid, how)
    if len(places) != len(pieces):
        raise Fail
    to = [list(row) for row in grid]
    for (top, bottom, left, right), piece in zip(places, pieces):
        if len(piece) != bottom - top + 1 or len(piece[0]) != right - left + 1:
            raise Fail
        for i, row in enumerate(piece):
            to[top + i][left:right + 1] = row
    return tuple(map(tuple, to))


def draw(rng):
    h, w = rng.randint(1, 12), rng.randint(1, 12)
    ground = rng.choice([0, 0, 0, rng.randint(0, 9)])
    grid = [[ground] * w for _ in range(h)]
    for _ in range(rng.randint(0, 5)):
        top, left = rng.randrange(h), rng.randrange(w)
        bottom, right = min(h - 1, top + rng.randint(0, 5)), min(w - 1, left + rng.randint(0, 5))
        color, hollow = rng.randint(0, 9), rng.random() < 0.5
        for i in range(top, bottom + 1):
            for j in range(left, right + 1):
                if not hollow or i in (top, bottom) or j in (left, right):
                    grid[i][j] = color
    return tuple(map(tuple, grid))


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    text = ""
    for k in range(int(sys.argv[2]) if len(sys.argv) > 2 else 200):
        grid, how = draw(rng), rng.randint(1, 7)
        try:
            if k % 2:
                pieces = [tuple(tuple(rng.randint(0, 9) for _ in row) for row in p) for p in local_split(grid, how)]
                if rng.random() < 0.1:
                    pieces = pieces[1:] if rng.random() < 0.5 else pieces[:-1] + [((1, 2, 3), (4, 5, 6))]
                text = "local_join(%r, %d, %r)" % (grid, how, tuple(pieces))
                value = local_join(grid, how, pieces)
            else:
                text = "local_split(%r, %d)" % (grid, how)
                value = local_split(grid, how)
        except Fail:
            if k % 2 and not text.startswith("local_join"):
                text = "local_join(%r, %d, (((1,),),))" % (grid, how)
            value = "!"
        print("%s\t%s" % (text, value if value == "!" else repr(value)))
        text = ""


if __name__ == "__main__":
    main()

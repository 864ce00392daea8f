"""Slow models of local_split, local_join and local_lay, written after what `batt prims local_split` says.

    python3 tests/models/local.py [SEED [CALLS]]     lines EXPRESSION<TAB>VALUE of random calls

A call that fails has the value `!`. Compare: batt eval --vectors on the lines."""
import random
import sys

import panels
from grids import Failed as Fail


def background_of(grid):
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
    """The boxes of ways 0 to 7."""
    background, h, w = background_of(grid), len(grid), len(grid[0])
    color = lambda c: grid[c[0]][c[1]]
    mcomps = groups(grid, lambda a, b: color(a) != background and color(b) != background, ALL)
    components = [g for g in groups(grid, lambda a, b: color(a) == color(b), SIDES) if color(min(g)) != background]
    if how == 0:
        down, right = panels.dividing(grid)
        found = [(r[0], r[-1], c[0], c[-1]) for r in down for c in right]
    elif how == 1:
        found = [box_of(g) for g in mcomps]
    elif how == 2:
        found = [box_of(g) for g in components]
    elif how == 3:
        found = []
        for g in components:
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
        found = [(a, b, 0, w - 1) for a, b in runs([any(c != background for c in row) for row in grid])]
    else:
        found = [(0, h - 1, a, b) for a, b in runs([any(row[j] != background for row in grid) for j in range(w)])]
    if not found or len(found) > 64:
        raise Fail
    outer = [a for k, a in enumerate(found)
             if not any(x != k and within(a, b) and (not within(b, a) or x < k) for x, b in enumerate(found))]
    if any(cross(a, b) for k, a in enumerate(outer) for b in outer[:k]):
        raise Fail
    return outer


def areas(grid, wall):
    return groups(grid, lambda a, b: grid[a[0]][a[1]] != wall and grid[b[0]][b[1]] != wall, SIDES)


def period(flags):
    """After how many flags they come again, at least twice."""
    if len(set(flags)) == 2:
        for k in range(2, len(flags) // 2 + 1):
            if flags[k:] == flags[:-k]:
                return k
    return 1


def places(grid, how):
    """For each piece: its cells in rows, which of them are its own (None: by color), and what others look like."""
    background, h, w = background_of(grid), len(grid), len(grid[0])
    flat = [c for row in grid for c in row]
    foreground_colors = sorted(set(flat) - {background}, key=lambda c: (-flat.count(c), c))
    block = lambda box: [[(i, j) for j in range(box[2], box[3] + 1)] for i in range(box[0], box[1] + 1)]
    found = []
    if how <= 7:
        found = [(block(box), set(sum(block(box), [])), 0) for box in boxes(grid, how)]
    elif how == 8:
        shut = [(-len(a), wall, min(a), a) for wall in sorted(foreground_colors) for a in areas(grid, wall)
                if not any(i in (0, h - 1) or j in (0, w - 1) for i, j in a)]
        if len(shut) > 64:
            raise Fail
        for _, wall, _, area in sorted(shut, key=lambda x: x[:3]):
            if not any(area & own for _, own, _ in found):
                found.append((block(box_of(area)), area, wall))
    elif how == 9:
        found = [(block(box_of(a)), a, foreground_colors[0]) for a in areas(grid, foreground_colors[0])] if foreground_colors else []
    elif how == 10:
        down = period([set(row) == {background} for row in grid])
        right = period([{row[j] for row in grid} == {background} for j in range(w)])
        for i in range(down if down * right > 1 else 0):
            for j in range(right):
                cells = [[(a, b) for b in range(j, w, right)] for a in range(i, h, down)]
                found.append((cells, set(sum(cells, [])), 0))
    else:
        found = [(block((0, h - 1, 0, w - 1)), None, c) for c in foreground_colors]
    if not found or len(found) > 64:
        raise Fail
    return found


def local_split(grid, how):
    background = background_of(grid)
    look = lambda own, blank, i, j: (grid[i][j] if grid[i][j] == blank else background) if own is None else \
        grid[i][j] if (i, j) in own else blank
    return tuple(tuple(tuple(look(own, blank, i, j) for i, j in row) for row in cells)
                 for cells, own, blank in places(grid, how))


def local_join(grid, how, pieces):
    found, background = places(grid, how), background_of(grid)
    if len(found) != len(pieces):
        raise Fail
    to = [list(row) if how != 11 else [background] * len(row) for row in grid]
    for (cells, own, _), piece in zip(found, pieces):
        if len(piece) != len(cells) or len(piece[0]) != len(cells[0]):
            raise Fail
        for row, colors in zip(cells, piece):
            for (i, j), color in zip(row, colors):
                if color != background if own is None else (i, j) in own:
                    to[i][j] = color
    return tuple(map(tuple, to))


def lines(spans):
    """The number of the line that each span is in; spans that share something are in one."""
    number, end = {}, -1
    for a, b in sorted(set(spans)):
        number[a, b] = max(number.values(), default=-1) + (a > end)
        end = max(end, b)
    return [number[s] for s in spans]


def local_lay(grid, how, pieces):
    found = [box_of(sum(cells, [])) for cells, _, _ in places(grid, how)]
    if len(found) != len(pieces):
        raise Fail
    rows, columns = lines([box[:2] for box in found]), lines([box[2:] for box in found])
    table = dict(zip(zip(rows, columns), pieces))
    h, w = max(rows) + 1, max(columns) + 1
    if len(table) != len(pieces) or h * w != len(pieces):
        raise Fail
    if any(len({len(table[r, c]) for c in range(w)}) > 1 for r in range(h)) or \
       any(len({len(table[r, c][0]) for r in range(h)}) > 1 for c in range(w)):
        raise Fail
    return tuple(sum((table[r, c][i] for c in range(w)), ()) for r in range(h) for i in range(len(table[r, 0])))


def draw(rng):
    h, w = rng.randint(1, 12), rng.randint(1, 12)
    background = rng.choice([0, 0, 0, rng.randint(0, 9)])
    grid = [[background] * w for _ in range(h)]
    for _ in range(rng.randint(0, 5)):
        top, left = rng.randrange(h), rng.randrange(w)
        bottom, right = min(h - 1, top + rng.randint(0, 5)), min(w - 1, left + rng.randint(0, 5))
        color, hollow = rng.randint(0, 9), rng.random() < 0.5
        for i in range(top, bottom + 1):
            for j in range(left, right + 1):
                if not hollow or i in (top, bottom) or j in (left, right):
                    grid[i][j] = color
    return tuple(map(tuple, grid))


def lattice(rng):
    """What has panels, slices or a table of things."""
    h, w, down, right = (rng.randint(1, 3) for _ in range(4))
    rows, columns = rng.randint(2, 4), rng.randint(2, 4)
    line, pick = rng.choice([0, 0, 5]), rng.sample(range(10), 3)
    width = columns * (w + right) - rng.choice([0, right])
    return tuple(tuple(rng.choice(pick) if i % (h + down) < h and j % (w + right) < w else line
                       for j in range(width))
                 for i in range(rows * (h + down) - down))


def some(rng, h, w):
    return tuple(tuple(rng.randint(0, 9) for _ in range(w)) for _ in range(h))


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for k in range(int(sys.argv[2]) if len(sys.argv) > 2 else 200):
        grid, how = rng.choice([draw, draw, lattice])(rng), rng.randint(0, 11)
        name, more = ('local_split', 'local_join', 'local_lay')[k % 3], ()
        try:
            pieces = local_split(grid, how)
            if name == 'local_join':
                pieces = tuple(some(rng, len(p), len(p[0])) for p in pieces)
            h, w = rng.randint(1, 3), rng.randint(1, 3)
            if name == 'local_lay':
                pieces = tuple(some(rng, h, w) for _ in pieces)
        except Fail:
            pieces = (((1,),),)
        if name != 'local_split':
            if rng.random() < 0.1:
                pieces = pieces[1:] if rng.random() < 0.5 else pieces[:-1] + (((1, 2, 3), (4, 5, 6)),)
            more = (pieces,)
        try:
            value = repr(globals()[name](grid, how, *more))
        except Fail:
            value = "!"
        print("%s(%s)\t%s" % (name, ", ".join(map(repr, (grid, how) + more)), value))


if __name__ == "__main__":
    main()

"""What the slow models share: grids are tuples of rows, colors 0 to 9, (i, j) is row and column."""
from collections import Counter

SIDES = [(-1, 0), (0, 1), (1, 0), (0, -1)]  # clockwise from above
CORNERS = [(-1, 1), (1, 1), (1, -1), (-1, -1)]
AROUND = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]


class Failed(Exception):
    """What the language writes as !."""


def is_int(v):
    return isinstance(v, int)


def is_grid(v):
    return (isinstance(v, tuple) and len(v) > 0 and all(isinstance(r, tuple) and len(r) > 0 for r in v)
            and len({len(r) for r in v}) == 1 and all(is_int(c) and -128 <= c <= 127 for r in v for c in r))


def cells_of(g):
    return [(i, j) for i in range(len(g)) for j in range(len(g[0]))]


def at(g, i, j, outside=-1):
    return g[i][j] if 0 <= i < len(g) and 0 <= j < len(g[0]) else outside


def tuples(rows):
    return tuple(tuple(r) for r in rows)


def most_frequent(colors, but=()):
    """Of equals the smallest; -1: none."""
    counts = Counter(c for c in colors if c not in but)
    return min(counts, key=lambda c: (-counts[c], c)) if counts else -1


def least_frequent(colors, but=()):
    counts = Counter(c for c in colors if c not in but)
    return min(counts, key=lambda c: (counts[c], c)) if counts else -1


def flat(g):
    return [c for row in g for c in row]


def background_of(g):
    return 0 if 0 in flat(g) else most_frequent(flat(g))


def connected(cells, near, alike):
    """Sets of cells, in the order of their first cells; `cells` are in reading order."""
    left, found = set(cells), []
    for first in cells:
        if first not in left:
            continue
        part, todo = {first}, [first]
        left.discard(first)
        while todo:
            i, j = todo.pop()
            for di, dj in near:
                k = (i + di, j + dj)
                if k in left and alike((i, j), k):
                    left.discard(k)
                    part.add(k)
                    todo.append(k)
        found.append(part)
    return found


def box(cells):
    """top, left, bottom, right"""
    return (min(i for i, _ in cells), min(j for _, j in cells), max(i for i, _ in cells), max(j for _, j in cells))


def runs_between(lines, n):
    """What lies between the lines, as ranges of 0..n-1."""
    found, start = [], None
    for k in range(n + 1):
        if k < n and k not in lines:
            start = k if start is None else start
        elif start is not None:
            found.append(range(start, k))
            start = None
    return found


def full_lines(g, color):
    rows = {i for i in range(len(g)) if set(g[i]) == {color}}
    columns = {j for j in range(len(g[0])) if {row[j] for row in g} == {color}}
    return rows, columns


def panels_of(g):
    """Panels between lines of the color but background that has most of them: rows and columns as ranges."""
    background = background_of(g)
    best, maximum = None, 0
    for color in range(10):
        rows, columns = full_lines(g, color)
        if color != background and len(rows) + len(columns) > maximum:
            best, maximum = color, len(rows) + len(columns)
    return best

"""Panels, what lies between rows and columns of one color: `batt prims panel_sum`, panel_paint, panel_grids."""
from grids import *

MAX_CELLS, MAX_PANELS = 1024, 256


def check(g):
    if not is_grid(g) or len(g) * len(g[0]) > MAX_CELLS or any(not 0 <= c <= 9 for c in flat(g)):
        raise Failed


def between(g, color):
    """Rows and columns of panels, as ranges, between the lines of a color."""
    rows, columns = full_lines(g, color)
    return runs_between(rows, len(g)), runs_between(columns, len(g[0]))


def panels(g):
    """Between lines of the color but background that has most of them, or else of background."""
    check(g)
    color = panels_of(g)
    rows, columns = between(g, background_of(g) if color is None else color)
    if not 1 <= len(rows) * len(columns) <= MAX_PANELS:
        raise Failed
    return rows, columns


def panel_sum(g, how):
    if not is_int(how) or not 0 <= how <= 4:
        raise Failed
    rows, columns = panels(g)
    background = background_of(g)
    inside = [[[g[i][j] for i in r for j in c] for c in columns] for r in rows]
    busy = lambda cells: sum(x != background for x in cells)

    def total(cells):
        if how in (0, 1):
            color = (most_frequent, least_frequent)[how](cells, {background})
            return color if color != -1 else background
        if how == 2:
            return min(127, busy(cells))
        if how == 3:
            return len(set(cells) - {background})
        return min(127, sum(busy(other) > busy(cells) for line in inside for other in line))
    return tuples([total(cells) for cells in line] for line in inside)


def panel_paint(small, reference):
    check(small)
    rows, columns = panels(reference)
    if (len(small), len(small[0])) != (len(rows), len(columns)):
        raise Failed
    new = [list(r) for r in reference]
    for x, r in enumerate(rows):
        for y, c in enumerate(columns):
            for i in r:
                for j in c:
                    new[i][j] = small[x][y]
    return tuples(new)


def dividing(g):
    """Rows and columns of the panels of panel_grids, as ranges."""
    check(g)
    background, main = background_of(g), most_frequent(flat(g))
    found = {}
    for color in range(10):
        rows, columns = between(g, color)
        if 2 <= len(rows) * len(columns) <= MAX_PANELS:
            first = 0 if color not in (background, main) else 1 if color != main else 2
            lines = sum(len(x) for x in full_lines(g, color))
            found[color] = (first, -lines, color)
    if not found:
        raise Failed
    return between(g, min(found, key=found.get))


def panel_grids(g):
    rows, columns = dividing(g)
    return tuple(tuples([g[i][j] for j in c] for i in r) for r in rows for c in columns)

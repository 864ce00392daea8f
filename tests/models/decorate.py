"""A slow model of pattern_adorn, written after what `batt prims pattern_adorn` says.

    python3 tests/models/decorate.py [SEED [CALLS]]     lines EXPRESSION<TAB>VALUE of random calls"""
import random
import sys

import grids
import rewrite


def blown_up(p, k):
    return tuple(tuple(c for c in row for _ in range(k)) for row in p for _ in range(k))


def named(rule):
    return any(c != -1 for row in rule[0] for c in row) and (
        any(10 in row for row in rule[0]) or not any(10 in row for row in rule[1]))


def place_of(picture, cells, rows):
    """Where the corner of a picture lies if it shows the object; and the object's color, where 10 stands in it."""
    shown = {(i, j): c for i, row in enumerate(picture) for j, c in enumerate(row) if c != -1}
    (top, left), (i, j) = [(min(a for a, _ in x), min(b for _, b in x)) for x in (cells, shown)]
    di, dj = top - i, left - j
    if {(a + di, b + dj) for a, b in shown} != set(cells):
        return None
    colors = {rows[a + di][b + dj] for (a, b), c in shown.items() if c == 10}
    if len(colors) > 1 or any(c != 10 and rows[a + di][b + dj] != c for (a, b), c in shown.items()):
        return None
    return di, dj, min(colors, default=-1)


def pattern_adorn(rows, rules, segmentation, how):
    if not all(map(named, rules)) or not 0 <= segmentation <= 2 or not 0 <= how <= 11:
        raise grids.Failed
    background = grids.background_of(rows)
    foreground = [k for k in grids.cells_of(rows) if rows[k[0]][k[1]] != background]
    objects = grids.connected(foreground, grids.SIDES if segmentation == 0 else grids.AROUND,
                              lambda a, b: segmentation == 2 or rows[a[0]][a[1]] == rows[b[0]][b[1]])
    result = [list(row) for row in rows]
    for first, second in rules:
        for cells in objects:
            for look, put in list(zip(rewrite.turns_of(first), rewrite.turns_of(second)))[:(1, 4, 8)[how % 3]]:
                for k in range(1, 5 if how // 3 % 2 else 2):
                    place = place_of(blown_up(look, k), cells, rows)
                    if place is None:
                        continue
                    for i, row in enumerate(blown_up(put, k)):
                        for j, c in enumerate(row):
                            was = grids.at(rows, i + place[0], j + place[1])
                            if c != -1 and was != -1 and (how < 6 or was == background):
                                result[i + place[0]][j + place[1]] = place[2] if c == 10 else c
    return grids.tuples(result)


def random_call(r):
    """Objects that a rule shows, here and there, turned or enlarged, and some noise."""
    rules = []
    for _ in range(r.randint(1, 2)):
        a, b = r.randint(1, 4), r.randint(1, 4)
        foreground = r.choice(((1,), (2,), (10,), (1, 2), (10, 1)))
        first = tuple(tuple(r.choice((-1, r.choice(foreground))) for _ in range(b)) for _ in range(a))
        second = tuple(tuple(r.choice((-1, 3, 4, 10 if 10 in foreground else 0)) for _ in range(b)) for _ in range(a))
        rules.append((first, second))
    background = r.choice((0, 0, 8))
    h, w = r.randint(3, 12), r.randint(3, 12)
    rows = [[background] * w for _ in range(h)]
    for _ in range(r.randint(1, 4)):
        color = r.randint(1, 3)
        picture = blown_up(r.choice(rewrite.turns_of(r.choice(rules)[0])), r.choice((1, 1, 2, 3)))
        i, j = r.randint(-1, h - 1), r.randint(-1, w - 1)
        for y, row in enumerate(picture):
            for x, c in enumerate(row):
                if c != -1 and 0 <= i + y < h and 0 <= j + x < w:
                    rows[i + y][j + x] = color if c == 10 else c
    for _ in range(r.randint(0, 2)):
        rows[r.randrange(h)][r.randrange(w)] = r.randint(0, 3)
    return grids.tuples(rows), tuple(rules), r.randrange(3), r.randrange(12)


def main():
    r = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 100):
        args = random_call(r)
        try:
            value = repr(pattern_adorn(*args))
        except grids.Failed:
            value = "!"
        print(f"pattern_adorn({', '.join(map(repr, args))})\t{value}")


if __name__ == "__main__":
    main()

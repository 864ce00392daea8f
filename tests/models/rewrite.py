"""A slow model of pattern_rewrite, written after what `batt prims pattern_rewrite` says.

    python3 tests/models/rewrite.py [SEED [CALLS]]     lines EXPRESSION<TAB>VALUE of random calls"""
import random
import sys

import cells


class Fail(Exception):
    pass


def mirrored(p):
    return tuple(row[::-1] for row in p)


def transposed(p):
    return tuple(zip(*p))


def turns_of(p):
    """As stamp_turn numbers them, from 0."""
    quarter = mirrored(transposed(p))
    half = mirrored(transposed(quarter))
    three = mirrored(transposed(half))
    return [p, quarter, half, three, mirrored(p), p[::-1], transposed(p), mirrored(transposed(p))[::-1]]


def one_round(grid, background, legend, rules, turns, in_place):
    h, w = max(grid)[0] + 1, max(grid)[1] + 1
    result = grid if in_place else dict(grid)
    for first, second in rules:
        for look, put in list(zip(turns_of(first), turns_of(second)))[:turns]:
            for i in range(1 - len(look), h):
                for j in range(1 - len(look[0]), w):
                    bound, good = {}, True
                    for y, row in enumerate(look):
                        for x, want in enumerate(row):
                            c = grid.get((i + y, j + x))
                            if want >= 10:
                                good = good and c is not None and c != background and bound.setdefault(want, c) == c
                            elif want >= 0:
                                good = good and c == want
                    paints = {c for row in put for c in row}
                    for c in paints & set(range(16, 22)) if good else ():
                        good = good and legend.get(bound[c - 6], -1) >= 0
                        bound[c] = legend.get(bound[c - 6])
                    for y, row in enumerate(put):
                        for x, c in enumerate(row):
                            if good and c >= 0 and (i + y, j + x) in grid:
                                result[i + y, j + x] = bound.get(c, c)
    return result


def pattern_rewrite(rows, rules, turns, again):
    for first, second in rules:
        painted = {c - 6 if c >= 16 else c for row in second for c in row if c >= 10}
        if not painted <= {c for row in first for c in row}:
            raise Fail
    grid = {(i, j): c for i, row in enumerate(rows) for j, c in enumerate(row)}
    colors = list(grid.values())
    background = 0 if 0 in colors else min(set(colors), key=lambda c: (-colors.count(c), c))
    partners = cells.cell_feature(rows, 'LEGEND')
    legend = {c: p for row, line in zip(rows, partners) for c, p in zip(row, line)}
    for _ in range(64 if again == 1 else 1):
        before, grid = dict(grid), one_round(grid, background, legend, rules, (1, 4, 8)[turns], again == 2)
        if before == grid:
            break
    else:
        if again == 1:
            raise Fail
    return tuple(tuple(grid[i, j] for j in range(len(rows[0]))) for i in range(len(rows)))


def random_call(r):
    h, w = r.randint(1, 8), r.randint(1, 8)
    rows = tuple(tuple(r.choice((0, 0, 0, 1, 2)) for _ in range(w)) for _ in range(h))
    if min(h, w) > 2 and r.random() < 0.5:  # a legend
        lines = [r.sample((1, 2, 3, 4), 2) for _ in range(r.randint(1, min(h - 1, 3)))]
        rows = tuple(tuple((*lines[i], 0, *row[3:]) if i < len(lines) else (0, 0, 0, *row[3:]) if i == len(lines) else row)
                     for i, row in enumerate(rows))
    rules = []
    for _ in range(r.randint(1, 2)):
        a, b = r.randint(1, 3), r.randint(1, 3)
        first = tuple(tuple(r.choice((-1, 0, 1, 2, 10)) for _ in range(b)) for _ in range(a))
        second = tuple(tuple(r.choice((-1, -1, 3, 1, r.choice((10, 16)) if r.random() < 0.4 else 4)) for _ in range(b)) for _ in range(a))
        rules.append((first, second))
    return rows, tuple(rules), r.randrange(3), r.randrange(3)


def main():
    r = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 100):
        args = random_call(r)
        try:
            value = repr(pattern_rewrite(*args))
        except Fail:
            value = "!"
        print(f"pattern_rewrite({', '.join(map(repr, args))})\t{value}")


if __name__ == "__main__":
    main()

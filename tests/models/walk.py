"""Slow models of walk and trail, written after what `batt prims walk trail` says.

    python3 tests/models/walk.py [SEED [CALLS]]     lines EXPRESSION<TAB>VALUE of random calls"""
import random
import sys

HEADINGS = [(-1, 0), (0, 1), (1, 0), (0, -1), (-1, 1), (1, 1), (1, -1), (-1, -1)]
STOP, GO, PASS, LEFT, RIGHT, BOUNCE, SPLIT, HIT, TAKE, HOME = range(10)


def turn(heading, clockwise):
    di, dj = heading
    return (dj, -di) if clockwise else (-dj, di)


def bounce(grid, background, i, j, heading):
    di, dj = heading
    if di == 0 or dj == 0:
        return -di, -dj
    across_i = grid.get((i + di, j)) != background
    across_j = grid.get((i, j + dj)) != background
    if across_i == across_j:
        return -di, -dj
    return (-di, dj) if across_i else (di, -dj)


def steered(grid, background, i, j, heading, action):
    if action == BOUNCE:
        return bounce(grid, background, i, j, heading)
    return turn(heading, action == RIGHT) if action in (LEFT, RIGHT, SPLIT) else heading


def background_of(grid):
    colors = list(grid.values())
    return 0 if 0 in colors else min(set(colors), key=lambda c: (-colors.count(c), c))


def walk(rows, who, headings, table):
    start, behind, paint, arrive = who
    grid = {(i, j): c for i, row in enumerate(rows) for j, c in enumerate(row)}
    background = background_of(grid)
    result = dict(grid)

    def follow(i, j, heading, color, goal, been):
        trail = {}
        later = []
        good = goal is None
        while (i, j, heading) not in been:
            been.add((i, j, heading))
            ahead = (i + heading[0], j + heading[1])
            seen = grid.get(ahead)
            if goal is not None and seen == goal:
                good = True
                break
            action = table[10 if seen is None else seen]
            if action == STOP or (seen is None and action in (GO, PASS, HIT, TAKE)):
                break
            if action == TAKE:
                color = seen
            if action in (GO, PASS, HIT, TAKE):
                i, j = ahead
            if action in (GO, HIT):
                trail[i, j] = color
            if action == HIT:
                break
            if action == SPLIT:
                later.append((i, j, turn(heading, True), color))
            heading = steered(grid, background, i, j, heading, action)
        if good:
            result.update(trail)
        for way in reversed(later):
            follow(*way, goal, been)

    for (i, j), c in sorted(grid.items()):
        if c != start and (start != -1 or c == background):
            continue
        been = set()
        for bit, heading in enumerate(HEADINGS):
            if not headings >> bit & 1:
                continue
            if behind != -1 and grid.get((i - heading[0], j - heading[1])) != behind:
                continue
            goal = None if arrive == -1 else c if arrive == 10 else arrive
            follow(i, j, heading, c if paint == -1 else paint, goal, been)
    return tuple(tuple(result[i, j] for j in range(len(rows[0]))) for i in range(len(rows)))


def trail(rows, who, headings, table):
    start, behind, paint, sees = who
    grid = {(i, j): c for i, row in enumerate(rows) for j, c in enumerate(row)}
    background = background_of(grid)
    last = (len(rows) - 1, len(rows[0]) - 1)
    corners = [(0, 0), (0, last[1]), last, (last[0], 0)]
    table = dict(table)
    painted = {}

    def kind(i, j):
        if (i, j) not in grid:
            return 3
        return 1 if (i, j) in painted else 0 if grid[i, j] == background else 2

    def sight(i, j, heading, home):
        ahead = (i + heading[0], j + heading[1])
        entry = 10 if ahead not in grid else 11 if ahead in painted else grid[ahead]
        if sees == 2:
            return entry + 12 * kind(i + 2 * heading[0], j + 2 * heading[1])
        if sees == 3:
            left, right = turn(heading, False), turn(heading, True)
            return entry + 12 * (kind(i + left[0], j + left[1]) + 4 * kind(i + right[0], j + right[1]))
        if sees == 4:
            return entry + 12 * (4 if heading == home else kind(i + home[0], j + home[1]))
        return entry

    def follow(i, j, heading, home, color, been):
        later = []
        while (i, j, heading) not in been:
            been.add((i, j, heading))
            ahead = (i + heading[0], j + heading[1])
            seen = sight(i, j, heading, home)
            usual = GO if ahead in grid and ahead not in painted and grid[ahead] == background else STOP
            action = table.get(seen, usual)
            if action == STOP or (ahead not in grid and action in (GO, PASS, HIT, TAKE)):
                break
            if action == TAKE:
                color = grid[ahead]
            if action in (GO, PASS, HIT, TAKE):
                i, j = ahead
            if action in (GO, HIT):
                painted[i, j] = color
            if action == HIT:
                break
            if action == SPLIT:
                later.append((i, j, turn(heading, True), home, color))
            heading = steered(grid, background, i, j, heading, action)
            if action == HOME:
                heading = home
        for way in reversed(later):
            follow(*way, been)

    for (i, j), c in sorted(grid.items()):
        if not (corners[start - 10] == (i, j) if start >= 10 else c == start or (start == -1 and c != background)):
            continue
        been = set()
        for bit, heading in enumerate(HEADINGS):
            wanted = c if behind == 10 else behind
            if not headings >> bit & 1 or (wanted != -1 and grid.get((i - heading[0], j - heading[1])) != wanted):
                continue
            color = c if paint == -1 else paint
            if start >= 10:
                painted[i, j] = color
            follow(i, j, heading, heading, color, been)
    grid.update(painted)
    return tuple(tuple(grid[i, j] for j in range(len(rows[0]))) for i in range(len(rows)))


def random_rows(r):
    h, w = r.randint(1, 9), r.randint(1, 9)
    colors = [0] * r.choice((2, 8, 16)) + [1, 2, 3]
    return tuple(tuple(r.choice(colors) for _ in range(w)) for _ in range(h))


def random_headings(r):
    return r.choice((1, 2, 4, 8, 15, 240, 255, r.randrange(256)))


def random_trail(r):
    sees = r.randint(1, 4)
    who = (r.choice((-1, 1, 2, 3, 10, 11, 12, 13)), r.choice((-1, -1, -1, 0, 1, 10)), r.choice((-1, 4, 5)), sees)
    more = {1: 1, 2: 4, 3: 16, 4: 5}[sees]
    table = {r.choice((0, 0, 1, 2, 3, 10, 10, 11)) + 12 * r.randrange(more): r.randrange(10) for _ in range(r.choice((3, 8, 20)))}
    return random_rows(r), who, random_headings(r), tuple(sorted(table.items()))


def random_walk(r):
    rows = random_rows(r)
    who = (r.choice((-1, 1, 2, 3)), r.choice((-1, -1, -1, 0, 1)), r.choice((-1, 4, 5)), r.choice((-1, -1, 10, 1, 2, 3)))
    table = [r.choice((GO, GO, GO, PASS, HIT))] + [r.randrange(9) for _ in range(3)] + [0] * 6 + [r.choice((0, 3, 4, 5, 6, 8))]
    return rows, who, random_headings(r), tuple(table)


def main():
    r = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 100):
        for model, call in ((walk, random_walk), (trail, random_trail)):
            args = call(r)
            print(f"{model.__name__}({', '.join(map(repr, args))})\t{model(*args)!r}")


if __name__ == "__main__":
    main()

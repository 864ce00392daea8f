"""A slow model of walk, written after what `batt prims walk` says.

    python3 tests/models/walk.py [SEED [CALLS]]     lines EXPRESSION<TAB>VALUE of random calls"""
import random
import sys

HEADINGS = [(-1, 0), (0, 1), (1, 0), (0, -1), (-1, 1), (1, 1), (1, -1), (-1, -1)]
STOP, GO, PASS, LEFT, RIGHT, BOUNCE, SPLIT, HIT, TAKE = range(9)


def turn(heading, clockwise):
    di, dj = heading
    return (dj, -di) if clockwise else (-dj, di)


def bounce(grid, ground, i, j, heading):
    di, dj = heading
    if di == 0 or dj == 0:
        return -di, -dj
    across_i = grid.get((i + di, j)) != ground
    across_j = grid.get((i, j + dj)) != ground
    if across_i == across_j:
        return -di, -dj
    return (-di, dj) if across_i else (di, -dj)


def walk(rows, who, headings, table):
    start, behind, paint, arrive = who
    grid = {(i, j): c for i, row in enumerate(rows) for j, c in enumerate(row)}
    colors = list(grid.values())
    ground = 0 if 0 in colors else min(set(colors), key=lambda c: (-colors.count(c), c))
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
            if action in (LEFT, RIGHT, SPLIT):
                heading = turn(heading, action == RIGHT)
            if action == BOUNCE:
                heading = bounce(grid, ground, i, j, heading)
        if good:
            result.update(trail)
        for way in reversed(later):
            follow(*way, goal, been)

    for (i, j), c in sorted(grid.items()):
        if c != start and (start != -1 or c == ground):
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


def random_call(r):
    h, w = r.randint(1, 9), r.randint(1, 9)
    colors = [0] * r.choice((2, 8, 16)) + [1, 2, 3]
    rows = tuple(tuple(r.choice(colors) for _ in range(w)) for _ in range(h))
    who = (r.choice((-1, 1, 2, 3)), r.choice((-1, -1, -1, 0, 1)), r.choice((-1, 4, 5)), r.choice((-1, -1, 10, 1, 2, 3)))
    table = [r.choice((GO, GO, GO, PASS, HIT))] + [r.randrange(9) for _ in range(3)] + [0] * 6 + [r.choice((0, 3, 4, 5, 6, 8))]
    return rows, who, r.choice((1, 2, 4, 8, 15, 240, 255, r.randrange(256))), tuple(table)


def main():
    r = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 100):
        args = random_call(r)
        print(f"walk({', '.join(map(repr, args))})\t{walk(*args)!r}")


if __name__ == "__main__":
    main()

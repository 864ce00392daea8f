"""Slow models of pattern_repair, pattern_core and shape_repair, written after what `batt prims` says.

    python3 tests/models/repair.py [SEED [CALLS]]     lines EXPRESSION<TAB>VALUE of random calls

A call that fails has the value `!`. Compare: batt eval --vectors on the lines."""
import random
import sys


class Fail(Exception):
    pass


def most_frequent(values):
    counts = {}
    for v in values:
        counts[v] = counts.get(v, 0) + 1
    return min(counts, key=lambda v: (-counts[v], v))


def background_of(values):
    return 0 if 0 in values else most_frequent(values)


def known_cells(grid, mask):
    """Cells by place; unknown ones are left out."""
    cells = {(i, j): c for i, row in enumerate(grid) for j, c in enumerate(row) if c != -1}
    if mask >= 0:
        cells = {k: c for k, c in cells.items() if c != mask}
    if mask == -3 and cells:
        background = background_of(list(cells.values()))
        inside = [k for k, c in cells.items() if c != background]
        if not inside:
            return {}
        top, bottom = min(i for i, _ in inside), max(i for i, _ in inside)
        left, right = min(j for _, j in inside), max(j for _, j in inside)
        cells = {(i, j): c for (i, j), c in cells.items() if top <= i <= bottom and left <= j <= right}
    return cells


def members(places, class_of, cells):
    groups = {}
    for k in places:
        groups.setdefault(class_of[k], []).append(cells.get(k))
    return groups


def measure(places, class_of, cells):
    core = wrong = 0
    for group in members(places, class_of, cells).values():
        known = [c for c in group if c is not None]
        core += bool(known)
        wrong += len(known) - max([known.count(c) for c in set(known)], default=0)
    return core, wrong


def image(kind, a, b, i, j):
    x, y = (j, i) if kind & 4 else (i, j)
    return a + (-x if kind & 1 else x), b + (-y if kind & 2 else y)


def by_regularities(h, w, cells, turns, shifts):
    places = [(i, j) for i in range(h) for j in range(w)]
    exact, known = len(cells) < h * w, len(cells)
    most = most_frequent(cells.values())
    found = []
    for kind in range(8):
        if not (turns if kind else shifts):
            continue
        for a in range(-64, 129):
            for b in range(-64, 129):
                if kind == 0 and (a < 0 or (a == 0 and b <= 0)):
                    continue
                # a quick way out, so that the model ends before the night does
                lo_i = [image(kind, a, b, i, j) for i, j in ((0, 0), (h - 1, w - 1))]
                if max(lo_i[0][0], lo_i[1][0]) < 0 or min(lo_i[0][0], lo_i[1][0]) >= h:
                    continue
                if max(lo_i[0][1], lo_i[1][1]) < 0 or min(lo_i[0][1], lo_i[1][1]) >= w:
                    continue
                pairs = [(k, image(kind, a, b, *k)) for k in places]
                pairs = [(k, to) for k, to in pairs if 0 <= to[0] < h and 0 <= to[1] < w]
                if not pairs or len(pairs) * 6 < known:
                    continue
                both = [(cells[k], cells[to]) for k, to in pairs if k != to and k in cells and to in cells]
                wrong = sum(x != y for x, y in both)
                agree = sum(x == y != most for x, y in both)
                if wrong > (0 if exact else len(pairs) // 8) or wrong * 8 > len(both):
                    continue
                if agree >= 8 and len(both) * 6 >= known:
                    found.append((-(agree - 3 * wrong), len(found), pairs))
    found = sorted(found)[:48]
    class_of = {k: k for k in places}
    best = known
    for _, _, pairs in found:
        joined = dict(class_of)
        neighbours = {}
        for k, to in pairs:
            x, y = class_of[k], class_of[to]
            neighbours.setdefault(x, set()).add(y)
            neighbours.setdefault(y, set()).add(x)
        root = {}
        for start in sorted(neighbours):
            todo = [start]
            while todo:
                x = todo.pop()
                if x not in root:
                    root[x] = start
                    todo += neighbours[x]
        joined = {k: root.get(c, c) for k, c in class_of.items()}
        core, wrong = measure(places, joined, cells)
        if not (exact and wrong) and core + 3 * wrong <= best:
            class_of, best = joined, core + 3 * wrong
    if not found or best >= known:
        raise Fail
    return class_of


def judge(places, class_of, cells, exact, size, best):
    """What the classes count if that is less than best, else best."""
    groups = members(places, class_of, cells)
    core, wrong = measure(places, class_of, cells)
    if exact:
        good = wrong == 0 and core == len(groups)
        return size if good and size < best else best
    return min(best, core + 3 * wrong)


def by_tile(h, w, cells, upright):
    places = [(i, j) for i in range(h) for j in range(w)]
    known, exact = len(cells), len(cells) < h * w
    most = min(known // 2, 128)
    best, found = (most + 1 if exact else known // 2), None
    for size in range(1, most + 1):
        if size >= best:
            break
        for th in range(1, min(size, h) + 1):
            tw = size // th
            if size % th or tw > w:
                continue
            for skew in range(tw if th < h and not upright else 1):
                class_of = {(i, j): (i % th, (j - i // th * skew) % tw) for i, j in places}
                price = judge(places, class_of, cells, exact, size, best)
                if price < best:
                    best, found = price, (class_of, th, tw)
    if not found:
        raise Fail
    return found


def by_rings(h, w, cells):
    places = [(i, j) for i in range(h) for j in range(w)]
    known, exact = len(cells), len(cells) < h * w
    best, found = (known // 2 if exact else known // 4), None
    for kind in (max, min, lambda x, y: x + y):
        for a in range(2 * h - 1):
            for b in range(a % 2, 2 * w - 1, 2):
                if not exact and (a, b) != (h - 1, w - 1):
                    continue
                for modulus in range(9):
                    number = {(i, j): kind(abs(2 * i - a), abs(2 * j - b)) // 2 for i, j in places}
                    class_of = {k: x % modulus if modulus else x for k, x in number.items()}
                    price = judge(places, class_of, cells, exact, max(class_of.values()) + 1, best)
                    if price < best:
                        best, found = price, class_of
    if not found:
        raise Fail
    return found


def by_lines(h, w, cells, rows):
    class_of, any_line = {}, False
    for l in range(h if rows else w):
        line = [(l, x) for x in range(w)] if rows else [(x, l) for x in range(h)]
        known = sum(k in cells for k in line)
        period, best = len(line), None
        for p in range(1, len(line)):
            if 2 * p > known or (best is not None and p >= best):
                break
            of = {k: x % p for x, k in enumerate(line)}
            core, wrong = measure(line, of, cells)
            price = p + 3 * wrong
            if len(cells) < h * w and (wrong or core < p):
                continue
            if (best is None or price < best) and 2 * price <= known:
                period, best = p, price
        any_line |= period < len(line)
        class_of.update({k: (l, x % period) for x, k in enumerate(line)})
    if not any_line:
        raise Fail
    return class_of


def classes(h, w, cells, regularity):
    if regularity == 3:
        return by_tile(h, w, cells, False)[0]
    if regularity == 4:
        return by_rings(h, w, cells)
    if regularity in (5, 6):
        return by_lines(h, w, cells, regularity == 5)
    return by_regularities(h, w, cells, regularity != 2, regularity != 1)


def said(places, class_of, cells):
    """The color of each class that has one."""
    colors = {}
    for x, group in members(places, class_of, cells).items():
        known = [c for c in group if c is not None]
        if known and 2 * known.count(most_frequent(known)) > len(known):
            colors[x] = most_frequent(known)
    return colors


def find_mask(grid, find):
    h, w = len(grid), len(grid[0])
    places = [(i, j) for i in range(h) for j in range(w)]
    best, mask = 0, None
    for c in range(10):
        cells = known_cells(grid, c)
        if not cells or len(cells) == h * w:
            continue
        try:
            class_of = find(h, w, cells)
        except Fail:
            continue
        colors = said(places, class_of, cells)
        if all(k in cells or class_of[k] in colors for k in places):
            gain = len(cells) - measure(places, class_of, cells)[0]
            if gain > best:
                best, mask = gain, c
    if mask is None:
        raise Fail
    return mask


def pattern_repair(grid, mask, regularity):
    h, w = len(grid), len(grid[0])
    if mask == -2:
        mask = find_mask(grid, lambda *a: classes(*a, regularity))
    cells = known_cells(grid, mask)
    if not cells:
        raise Fail
    class_of = classes(h, w, cells, regularity)
    places = [(i, j) for i in range(h) for j in range(w)]
    colors = said(places, class_of, cells)
    return tuple(tuple(colors.get(class_of[i, j], grid[i][j]) for j in range(w)) for i in range(h))


def pattern_core(grid, mask):
    h, w = len(grid), len(grid[0])
    if mask == -2:
        mask = find_mask(grid, lambda *a: by_tile(*a, True)[0])
    cells = known_cells(grid, mask)
    if not cells:
        raise Fail
    class_of, th, tw = by_tile(h, w, cells, True)
    colors = said([(i, j) for i in range(h) for j in range(w)], class_of, cells)
    if len(colors) < th * tw:
        raise Fail
    return tuple(tuple(colors[i, j] for j in range(tw)) for i in range(th))


FLIP_I, FLIP_J, SWAP = 1, 2, 4
GROUPS = [[2], [1], [1, 2, 3], [3], [1 | 4, 2 | 4, 3], [1, 2, 3, 4, 5, 6, 7], [4], [7], [4, 7, 3]]


def around(turn, a, b, i, j):
    """The image of a cell around the point (a / 2, b / 2)."""
    u, v = 2 * i - a, 2 * j - b
    u, v = -u if turn & FLIP_I else u, -v if turn & FLIP_J else v
    u, v = (v, u) if turn & SWAP else (u, v)
    return (a + u) / 2, (b + v) / 2


def shapes_of(cells, scope):
    if scope == 0:
        return [sorted(cells)]
    if scope == 2:
        return [[k for k in sorted(cells) if cells[k] == c] for c in range(10)]
    mcomps, seen = [], set()
    for start in sorted(cells):
        if start in seen:
            continue
        mcomp, todo = [], [start]
        seen.add(start)
        while todo:
            i, j = todo.pop()
            mcomp.append((i, j))
            for k in [(i + y, j + x) for y in (-1, 0, 1) for x in (-1, 0, 1)]:
                if k in cells and k not in seen:
                    seen.add(k)
                    todo.append(k)
        mcomps.append(sorted(mcomp))
    return mcomps


def shape_repair(grid, group, scope):
    h, w = len(grid), len(grid[0])
    background = background_of([c for row in grid for c in row])
    cells = {(i, j): c for i, row in enumerate(grid) for j, c in enumerate(row) if c != background}
    result = [list(row) for row in grid]
    for shape in shapes_of(cells, scope):
        if not shape:
            continue
        best, images = None, []
        top, bottom = min(i for i, _ in shape), max(i for i, _ in shape)
        left, right = min(j for _, j in shape), max(j for _, j in shape)
        for a in range(2 * top, 2 * bottom + 1):
            for b in range(2 * left, 2 * right + 1):
                to = [(around(t, a, b, *k), cells[k]) for k in shape for t in GROUPS[group]]
                if any(i != int(i) or j != int(j) for (i, j), _ in to):
                    continue
                if any(cells.get(k, c) != c for k, c in to):
                    continue
                outside = [k for k, _ in to if not (0 <= k[0] < h and 0 <= k[1] < w)]
                added = {k for k, _ in to if k not in cells} - set(outside)
                if best is None or len(added) + len(outside) < best:
                    best, images = len(added) + len(outside), to
        for (i, j), c in images:
            if 0 <= i < h and 0 <= j < w:
                result[int(i)][int(j)] = c
    return tuple(map(tuple, result))


# ---- random calls ----

def random_grid(r):
    h, w, colors = r.randint(1, 9), r.randint(1, 9), r.randint(1, 4)
    kind = r.randrange(5)
    if kind == 0:
        return [[r.randrange(colors) for _ in range(w)] for _ in range(h)]
    th, tw, skew = r.randint(1, 3), r.randint(1, 3), r.randrange(3)
    tile = [[r.randint(1, colors + 1) for _ in range(tw)] for _ in range(th)]
    if kind == 1:
        grid = [[tile[i % th][(j + i // th * skew) % tw] for j in range(w)] for i in range(h)]
    elif kind == 2:
        grid = [[tile[min(i, h - i) % th][min(j, w - j) % tw] for j in range(w)] for i in range(h)]
        if r.randrange(2):
            noise = [[r.randrange(colors + 1) for _ in range(w)] for _ in range(h)]
            grid = [[noise[min(i, h - 1 - i)][min(j, w - 1 - j)] for j in range(w)] for i in range(h)]
    elif kind == 3:
        a, b = r.randrange(h), r.randrange(w)
        grid = [[tile[0][max(abs(i - a), abs(j - b)) % tw] for j in range(w)] for i in range(h)]
    else:
        grid = [[0] * w for _ in range(h)]
        for _ in range(r.randint(1, 3)):
            i, j = r.randrange(h), r.randrange(w)
            for y in range(th):
                for x in range(tw):
                    if i + y < h and j + x < w:
                        grid[i + y][j + x] = tile[y][x]
    for _ in range(r.randrange(4)):
        i, j, c = r.randrange(h), r.randrange(w), r.choice([0, 0, 0, -1, 5])
        for y in range(i, min(h, i + r.randint(1, 2))):
            for x in range(j, min(w, j + r.randint(1, 2))):
                grid[y][x] = c
    return grid


def random_call(r):
    grid = tuple(map(tuple, random_grid(r)))
    name = r.choice(["pattern_repair"] * 4 + ["pattern_core", "shape_repair", "shape_repair"])
    if name == "shape_repair":
        grid = tuple(tuple(max(c, 0) for c in row) for row in grid)
        return name, (grid, r.randrange(9), r.randrange(3))
    mask = r.choice([0, 0, 0, -1, -1, -2, -3, 5, 1])
    return name, ((grid, mask, r.randrange(7)) if name == "pattern_repair" else (grid, mask))


def main():
    r = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 100):
        name, args = random_call(r)
        try:
            value = repr(globals()[name](*args))
        except Fail:
            value = "!"
        print(f"{name}({', '.join(map(repr, args))})\t{value}")


if __name__ == "__main__":
    main()

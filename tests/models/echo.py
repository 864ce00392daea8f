"""Completing fragments of patterns: `batt prims pattern_echo`."""
from grids import *
from stamps import turned

MAX_CELLS, MAX_PATTERN, MAX_PATTERNS, MAX_SCALE = 1024, 256, 8, 4


def mcomps_of(g, background):
    busy = [k for k in cells_of(g) if g[k[0]][k[1]] != background]
    return connected(busy, AROUND, lambda a, b: True)


class Placement:
    def __init__(self, g, background, mcomps, where, pattern, picture, scale, turn, top, left, stand_in, target):
        """`stand_in`, `target`: a color of the picture and what it stands for, or None."""
        self.pattern, self.scale, self.turn, self.top, self.left = pattern, scale, turn, top, left
        self.recolored = stand_in is not None
        self.good = False
        self.matched = self.outside = 0
        self.paints = {}
        on_background = False
        whole = {}  # by color: all its cells are inside and matched
        self.cells = set()
        recolored_match = False
        for x, line in enumerate(picture):
            for y, color in enumerate(line):
                if color is None:
                    continue
                shown = target if self.recolored and color == stand_in else color
                places = [(top + x * scale + a, left + y * scale + b) for a in range(scale) for b in range(scale)]
                inside = [k for k in places if 0 <= k[0] < len(g) and 0 <= k[1] < len(g[0])]
                self.outside += len(places) - len(inside)
                under = {g[i][j] for i, j in inside}
                whole.setdefault(color, True)
                if len(inside) < len(places) or under != {shown}:
                    whole[color] = False
                if not under:
                    continue
                if under == {shown}:
                    self.matched += 1
                    recolored_match |= self.recolored and color == stand_in
                elif under == {background}:
                    on_background = True
                else:
                    return
                for k in inside:
                    self.paints[k] = shown
                self.cells |= set(inside)
        self.lies_on = {where[k] for k in self.cells if k in where}
        if self.recolored and not recolored_match:
            return
        if any(not mcomps[n] <= self.cells for n in self.lies_on) or pattern in self.lies_on or not on_background:
            return
        self.good = any(ok for color, ok in whole.items() if not (self.recolored and color == stand_in))


def pattern_echo(g, how):
    if not is_grid(g) or len(g) * len(g[0]) > MAX_CELLS or any(not 0 <= c <= 9 for c in flat(g)):
        raise Failed
    if how not in (0, 1):
        raise Failed
    background = background_of(g)
    mcomps = mcomps_of(g, background)
    where = {k: n for n, p in enumerate(mcomps) for k in p}
    patterns = [n for n, p in enumerate(mcomps) if len({g[i][j] for i, j in p}) > 1 and len(p) <= MAX_PATTERN]
    patterns = sorted(sorted(patterns, key=lambda n: (-len(mcomps[n]), n))[:MAX_PATTERNS])
    found = []
    for n in patterns:
        top, left, bottom, right = box(mcomps[n])
        own = tuple(tuple(g[i][j] if (i, j) in mcomps[n] else None for j in range(left, right + 1))
                    for i in range(top, bottom + 1))
        colors = [c for line in own for c in line if c is not None]
        main, pictures = most_frequent(colors), []
        for turn in range(8):
            picture = own if turn == 0 else turned(own, turn)
            if picture in pictures:
                continue
            pictures.append(picture)
            for scale in range(1, MAX_SCALE + 1):
                h, w = len(picture) * scale, len(picture[0]) * scale
                for i in range(1 - h, len(g)):
                    for j in range(1 - w, len(g[0])):
                        under = {g[x][y] for x in range(max(i, 0), min(i + h, len(g)))
                                 for y in range(max(j, 0), min(j + w, len(g[0])))}
                        if under == {background}:
                            continue
                        for target in [None] + sorted(under - {background} - set(colors)):
                            p = Placement(g, background, mcomps, where, n, picture, scale, turn, i, j,
                                          None if target is None else main, target)
                            if p.good:
                                found.append(p)
    found.sort(key=lambda p: (-p.matched, p.recolored, p.outside, -len(mcomps[p.pattern]), p.pattern, p.scale, p.turn,
                              p.top, p.left))
    if not found:
        raise Failed
    new = [list(r) for r in g]
    completed, painted, used = set(), {}, set()
    for p in found:
        if (p.lies_on & completed or p.lies_on & used or p.pattern in completed
                or any(painted.get(k, c) != c for k, c in p.paints.items())):
            continue
        completed |= p.lies_on
        used.add(p.pattern)
        painted.update(p.paints)
    for k, c in painted.items():
        new[k[0]][k[1]] = c
    if how == 1:
        for n in used:
            for i, j in mcomps[n]:
                new[i][j] = background
    return tuples(new)

"""Slow models of beam_rule and beam_attribute, written after what `batt prims beam_rule` says.

    python3 tests/models/beams.py [SEED [CALLS]]     lines EXPRESSION<TAB>VALUE of random calls"""
import random
import sys

import objects
from grids import AROUND, Failed, box, connected, flat, most_frequent, tuples

HEADINGS = [(-1, 0), (0, 1), (1, 0), (0, -1), (-1, 1), (1, 1), (1, -1), (-1, -1)]
ATTRIBUTES, KINDS = objects.table("src/engine/patterns/beam_attributes.def", "BEAM_ATTRIBUTE")
ACTIONS = objects.table("src/engine/patterns/beam_actions.def", "BEAM_ACTION")[0]
EDGE, OWN, FOREGROUND = 10, 11, 12


def turned(heading, quarters):
    return heading // 4 * 4 + (heading + quarters) % 4


class View:
    """A grid with its background, components of one color and of several."""

    def __init__(self, grid, background):
        if len(grid) * len(grid[0]) > 1024 or any(not 0 <= c <= 9 for c in flat(grid)):
            raise Failed
        self.h, self.w = len(grid), len(grid[0])
        self.at = {(i, j): grid[i][j] for i in range(self.h) for j in range(self.w)}
        every = flat(grid)
        self.background = background if background >= 0 else 0 if background == -1 and 0 in every else most_frequent(every)
        foreground = [k for k in sorted(self.at) if self.at[k] != self.background]
        self.components = connected(foreground, AROUND, lambda a, b: self.at[a] == self.at[b])
        self.mcomps = connected(foreground, AROUND, lambda a, b: True)

    def foreground(self, k):
        return k in self.at and self.at[k] != self.background

    def bare(self, k):
        return k in self.at and self.at[k] == self.background

    def beam(self, k, heading):
        """Whether there is one: None, 'cell' or 'door'."""
        ahead = step(k, heading)
        if self.foreground(k):
            return "cell" if ahead in self.at and self.at[ahead] != self.at[k] else None
        sides = heading < 4 and all(self.foreground(step(k, turned(heading, q))) for q in (1, -1))
        return "door" if sides and self.bare(ahead) and self.bare(step(k, heading, -1)) else None

    def attributes(self, k, heading):
        door = self.beam(k, heading) == "door"
        left, right = step(k, turned(heading, -1)), step(k, turned(heading, 1))
        own = self.at[left] if door else self.at[k]
        component = next((p for p in self.components if k in p), None)
        mcomp = next((p for p in self.mcomps if k in p), None)
        line = lambda way: list(steps(self, k, heading, way))
        hit = next((n for n, x in enumerate(line(1), 1) if self.foreground(x)), None)
        back = next((n for n, x in enumerate(line(-1), 1) if self.foreground(x) and self.at[x] != own), None)
        hit_color = self.at[line(1)[hit - 1]] if hit else -1
        beyond = next((self.at[x] for x in line(1)[hit:] if self.foreground(x) and self.at[x] != hit_color), -1) if hit else -1
        side = next((self.at[x] for x in (left, right) if self.foreground(x) and self.at[x] != own), -1)
        mine = lambda x: self.at.get(x) == own
        behind = step(k, heading, -1)
        run = 1
        for x in line(-1):
            if not mine(x):
                break
            run += 1
        di, dj = HEADINGS[heading]
        values = {
            "OWN": own, "AHEAD": self.at.get(step(k, heading), -1), "BEHIND": self.at.get(behind, -1), "HIT": hit_color,
            "BEYOND": beyond, "BACK": self.at[line(-1)[back - 1]] if back else -1, "SIDE": side,
            "OTHER": most_frequent([self.at[x] for x in mcomp], (own,)) if mcomp else -1, "HEADING": heading,
            "SLANTED": int(heading > 3), "AXIS": heading % 2 + 2 * (heading > 3), "DOOR": int(door),
            "FAR": hit or 127, "TO_EDGE": len(line(1)), "BACK_FAR": back or 127,
            "SIDES": mine(left) + mine(right),
            "REAR": sum(mine(x) for x in (behind, step(behind, turned(heading, -1)), step(behind, turned(heading, 1)))),
            "FRONT": sum(mine(step(step(k, heading), turned(heading, q))) for q in (-1, 1)),
            "RUN": 0 if door else run, "SIZE": len(component) if component else 0,
            "SIZE_RANK": sum(len(p) > len(component) for p in self.components) if component else 0,
            "MULTICOLOR_SIZE": len(mcomp) if mcomp else 0, "MULTICOLOR_COLORS": len({self.at[x] for x in mcomp}) if mcomp else 0,
            "LIKE": sum(self.at[min(p)] == own for p in self.components), "ALONG": 0, "OUTER": 0, "CENTRAL": 0, "FULL": 0,
        }
        target = line(1)[hit - 1] if hit else None
        values["RIM"] = int(k[0] in (0, self.h - 1) or k[1] in (0, self.w - 1))
        values["HIT_SIZE"] = next((len(p) for p in self.components if target in p), 0)
        values["HIT_OWN"] = int(bool(mcomp) and target in mcomp)
        values["AROUND"] = sum(self.foreground(step(k, d)) for d in range(8))
        if component:
            top, first, bottom, last = box(component)
            h, w = bottom - top + 1, last - first + 1
            along, across = (h, w) if di else (w, h)
            if heading < 4:
                values["ALONG"] = (along > across) - (along < across)
                values["CENTRAL"] = int(k[1] - first == last - k[1] if di else k[0] - top == bottom - k[0])
            else:
                values["ALONG"] = int(len(component) > 1 and len({i * dj - j * di for i, j in component}) == 1)
            at_row = k[0] == (top if di < 0 else bottom)
            at_column = k[1] == (first if dj < 0 else last)
            values["OUTER"] = int((not di or at_row) and (not dj or at_column))
            values["FULL"] = int(len(component) == h * w)
        return {name: min(127, x) for name, x in values.items()}


def step(k, heading, n=1):
    return k[0] + n * HEADINGS[heading][0], k[1] + n * HEADINGS[heading][1]


def steps(view, k, heading, way):
    k = step(k, heading, way)
    while k in view.at:
        yield k
        k = step(k, heading, way)


def bounced(view, k, heading):
    di, dj = HEADINGS[heading]
    if heading < 4:
        return (heading + 2) % 4
    rows, columns = not view.bare((k[0] + di, k[1])), not view.bare((k[0], k[1] + dj))
    if rows == columns:
        di, dj = -di, -dj
    elif rows:
        di = -di
    else:
        dj = -dj
    return HEADINGS.index((di, dj))


def follow(view, k, heading, door, own, every, length, exceptions):
    """Cells painted, each with the color taken on the way or None."""
    painted, been = [(k, None)] if door else [], set()
    waiting = [(k, heading, 0, None, 0)]  # slips -1 or 1: it goes along something to its left or right

    def action(ahead):
        found = {}
        for place, act in exceptions:
            found.setdefault(place, act)
        foreground = ahead is not None and ahead != view.background
        for place, holds in ((ahead, True), (EDGE, ahead is None), (OWN, foreground and ahead == own), (FOREGROUND, foreground)):
            if holds and place in found:
                return ACTIONS[found[place]]
        return "GO" if ahead == view.background else "STOP"

    def paint(k, color):
        painted.append((k, color))
        if len(painted) > 4096:
            raise Failed

    def marks(n):
        return n % 2 == 1 if every < 0 else n % every == 0

    while waiting:
        if len(waiting) > 64:
            raise Failed
        k, heading, slips, color, n = waiting.pop()
        while True:
            if slips == 0:
                if (k, heading) in been:
                    break
                been.add((k, heading))
            if length and n >= length:
                break
            ahead = step(k, heading)
            if slips:
                if view.bare(ahead):
                    slips = 0
                    continue
                beside = step(k, turned(heading, slips))
                if not view.bare(beside):
                    break
                k, n = beside, n + 1
                if marks(n):
                    paint(k, color)
                continue
            does = action(view.at.get(ahead))
            if does in ("GO", "PASS", "TAKE"):
                if ahead not in view.at:
                    break
                color = view.at[ahead] if does == "TAKE" else color
                k, n = ahead, n + 1
                if does == "GO" and marks(n):
                    paint(k, color)
            elif does in ("TURN_LEFT", "TURN_RIGHT"):
                heading = turned(heading, -1 if does == "TURN_LEFT" else 1)
            elif does == "BOUNCE":
                heading = bounced(view, k, heading)
            elif does == "SPLIT":
                waiting.append((k, turned(heading, 1), 0, color, n))
                heading = turned(heading, -1)
            elif does in ("SLIP_LEFT", "SLIP_RIGHT"):
                slips = -1 if does == "SLIP_LEFT" else 1
            elif does == "SLIP":
                waiting.append((k, heading, 1, color, n))
                slips = -1
            else:
                if does == "STRIKE" and ahead in view.at:
                    paint(ahead, color)
                if does == "FLOOD" and ahead in view.at:
                    for x in sorted(next((p for p in view.components if ahead in p), ())):
                        paint(x, color)
                break
            if len(waiting) > 64:
                raise Failed
    return painted


def beam_rule(grid, background, rule):
    view = View(grid, background)
    to = dict(view.at)
    for k in sorted(view.at):
        for heading in range(8):
            start = view.beam(k, heading)
            if start is None:
                continue
            known = view.attributes(k, heading)
            leaf = rule
            while len(leaf) == 5:
                attribute, test, number, yes, no = leaf
                x = known[ATTRIBUTES[attribute]]
                y = known[ATTRIBUTES[number]] if test == 2 else number
                leaf = yes if (x > y if test == 1 else x == y) else no
            if len(leaf) == 1:
                continue
            (kind, number), every, length, exceptions = leaf
            color = known[ATTRIBUTES[number]] if kind else number
            if color < 0:
                continue
            for cell, taken in follow(view, k, heading, start == "door", known["OWN"], every, length, exceptions):
                to[cell] = color if taken is None else taken
    return tuples([to[i, j] for j in range(view.w)] for i in range(view.h))


def beam_attribute(grid, background, heading, attribute):
    view = View(grid, background)
    return tuples([view.attributes((i, j), heading)[ATTRIBUTES[attribute]] if view.beam((i, j), heading) else -2
                   for j in range(view.w)] for i in range(view.h))


# ---- random calls ----

def random_leaf(rng):
    if rng.random() < 0.25:
        return (0,)
    colors = [a for a, kind in enumerate(KINDS) if kind == "COLOR"]
    color = (0, rng.randrange(10)) if rng.random() < 0.5 else (1, rng.choice(colors))
    places = rng.sample([EDGE, OWN, FOREGROUND, FOREGROUND] + list(range(4)), rng.choice((0, 1, 1, 2, 3)))
    return (color, rng.choice((1, 1, 1, 2, 3, 4, -2)), rng.choice((0, 0, 0, rng.randint(1, 5))),
            tuple((place, rng.randrange(len(ACTIONS))) for place in places))


def random_rule(rng, depth=2):
    if depth == 0 or rng.random() < 0.3:
        return random_leaf(rng)
    test, attribute = rng.choice((0, 0, 1, 1, 2)), rng.randrange(len(ATTRIBUTES))
    number = rng.randrange(len(ATTRIBUTES)) if test == 2 else rng.randint(-1, 5)
    return attribute, test, number, random_rule(rng, depth - 1), random_rule(rng, depth - 1)


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for k in range(int(sys.argv[2]) if len(sys.argv) > 2 else 400):
        grid, background = objects.random_grid(rng), rng.choice((-2, -1, -1, -1, 0, 3))
        if k % 3 == 0:
            name, f, args = "beam_attribute", beam_attribute, (grid, background, rng.randrange(8), k // 3 % len(ATTRIBUTES))
        else:
            name, f, args = "beam_rule", beam_rule, (grid, background, random_rule(rng))
        try:
            value = str(f(*args))
        except Failed:
            value = "!"
        print("%s(%s)\t%s" % (name, ", ".join(map(str, args)), value))


if __name__ == "__main__":
    main()

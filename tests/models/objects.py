"""Slow models of object_rule, pair_rule, object_attribute and object_pick, written after what `batt prims object_rule` says.

    python3 tests/models/objects.py [SEED [CALLS]]     lines EXPRESSION<TAB>VALUE of random calls

A call that fails has the value `!`. Numbers of ways, attributes, partners and acts come from the tables of
src/engine/scenes, so the model has to be run from the project's root. Compare: batt eval --vectors on the lines."""
import random
import re
import sys

import grids


class Fail(Exception):
    pass


def table(path, word):
    """The rows WORD(ID, ...) of a .def file: ids, and the second column of each."""
    rows = re.findall(r"^%s\((\w+), *([\w.]+)" % word, open(path).read(), re.M)
    return [r[0] for r in rows], [r[1] for r in rows]


SEGMENTATIONS = table("src/engine/scenes/scene_segmentations.def", "SEGMENTATION")[0]
ATTRIBUTES = table("src/engine/scenes/scene_attributes.def", "ATTRIBUTE")[0]
PARTNERS = table("src/engine/scenes/scene_partners.def", "PARTNER")[0]
RELATIONS = table("src/engine/scenes/pair_relations.def", "RELATION")[0]
ANCHOR, OF_ANCHOR, OF_BOTH = PARTNERS.index("ANCHOR"), 100, 200
ACTS = table("src/engine/scenes/scene_acts.def", "ACT")[0]
REGIONS, REGION_BY = table("src/engine/scenes/scene_acts.def", "REGION")
VECTORS, VECTOR_BY = table("src/engine/scenes/scene_acts.def", "VECTOR")
SLIDES, SLIDE_BY = table("src/engine/scenes/scene_acts.def", "SLIDE")
MIRRORS, MIRROR_BY = table("src/engine/scenes/scene_acts.def", "MIRROR")
BEARINGS = table("src/engine/scenes/scene_acts.def", "BEARING")[0]
FIRST_BEARING, OF_PARTNER = 16, 100
SOURCES = table("src/engine/scenes/scene_acts.def", "SOURCE")[0]
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1), (-1, 1), (1, 1), (1, -1), (-1, -1)]
SIDES = MOVES[:4]
CORNERS = MOVES[4:]
SEVERAL = [[0, 2], [1, 3], [0, 1, 2, 3], [4, 5, 6, 7], list(range(8))]


def most_frequent(values, but=None):
    values = [v for v in values if v != but]
    return min(set(values), key=lambda v: (-values.count(v), v)) if values else -1


def turned(picture, turn):
    """A picture {(i, j): x} with its size (h, w), turned as by stamp_turn."""
    cells, h, w = picture
    to = {0: lambda i, j: (i, j), 1: lambda i, j: (j, h - 1 - i), 2: lambda i, j: (h - 1 - i, w - 1 - j),
          3: lambda i, j: (w - 1 - j, i), 4: lambda i, j: (i, w - 1 - j), 5: lambda i, j: (h - 1 - i, j),
          6: lambda i, j: (j, i), 7: lambda i, j: (w - 1 - j, h - 1 - i)}[turn]
    across = turn in (1, 3, 6, 7)
    return {to(i, j): x for (i, j), x in cells.items()}, (w if across else h), (h if across else w)


class Object:
    def __init__(self, scene, cells):
        self.scene, self.cells = scene, sorted(cells)
        rows, columns = [i for i, _ in cells], [j for _, j in cells]
        self.top, self.bottom, self.left, self.right = min(rows), max(rows), min(columns), max(columns)
        self.h, self.w = self.bottom - self.top + 1, self.right - self.left + 1
        self.size = len(cells)
        colors = [scene.at[k] for k in self.cells]
        self.foreground_values = [c for c in colors if c != scene.background]
        self.color = most_frequent(self.foreground_values) if self.foreground_values else scene.background
        foreground = {k for k in self.cells if scene.at[k] != scene.background} or set(self.cells)
        mask = {(i - self.top, j - self.left): 1 for i, j in foreground}
        painted = {(i - self.top, j - self.left): scene.at[i, j] for i, j in foreground}
        self.shape = (sorted(mask), self.h, self.w)
        self.picture = (painted, self.h, self.w)
        self.turns = [(sorted(m), h, w) for m, h, w in (turned((mask, self.h, self.w), t) for t in range(8))]

    def box(self):
        return [(i, j) for i in range(self.top, self.bottom + 1) for j in range(self.left, self.right + 1)]

    def shares_columns(self, other):
        return self.left <= other.right and other.left <= self.right

    def shares_rows(self, other):
        return self.top <= other.bottom and other.top <= self.bottom

    def holds(self, other):
        return set(other.box()) < set(self.box())

    def distance(self, other):
        rows = max(0, other.top - self.bottom, self.top - other.bottom)
        return rows + max(0, other.left - self.right, self.left - other.right)

    def touches(self, other):
        return any((i + a, j + b) in set(other.cells) for i, j in self.cells for a, b in MOVES)

    def holes(self):
        """Groups of cells of the box that no path over sides leads out of."""
        free, found = set(self.box()) - set(self.cells), []
        while free:
            group, todo = set(), [free.pop()]
            while todo:
                i, j = todo.pop()
                group.add((i, j))
                for a, b in SIDES:
                    if (i + a, j + b) in free:
                        free.discard((i + a, j + b))
                        todo.append((i + a, j + b))
            if not any(i in (self.top, self.bottom) or j in (self.left, self.right) for i, j in group):
                found.append(group)
        return found

    def same_turned(self, turn):
        return turned(self.picture, turn) == self.picture

    def direction_to(self, other):
        if self.shares_columns(other) and self.shares_rows(other):
            ways = {d for d in range(4) for i, j in self.cells
                    if (i + MOVES[d][0], j + MOVES[d][1]) in set(other.cells)}
            return ways.pop() if len(ways) == 1 else -1
        if not self.shares_columns(other) and not self.shares_rows(other):
            return -1
        if self.shares_columns(other):
            return 0 if other.bottom < self.top else 2
        return 1 if other.left > self.right else 3


class Scene:
    def __init__(self, grid, segmentation, background):
        self.h, self.w = len(grid), len(grid[0])
        if self.h * self.w > 1024:
            raise Fail
        self.at = {(i, j): grid[i][j] for i in range(self.h) for j in range(self.w)}
        if any(not 0 <= c <= 9 for c in self.at.values()):
            raise Fail
        every = list(self.at.values())
        most = most_frequent(every)
        self.background = background if background >= 0 else 0 if background == -1 and 0 in every else most
        self.colors = [c for c in range(10) if c in every]
        self.counts = [every.count(c) for c in range(10)]
        self.foreground_colors = [c for c in self.colors if c != self.background]
        self.rarest = min(self.foreground_colors, key=lambda c: (self.counts[c], c)) if self.foreground_colors else -1
        self.objects = [Object(self, cells) for cells in self.segment(SEGMENTATIONS[segmentation])]
        if not 0 < len(self.objects) <= 127:
            raise Fail
        for o in self.objects:
            o.known = {name: min(127, int(x)) for name, x in self.attributes(o).items()}
        for o in self.objects:
            o.known["SHAPE_RANK"] = sum(
                1 for k, p in enumerate(self.objects)
                if all(q.shape != p.shape for q in self.objects[:k]) and p.known["SAME_SHAPE"] > o.known["SAME_SHAPE"])
        for o in self.objects:
            o.partners = [self.partner(o, name) for name in PARTNERS]

    def segment(self, segmentation):
        cells, at, g = sorted(self.at), self.at, self.background
        foreground, bare = [k for k in cells if at[k] != g], [k for k in cells if at[k] == g]
        if segmentation == "COLORS":
            groups = [[k for k in foreground if at[k] == c] for c in self.foreground_colors]
            return sorted(groups)
        if segmentation == "ROWS":
            return [[k for k in cells if k[0] == i] for i in range(self.h)]
        if segmentation == "COLUMNS":
            return [[k for k in cells if k[1] == j] for j in range(self.w)]
        if segmentation == "PANELS":
            return self.panels()
        if segmentation == "FOREGROUND":
            return [foreground] if foreground else []
        if segmentation in ("SQUARES", "LEFT_RIGHT", "TOP_BOTTOM", "QUARTERS", "NINTHS"):
            return self.pieces(segmentation)
        if segmentation == "INSIDES":
            return self.insides()
        if segmentation == "BOXES":
            return self.boxes()
        if segmentation == "ROOMS":
            wall = most_frequent(list(at.values()), g)
            if wall < 0:
                return []
            return sorted(sorted(x) for x in grids.connected([k for k in cells if at[k] != wall], SIDES, lambda a, b: True))
        members = bare if segmentation in ("REGIONS", "REGIONS8") else cells if segmentation == "PATCHES" else foreground
        many = segmentation in ("MCOMPS", "MCOMPS8", "CLUSTERS")

        def linked(a, b):
            i, j = abs(a[0] - b[0]), abs(a[1] - b[1])
            if not many and at[a] != at[b]:
                return False
            if segmentation in ("NEAR", "CLUSTERS"):
                return i <= 2 and j <= 2
            if segmentation == "ROW_RUNS":
                return i == 0 and j == 1
            if segmentation == "COLUMN_RUNS":
                return i == 1 and j == 0
            return i + j == 1 if segmentation in ("COMPONENTS", "MCOMPS", "REGIONS", "PATCHES") else i <= 1 and j <= 1

        left, groups = set(members), []
        for start in members:
            if start in left:
                left.discard(start)
                group, todo = [], [start]
                while todo:
                    k = todo.pop()
                    group.append(k)
                    for i in range(k[0] - 2, k[0] + 3):
                        for j in range(k[1] - 2, k[1] + 3):
                            if (i, j) in left and linked(k, (i, j)):
                                left.discard((i, j))
                                todo.append((i, j))
                groups.append(group)
        return groups

    def pieces(self, segmentation):
        """Equal pieces, with lines between them where they would not fill the grid otherwise."""
        side = min(self.h, self.w)
        rows, columns = {"SQUARES": (self.h // side, self.w // side), "LEFT_RIGHT": (1, 2), "TOP_BOTTOM": (2, 1),
                         "QUARTERS": (2, 2), "NINTHS": (3, 3)}[segmentation]
        if rows * columns < 2 or (segmentation == "SQUARES" and max(self.h, self.w) % side):
            return []

        def cut(n, k):
            gap = int(n % k != 0)
            length = (n - gap * (k - 1)) // k
            if length < 1 or length * k + gap * (k - 1) != n:
                return []
            return [range(x * (length + gap), x * (length + gap) + length) for x in range(k)]

        return [[(i, j) for i in a for j in b] for a in cut(self.h, rows) for b in cut(self.w, columns)]

    def insides(self):
        """What the innermost frames around cells enclose."""
        foreground = [k for k in sorted(self.at) if self.at[k] != self.background]
        inner = {}
        for part in grids.connected(foreground, SIDES, lambda a, b: self.at[a] == self.at[b]):
            top, left, bottom, right = grids.box(part)
            rim = {(i, j) for i in range(top, bottom + 1) for j in range(left, right + 1)
                   if i in (top, bottom) or j in (left, right)}
            if bottom - top < 2 or right - left < 2 or part != rim:
                continue
            for i in range(top + 1, bottom):
                for j in range(left + 1, right):
                    area = (bottom - top) * (right - left)
                    if (i, j) not in inner or area < inner[i, j][0]:
                        inner[i, j] = (area, min(part))
        return sorted([k for k in sorted(inner) if inner[k] == frame] for frame in set(inner.values()))

    def boxes(self):
        foreground = [k for k in sorted(self.at) if self.at[k] != self.background]
        parts = [set(p) for p in grids.connected(foreground, MOVES, lambda a, b: True)]
        if len(parts) > 127:
            raise Fail

        def overlap(a, b):
            (t, l, b1, r), (t2, l2, b2, r2) = grids.box(a), grids.box(b)
            return t <= b2 and t2 <= b1 and l <= r2 and l2 <= r

        while True:
            both = next(((a, b) for a in parts for b in parts if a is not b and overlap(a, b)), None)
            if both is None:
                return sorted(sorted(p) for p in parts)
            parts = [p for p in parts if p is not both[0] and p is not both[1]] + [both[0] | both[1]]

    def panels(self):
        lines = {}
        for axis, n, length in ((0, self.h, self.w), (1, self.w, self.h)):
            for x in range(n):
                line = {self.at[(x, y) if axis == 0 else (y, x)] for y in range(length)}
                if len(line) == 1:
                    lines[min(line)] = lines.get(min(line), 0) + 1
        most = most_frequent(list(self.at.values()))

        def order(c):
            return ((c == most) * 2 + (c == self.background), -lines[c], c)

        for color in sorted(lines, key=order):
            runs = []
            for axis, n, length in ((0, self.h, self.w), (1, self.w, self.h)):
                groups, inside = [], False
                for x in range(n):
                    line = all(self.at[(x, y) if axis == 0 else (y, x)] == color for y in range(length))
                    if not line:
                        groups = groups if inside else groups + [[]]
                        groups[-1].append(x)
                    inside = not line
                runs.append(groups)
            panels = [[(i, j) for i in rows for j in columns] for rows in runs[0] for columns in runs[1]]
            if 2 <= len(panels) <= 256:
                return panels
        raise Fail

    def attributes(self, o):
        others = self.objects
        own = set(o.cells)
        beside = [self.at[k] for i, j in o.cells for k in ((i + a, j + b) for a, b in SIDES)
                  if k in self.at and k not in own and self.at[k] != self.background]
        inside = [self.at[k] for k in o.box() if k not in own and self.at[k] != self.background]

        def colors(p):
            return len(set(p.foreground_values))

        def half(first, last, n):
            return 0 if first + last < n - 1 else 2 if first + last > n - 1 else 1

        rows, columns = o.same_turned(5), o.same_turned(4)
        held = [p for p in others if p is not o and any(q.holds(p) for q in others)]
        return {
            "COLOR": o.color, "SIZE": o.size, "HEIGHT": o.h, "WIDTH": o.w, "COLORS": colors(o),
            "HOLES": len(o.holes()), "FULL": o.size == o.h * o.w,
            "AT_RIM": any(i in (0, self.h - 1) or j in (0, self.w - 1) for i, j in o.cells),
            "SIZE_RANK": sum(p.size > o.size for p in others), "SIZE_RANK_UP": sum(p.size < o.size for p in others),
            "TOP_RANK": sum(p.top < o.top for p in others), "LEFT_RANK": sum(p.left < o.left for p in others),
            "BOTTOM_RANK": sum(p.bottom > o.bottom for p in others),
            "RIGHT_RANK": sum(p.right > o.right for p in others),
            "SAME_COLOR": sum(p.color == o.color for p in others), "SAME_SIZE": sum(p.size == o.size for p in others),
            "SAME_SHAPE": sum(p.shape == o.shape for p in others),
            "SAME_TURNED": sum(p.shape in o.turns for p in others),
            "SAME_PICTURE": sum(p.picture == o.picture for p in others),
            "MIRRORED_COLUMNS": columns, "MIRRORED_ROWS": rows,
            "MIRRORED": rows or columns or o.same_turned(6) or o.same_turned(7),
            "TOUCHES": sum(p is not o and o.touches(p) for p in others),
            "HOLDS": sum(o.holds(p) for p in others), "HELD": sum(p.holds(o) for p in others),
            "FACES_UP": any(p.bottom < o.top and o.shares_columns(p) for p in others),
            "FACES_RIGHT": any(p.left > o.right and o.shares_rows(p) for p in others),
            "FACES_DOWN": any(p.top > o.bottom and o.shares_columns(p) for p in others),
            "FACES_LEFT": any(p.right < o.left and o.shares_rows(p) for p in others),
            "TALL": (o.h > o.w) - (o.h < o.w),
            "LINE": (o.left == 0 and o.right == self.w - 1) + 2 * (o.top == 0 and o.bottom == self.h - 1),
            "SECOND_COLOR": most_frequent(o.foreground_values, o.color), "AROUND_COLOR": most_frequent(beside),
            "INSIDE_COLOR": most_frequent(inside),
            "COLOR_RANK": sum(n > self.counts[o.color] for n in self.counts),
            "COLOR_RANK_UP": sum(self.counts[c] < self.counts[o.color] for c in self.foreground_colors),
            "FOREGROUND": len(o.foreground_values), "FOREGROUND_RANK": sum(len(p.foreground_values) > len(o.foreground_values) for p in others),
            "FOREGROUND_RANK_UP": sum(len(p.foreground_values) < len(o.foreground_values) for p in others),
            "HEIGHT_RANK": sum(p.h > o.h for p in others), "WIDTH_RANK": sum(p.w > o.w for p in others),
            "COLORS_RANK": sum(colors(p) > colors(o) for p in others),
            "HOLES_RANK": sum(len(p.holes()) > len(o.holes()) for p in others),
            "COLOR_SIZE_RANK": sum(p.color == o.color and p.size > o.size for p in others),
            "SIZE_MOD2": o.size % 2, "ROW_HALF": half(o.top, o.bottom, self.h),
            "COLUMN_HALF": half(o.left, o.right, self.w), "TOP_ROW": o.top, "LEFT_COLUMN": o.left,
            "BELOW": self.h - 1 - o.bottom, "BESIDE": self.w - 1 - o.right,
            "RARE_CELLS": o.foreground_values.count(self.rarest), "OBJECTS": len(others), "AREA": o.h * o.w,
            "PARTS": len(grids.connected([k for k in o.cells if self.at[k] != self.background], MOVES,
                                         lambda a, b: self.at[a] == self.at[b])),
            "OTHER_FOREGROUND": sum(c != o.color for c in o.foreground_values),
            "OWN_COLORS": len(set(o.foreground_values) - {c for p in others if p is not o for c in p.foreground_values}),
            "SAME_COLORS": sum(set(p.foreground_values) == set(o.foreground_values) for p in others),
            "SYMMETRIES": sum(o.same_turned(t) for t in range(1, 8)),
            "TWINS_OTHER": sum(p.shape == o.shape and p.color != o.color for p in others),
            "TURNED_OTHERS": sum(p.shape in o.turns and p.color != o.color for p in others),
            "FACES_SAME": sum(p.color == o.color and o.shares_rows(p) != o.shares_columns(p) for p in others),
            "HEIGHT_MOD2": o.h % 2, "WIDTH_MOD2": o.w % 2,
            "TWINS_HELD": sum(p.shape == o.shape for p in held), "TURNED_HELD": sum(p.shape in o.turns for p in held),
            "TWINS_TOUCHING": sum(p is not o and p.shape == o.shape and any(q is not p and p.touches(q) for q in others)
                                  for p in others),
            "COLOR_HELD": sum(p.color == o.color for p in held),
        }

    def partner(self, o, name):
        all_of = list(self.objects)
        others = [p for p in all_of if p is not o]

        def first(items, key=lambda p: 0):
            return min(items, key=key) if items else None  # min takes the first of equals

        def nearest(condition):
            return first([p for p in others if condition(p)], o.distance)

        def absolute(items, key=lambda p: 0):
            found = first(items, key)
            return None if found is o else found

        def apart(p):
            return o.shares_rows(p) != o.shares_columns(p)

        known = o.known
        return {
            "NEAREST": lambda: nearest(lambda p: True),
            "TOUCHING": lambda: first([p for p in others if o.touches(p)]),
            "HOLDER": lambda: first([p for p in others if p.holds(o)], lambda p: p.h * p.w),
            "HELD": lambda: first([p for p in others if o.holds(p)], lambda p: -p.size),
            "FACING": lambda: nearest(apart),
            "OTHER_COLOR": lambda: nearest(lambda p: p.color != o.color),
            "SAME_COLOR": lambda: nearest(lambda p: p.color == o.color),
            "TWIN": lambda: nearest(lambda p: p.shape == o.shape),
            "TURNED_TWIN": lambda: nearest(lambda p: p.shape in o.turns),
            "OTHER_SHAPE": lambda: nearest(lambda p: p.shape != o.shape),
            "SAME_SIZE": lambda: nearest(lambda p: p.size == o.size),
            "LARGEST": lambda: absolute(all_of, lambda p: -p.size),
            "SMALLEST": lambda: absolute(all_of, lambda p: p.size),
            "ODD_COLOR": lambda: absolute([p for p in all_of if p.known["SAME_COLOR"] == 1]),
            "ODD_SHAPE": lambda: absolute([p for p in all_of if p.known["SAME_SHAPE"] == 1]),
            "UP": lambda: nearest(lambda p: p.bottom < o.top and o.shares_columns(p)),
            "RIGHT": lambda: nearest(lambda p: p.left > o.right and o.shares_rows(p)),
            "DOWN": lambda: nearest(lambda p: p.top > o.bottom and o.shares_columns(p)),
            "LEFT": lambda: nearest(lambda p: p.right < o.left and o.shares_rows(p)),
            "LARGER": lambda: nearest(lambda p: p.size > o.size),
            "SMALLER": lambda: nearest(lambda p: p.size < o.size),
            "LINE": lambda: nearest(lambda p: p.known["LINE"] != 0),
            "RAREST": lambda: nearest(lambda p: p.color == self.rarest),
            "COLORFUL": lambda: nearest(lambda p: p.known["COLORS"] > known["COLORS"]),
            "SAME_COLOR_LARGER": lambda: nearest(lambda p: p.color == o.color and p.size > o.size),
            "FACING_SAME": lambda: nearest(lambda p: apart(p) and p.color == o.color),
            "FACING_OTHER": lambda: nearest(lambda p: apart(p) and p.color != o.color),
            "FACING_LARGER": lambda: nearest(lambda p: apart(p) and p.size > o.size),
            "MARKED": lambda: nearest(lambda p: p.color == known["SECOND_COLOR"]),
            "TWIN_OTHER": lambda: nearest(lambda p: p.shape == o.shape and p.color != o.color),
            "TURNED_OTHER": lambda: nearest(lambda p: p.shape in o.turns and p.color != o.color),
            "TOUCHING_LARGEST": lambda: first([p for p in others if o.touches(p)], lambda p: -p.size),
            "FIRST": lambda: absolute(all_of),
            "LARGEST_SAME": lambda: absolute([p for p in all_of if p.color == o.color], lambda p: -p.size),
            "ANCHOR": lambda: None,
        }[name]()

    # ---- acts ----

    def color(self, o, source):
        if source < 10:
            return source
        if source >= 32:
            partner = o.partners[source - 32]
            return partner.color if partner else -1
        others = [c for c in self.foreground_colors if c != o.color]
        return {"AS_IS": o.color, "SECOND": o.known["SECOND_COLOR"], "AROUND": o.known["AROUND_COLOR"],
                "INSIDE": o.known["INSIDE_COLOR"], "RAREST": self.rarest,
                "MOST": min(self.foreground_colors, key=lambda c: (-self.counts[c], c)) if self.foreground_colors else -1,
                "BACKGROUND": self.background, "OTHER": others[0] if len(others) == 1 else -1,
                "UPPER_LEFT": self.at[0, 0], "UPPER_RIGHT": self.at[0, self.w - 1],
                "LOWER_LEFT": self.at[self.h - 1, 0], "LOWER_RIGHT": self.at[self.h - 1, self.w - 1],
                "BEFORE_ROW": self.at[o.top, 0], "BEFORE_COLUMN": self.at[0, o.left],
                "LEGEND": self.legend().get(o.color, -1), "MAIN": o.color}[SOURCES[source - 10]]

    def legend(self):
        """Colors paired by multicolor components that are full rectangles two cells wide or high, the first ones first."""
        pairs = {}
        foreground = [k for k in sorted(self.at) if self.at[k] != self.background]
        for part in grids.connected(foreground, MOVES, lambda a, b: True):
            top, left, bottom, right = grids.box(part)
            if len(part) != (bottom - top + 1) * (right - left + 1):
                continue
            rows = [[self.at[i, j] for j in range(left, right + 1)] for i in range(top, bottom + 1)]
            for lines in (rows, [list(c) for c in zip(*rows)]):
                if all(len(line) == 2 and line[0] != line[1] for line in lines):
                    for x, y in lines:
                        pairs.setdefault(x, y)
                        pairs.setdefault(y, x)
                    break
        return pairs

    def directions(self, o, by):
        """Those that a number names for an object."""
        if by < 8:
            return [by]
        if by < FIRST_BEARING:
            return SEVERAL[by - 8]
        name = BEARINGS[by - FIRST_BEARING]
        if name in ("ALONG", "ACROSS"):
            return [] if o.h == o.w else [0, 2] if (o.h > o.w) == (name == "ALONG") else [1, 3]
        middle = (o.top + o.bottom, o.left + o.right)
        if name in ("INWARD", "OUTWARD"):
            aim = (self.h - 1, self.w - 1)
        else:
            marks = [k for k in o.cells if self.at[k] == o.known["SECOND_COLOR"]]
            if not marks:
                return []
            top, left, bottom, right = grids.box(marks)
            aim = (top + bottom, left + right)
        signs = tuple((a > m) - (a < m) for a, m in zip(aim, middle))
        if name in ("OUTWARD", "UNMARKED"):
            signs = tuple(-x for x in signs)
        return [MOVES.index(signs)] if signs in MOVES else []

    def mirror(self, o, name, by):
        """(rows, columns): cell (i, j) is shown at (rows - i, columns - j), None where they stay; None: there is none."""
        if name in ("COLUMNS", "ROWS", "BOTH"):
            return (None if name == "COLUMNS" else self.h - 1), (None if name == "ROWS" else self.w - 1)
        if name in ("SIDE", "EDGE"):
            directions = self.directions(o, by)
            if len(directions) != 1:
                return None
            beyond = int(name == "SIDE")
            di, dj = MOVES[directions[0]]
            return ({-1: 2 * o.top - beyond, 0: None, 1: 2 * o.bottom + beyond}[di],
                    {-1: 2 * o.left - beyond, 0: None, 1: 2 * o.right + beyond}[dj])
        p = o.partners[by]
        direction = o.direction_to(p) if p else -1
        if direction < 0:
            return None
        di, dj = MOVES[direction]
        if name == "MIDDLE":
            return (p.top + p.bottom if di else None), (p.left + p.right if dj else None)
        return {-1: 2 * p.bottom, 0: None, 1: 2 * p.top}[di], {-1: 2 * p.right, 0: None, 1: 2 * p.left}[dj]

    def ray(self, o, start, direction, until):
        """Cells beside start in a direction: to the edge, to what is neither background nor o's, or to an object."""
        own, cells = set(o.cells), []
        i, j = start
        while True:
            i, j = i + MOVES[direction][0], j + MOVES[direction][1]
            if (i, j) not in self.at:
                return [] if isinstance(until, Object) else [k for k in cells if k not in own]
            if isinstance(until, Object) and (i, j) in until.cells:
                break
            if until == "background" and self.at[i, j] != self.background and (i, j) not in own:
                break
            cells.append((i, j))
        return [k for k in cells if k not in own]

    def region(self, o, name, by):
        own, box = set(o.cells), o.box()
        every = list(self.at)

        def around(moves):
            return {(i + a, j + b) for i, j in own for a, b in moves} - own

        def mirrored(turns):
            return [(o.top + i, o.left + j) for t in turns for i, j in turned(o.picture, t)[0]
                    if (o.top + i, o.left + j) not in own]

        def core(k):
            return all((k[0] + a, k[1] + b) in own for a, b in SIDES)

        edge_of_box = [(i, j) for i, j in box if i in (o.top, o.bottom) or j in (o.left, o.right)]
        rays = name in ("RAYS", "REACH", "CORNER_RAYS", "CORNER_REACH")
        directions = self.directions(o, by) if rays else []
        if rays and not directions:
            return None

        def between(k, axis):
            line = [x[axis] for x in own if x[1 - axis] == k[1 - axis]]
            return bool(line) and min(line) < k[axis] < max(line)

        corner = {4: (o.top, o.right), 5: (o.bottom, o.right), 6: (o.bottom, o.left), 7: (o.top, o.left)}
        if name in ("TOWARD", "AWAY", "BETWEEN"):
            p = o.partners[by]
            direction = o.direction_to(p) if p else -1
            if direction < 0:
                return None
            if name == "TOWARD":
                return [k for c in o.cells for k in self.ray(o, c, direction, p)]
            if name == "AWAY":
                return [k for c in o.cells for k in self.ray(o, c, (direction + 2) % 4, "background")]
            if o.shares_columns(p):
                rows = range(min(o.bottom, p.bottom) + 1, max(o.top, p.top))
                return [(i, j) for i in rows for j in range(max(o.left, p.left), min(o.right, p.right) + 1)]
            columns = range(min(o.right, p.right) + 1, max(o.left, p.left))
            return [(i, j) for j in columns for i in range(max(o.top, p.top), min(o.bottom, p.bottom) + 1)]
        if name in ("CROSSING", "OVERLAP", "SPAN", "LINE", "THROUGH", "ELBOW"):
            return self.about_both(o, o.partners[by], name) if o.partners[by] else None
        if name == "MIRROR_ALL" and o.h != o.w or name == "CENTER" and not (o.h % 2 and o.w % 2):
            return None
        return {
            "OWN": lambda: own, "HOLES": lambda: [k for hole in o.holes() for k in hole],
            "BOX_REST": lambda: set(box) - own, "BOX": lambda: box,
            "FRAME": lambda: {(i, j) for i in range(o.top - 1, o.bottom + 2)
                              for j in range(o.left - 1, o.right + 2)} - set(box),
            "BOX_EDGE": lambda: edge_of_box, "BOX_INSIDE": lambda: set(box) - set(edge_of_box),
            "EDGE": lambda: [k for k in own if not core(k)], "CORE": lambda: [k for k in own if core(k)],
            "SIDES": lambda: around(SIDES), "CORNERS": lambda: around(CORNERS) - around(SIDES),
            "HALO": lambda: around(MOVES),
            "ROWS": lambda: [k for k in every if o.top <= k[0] <= o.bottom and k not in own],
            "COLUMNS": lambda: [k for k in every if o.left <= k[1] <= o.right and k not in own],
            "CROSS": lambda: [k for k in every if k not in own
                              and (o.top <= k[0] <= o.bottom or o.left <= k[1] <= o.right)],
            "MIDDLE": lambda: {(i // 2, j // 2) for i in (o.top + o.bottom, o.top + o.bottom + 1)
                               for j in (o.left + o.right, o.left + o.right + 1)},
            "CENTER": lambda: [((o.top + o.bottom) // 2, (o.left + o.right) // 2)],
            "BOX_AROUND": lambda: {(i, j) for i in range(o.top - 1, o.bottom + 2)
                                   for j in range(o.left - 1, o.right + 2)} - own,
            "INNER_ROWS": lambda: [k for k in box if k not in own and between(k, 1)],
            "INNER_COLUMNS": lambda: [k for k in box if k not in own and between(k, 0)],
            "INNER": lambda: [k for k in box if k not in own and between(k, 0) and between(k, 1)],
            "BOX_CORNERS": lambda: [(i, j) for i in (o.top, o.bottom) for j in (o.left, o.right)],
            "MIRROR_COLUMNS": lambda: mirrored([4]), "MIRROR_ROWS": lambda: mirrored([5]),
            "MIRROR_BOTH": lambda: mirrored([2, 4, 5]), "MIRROR_ALL": lambda: mirrored(range(1, 8)),
            "RAYS": lambda: [k for c in o.cells for d in directions for k in self.ray(o, c, d, "edge")],
            "REACH": lambda: [k for c in o.cells for d in directions for k in self.ray(o, c, d, "background")],
            "CORNER_RAYS": lambda: [k for d in directions if d >= 4 for k in self.ray(o, corner[d], d, "edge")],
            "CORNER_REACH": lambda: [k for d in directions if d >= 4 for k in self.ray(o, corner[d], d, "background")],
        }[name]()

    def about_both(self, o, p, name):
        if name == "CROSSING":
            return [(i, j) for i in range(o.top, o.bottom + 1) for j in range(p.left, p.right + 1)]
        if name == "OVERLAP":
            return set(o.box()) & set(p.box())
        if name == "SPAN":
            top, left, bottom, right = grids.box(o.cells + p.cells)
            return {(i, j) for i in range(top, bottom + 1) for j in range(left, right + 1)} - set(o.cells)
        if any(x.h % 2 == 0 or x.w % 2 == 0 for x in (o, p)):
            return None
        (i, j), (a, b) = (((x.top + x.bottom) // 2, (x.left + x.right) // 2) for x in (o, p))
        if (i, j) == (a, b):
            return None
        between = lambda x, y: range(min(x, y), max(x, y) + 1)
        if name == "ELBOW":
            cells = {(i, y) for y in between(j, b)} | {(x, b) for x in between(i, a)}
        elif i != a and j != b and abs(a - i) != abs(b - j):
            return None
        else:
            di, dj = (a > i) - (a < i), (b > j) - (b < j)
            far = max(abs(a - i), abs(b - j)) if name == "LINE" else self.h + self.w
            cells = {(i + k * di, j + k * dj) for k in range(far)}
        return cells - set(o.cells) - set(p.cells)

    def fitted(self, o, p):
        """The cells of o turned and enlarged so that those in p's colors lie on p; None: there is no such way."""
        colors = {self.at[k] for k in p.cells}
        picture = {(i - o.top, j - o.left): self.at[i, j] for i, j in o.cells}
        keys = [k for k, c in picture.items() if c in colors]
        scales = [s for s in range(1, 33) if s * s * len(keys) == len(p.cells)]
        if not scales or len(keys) == len(picture):
            return None
        for turn in range(8):
            large = {(scales[0] * i + a, scales[0] * j + b): c for (i, j), c in turned((picture, o.h, o.w), turn)[0].items()
                     for a in range(scales[0]) for b in range(scales[0])}
            first = min(k for k, c in large.items() if c in colors)
            di, dj = p.cells[0][0] - first[0], p.cells[0][1] - first[1]
            if {(i + di, j + dj): c for (i, j), c in large.items() if c in colors} == {k: self.at[k] for k in p.cells}:
                return {(i + di, j + dj): c for (i, j), c in large.items() if (i + di, j + dj) in self.at}
        return None

    def vector(self, o, name, by):
        if name == "BY":
            return by
        di, dj = 0, 0
        if name in ("OWN", "SIZE", "RIM", "ONE"):
            directions = self.directions(o, by)
            if len(directions) != 1:
                return None
            di, dj = MOVES[directions[0]]
        if name == "ONE":
            return di, dj
        if name == "GRID_MIDDLE":
            down, right = self.h - 1 - o.bottom - o.top, self.w - 1 - o.right - o.left
            return None if down % 2 or right % 2 else (down // 2, right // 2)
        if name == "OWN":
            return di * o.h, dj * o.w
        if name == "SIZE":
            return di * o.size, dj * o.size
        if name == "RIM":
            return ((-o.top, 0, self.h - 1 - o.bottom)[di + 1], (-o.left, 0, self.w - 1 - o.right)[dj + 1])
        if name.startswith("MIRROR"):
            return ((self.h - 1 - o.bottom - o.top) * (name != "MIRROR_COLUMNS"),
                    (self.w - 1 - o.right - o.left) * (name != "MIRROR_ROWS"))
        if name.startswith("SORT"):
            rank = o.known["SIZE_RANK" if name.endswith("DOWN") else "SIZE_RANK_UP"]
            columns = "COLUMNS" in name
            slots = [p for p in self.objects if p.known["LEFT_RANK" if columns else "TOP_RANK"] == rank]
            if len(slots) != 1:
                return None
            return (0, slots[0].left - o.left) if columns else (slots[0].top - o.top, 0)
        p = o.partners[by]
        if p is None:
            return None
        rows, columns = p.top + p.bottom - o.top - o.bottom, p.left + p.right - o.left - o.right
        direction = o.direction_to(p)
        if name in ("MIDDLE_ROWS", "MIDDLES") and rows % 2 or name in ("MIDDLE_COLUMNS", "MIDDLES") and columns % 2:
            return None
        if name in ("OVER", "BESIDE", "STEP", "OWN_TOWARD", "OWN_AWAY") and direction < 0:
            return None
        if name in ("STEP", "OWN_TOWARD", "OWN_AWAY"):
            n = {"STEP": 1, "OWN_TOWARD": 1, "OWN_AWAY": -1}[name]
            di, dj = MOVES[direction]
            return (n * di, n * dj) if name == "STEP" else (n * di * o.h, n * dj * o.w)
        if name == "FRAME":
            def gap(first, last, other_first, other_last):
                return other_last + 1 - first if first > other_last else other_first - 1 - last if last < other_first else 0
            return gap(o.top, o.bottom, p.top, p.bottom), gap(o.left, o.right, p.left, p.right)
        if name in ("TURNED_LEFT", "TURNED_RIGHT", "ACROSS"):
            i, j = -rows, -columns  # twice its middle, as seen from the partner's
            to = {"TURNED_LEFT": (-j, i), "TURNED_RIGHT": (j, -i), "ACROSS": (-i, -j)}[name]
            return None if (to[0] - i) % 2 or (to[1] - j) % 2 else ((to[0] - i) // 2, (to[1] - j) // 2)
        if name == "MARK":
            marks = [k for k in o.cells if self.at[k] == o.known["SECOND_COLOR"]]
            return (p.cells[0][0] - marks[0][0], p.cells[0][1] - marks[0][1]) if marks else None
        if name == "BESIDE":
            steps = []
            for c in o.cells:
                (i, j), n = c, 0
                while (i, j) in self.at and (i, j) not in p.cells:
                    i, j, n = i + MOVES[direction][0], j + MOVES[direction][1], n + 1
                steps += [n] if (i, j) in self.at else []
            n = min(steps or [o.distance(p)]) - 1
            return MOVES[direction][0] * n, MOVES[direction][1] * n
        return {"TOPS": (p.top - o.top, 0), "BOTTOMS": (p.bottom - o.bottom, 0), "LEFTS": (0, p.left - o.left),
                "RIGHTS": (0, p.right - o.right), "MIDDLE_ROWS": (rows // 2, 0), "MIDDLE_COLUMNS": (0, columns // 2),
                "MIDDLES": (rows // 2, columns // 2), "PLACE": (p.top - o.top, p.left - o.left),
                "OVER": (rows, 0) if direction % 2 == 0 else (0, columns)}[name]

    def shifted(self, o, di, dj):
        return {(i + di, j + dj): self.at[i, j] for i, j in o.cells if (i + di, j + dj) in self.at}

    def painted(self, o, act, how, by):
        """{cell: color, None for the paint}; None: it cannot be done."""
        if act == "PAINT":
            region = self.region(o, REGIONS[how], by)
            return None if region is None else {k: None for k in region if k in self.at}
        if act in ("MOVE", "COPY", "REPEAT"):
            vector = self.vector(o, VECTORS[how], by)
            if vector is None or tuple(vector) == (0, 0):
                return None
            cells, times = {}, 1
            while True:
                more = self.shifted(o, times * vector[0], times * vector[1])
                cells = {**more, **cells}
                if act != "REPEAT" or not more:
                    return cells
                times += 1
        if act in ("MIRROR", "REFLECT"):
            mirror = self.mirror(o, MIRRORS[how], by)
            if mirror is None:
                return None
            shown = {}
            for i, j in o.cells:
                k = (i if mirror[0] is None else mirror[0] - i, j if mirror[1] is None else mirror[1] - j)
                if k in self.at:
                    shown.setdefault(k, self.at[i, j])
            return shown
        if act == "TURN":
            own = ({(i - o.top, j - o.left): self.at[i, j] for i, j in o.cells}, o.h, o.w)
            return {(o.top + i, o.left + j): c for (i, j), c in turned(own, how)[0].items()
                    if (o.top + i, o.left + j) in self.at}
        if act in ("STAMP", "ADD"):
            vector = self.vector(o, "MIDDLES", by)
            if vector is None:
                return None
            under = self.shifted(o.partners[by], -vector[0], -vector[1])
            return {**under, **self.shifted(o, 0, 0)} if act == "ADD" else under
        if act in ("FIT", "DOCK"):
            return self.fitted(o, o.partners[by]) if o.partners[by] else None
        return {}


LEAVES = ("DELETE", "MOVE", "TURN", "SLIDE", "STAMP", "MIRROR", "DOCK")


def slide_direction(o, name, by):
    if name == "ONE_WAY":
        directions = o.scene.directions(o, by)
        return directions[0] if len(directions) == 1 else -1
    direction = o.direction_to(o.partners[by]) if o.partners[by] else -1
    return (direction + 2) % 4 if direction >= 0 and name == "AWAY" else direction


def asked(o, number):
    """An attribute, the object's own or a partner's."""
    who = o if number < OF_PARTNER else o.partners[number // OF_PARTNER - 1]
    return who.known[ATTRIBUTES[number % OF_PARTNER]] if who else -1


def decide(rule, o):
    while len(rule) == 5:
        attribute, test, number, yes, no = rule
        x = asked(o, attribute)
        y = asked(o, number) if test == 2 else number
        rule = yes if (x > y if test == 1 else x == y) else no
    return rule


def object_rule(grid, segmentation, under, rule):
    s = Scene(grid, *segmentation)
    to, paints, slides = dict(s.at), [], []
    for o in s.objects:
        act, how, by, source = decide(rule, o)
        act = ACTS[act]
        color = s.color(o, source)
        direction = slide_direction(o, SLIDES[how], by) if act == "SLIDE" else -1
        cells = s.painted(o, act, how, by) if act != "SLIDE" else None if direction < 0 else {}
        if color < 0 or cells is None:
            continue
        if act in LEAVES:
            for k in o.cells:
                to[k] = s.background
        paints.append((o, cells, color, source))
        if act == "SLIDE":
            ahead = ({-1: -o.top, 0: 0, 1: o.bottom}[MOVES[direction][0]] +
                     {-1: -o.left, 0: 0, 1: o.right}[MOVES[direction][1]])
            slides.append((direction, -ahead, s.objects.index(o), o, color, source))
    for o, cells, color, source in paints:
        for k, c in cells.items():
            if not under or s.at[k] == s.background or k in o.cells:
                to[k] = c if source == 10 and c is not None else color
    for direction, _, _, o, color, source in sorted(slides, key=lambda x: x[:3]):
        n = 0
        while all(to.get((i + (n + 1) * MOVES[direction][0], j + (n + 1) * MOVES[direction][1])) == s.background
                  for i, j in o.cells):
            n += 1
        for k, c in s.shifted(o, n * MOVES[direction][0], n * MOVES[direction][1]).items():
            to[k] = c if source == 10 else color
    return tuple(tuple(to[i, j] for j in range(s.w)) for i in range(s.h))


def relation(s, a, b, name):
    """What is known about a source and an anchor together."""
    rows, columns = a.shares_rows(b), a.shares_columns(b)
    middle = (a.top + a.bottom - b.top - b.bottom, a.left + a.right - b.left - b.right)
    signs = ((b.top > a.bottom) - (b.bottom < a.top), (b.left > a.right) - (b.right < a.left))

    def nearer(x, color=None):
        return sum(p.distance(x) < a.distance(b) and color in (None, p.color) for p in s.objects if p is not a and p is not b)

    def blocked():
        if rows == columns:
            return -1
        between = s.region(a, "BETWEEN", ANCHOR)
        return sum(any(k in p.cells for k in between) for p in s.objects if p is not a and p is not b)

    a.partners[ANCHOR] = b
    value = {
        "SAME_COLOR": lambda: a.color == b.color, "SAME_SHAPE": lambda: a.shape == b.shape,
        "SAME_TURNED": lambda: a.shape in b.turns, "LARGER": lambda: (a.size > b.size) - (a.size < b.size),
        "TOUCHES": lambda: a.touches(b), "INSIDE": lambda: a.holds(b) - b.holds(a),
        "STRAIGHT": lambda: 0 if rows == columns else 1 if columns else 2,
        "MIDDLES": lambda: (4 if middle == (0, 0) else 1 if middle[1] == 0 else 2 if middle[0] == 0
                            else 3 * (abs(middle[0]) == abs(middle[1]))),
        "WAY": lambda: MOVES.index(signs) if signs in MOVES else -1, "BLOCKED": blocked,
        "DISTANCE": lambda: min(127, a.distance(b)), "NEARER": lambda: nearer(a), "NEARER_LIKE": lambda: nearer(a, b.color),
        "NEARER_BACK": lambda: nearer(b), "SHARES": lambda: b.color in [s.at[k] for k in a.cells],
        "SECOND": lambda: a.known["SECOND_COLOR"] == b.color, "BEFORE": lambda: a.cells[0] < b.cells[0]}[name]()
    return int(value)


def asked_of_pair(s, a, b, number):
    if number >= OF_BOTH:
        return relation(s, a, b, RELATIONS[number - OF_BOTH])
    return (b if number >= OF_ANCHOR else a).known[ATTRIBUTES[number % OF_ANCHOR]]


def decide_pair(rule, s, a, b):
    while len(rule) == 5:
        attribute, test, number, yes, no = rule
        x = asked_of_pair(s, a, b, attribute)
        y = asked_of_pair(s, a, b, number) if test == 2 else number
        rule = yes if (x > y if test == 1 else x == y) else no
    return rule


def pair_rule(grid, segmentation, under, rule):
    s = Scene(grid, *segmentation)
    to, paints = dict(s.at), []
    for a in s.objects:
        for b in s.objects:
            act, how, by, source = decide_pair(rule, s, a, b) if a is not b else (0, 0, 0, 10)
            a.partners[ANCHOR] = b
            color, cells = s.color(a, source), s.painted(a, ACTS[act], how, by)
            if color >= 0 and cells is not None:
                paints.append((a, cells, color, source))
                for k in a.cells if ACTS[act] in LEAVES else ():
                    to[k] = s.background
    for a, cells, color, source in paints:
        for k, c in cells.items():
            if not under or s.at[k] == s.background or k in a.cells:
                to[k] = c if source == 10 and c is not None else color
    return tuple(tuple(to[i, j] for j in range(s.w)) for i in range(s.h))


def object_attribute(grid, segmentation, attribute):
    s = Scene(grid, *segmentation)
    to = {k: o.known[ATTRIBUTES[attribute]] for o in s.objects for k in o.cells}
    return tuple(tuple(to.get((i, j), -1) for j in range(s.w)) for i in range(s.h))


def meeting(s, conditions):
    """The objects that meet all conditions."""
    def meets(o, condition):
        attribute, test, number = condition
        value = lambda p: p.known[ATTRIBUTES[attribute]]
        x = value(o)
        if test >= 6:  # how many have more, less, as much
            n = sum((value(p) > x, value(p) < x, value(p) == x)[test % 3] for p in s.objects)
            return (n == number) != (test >= 9)
        y = o.known[ATTRIBUTES[number]] if test == 2 or test == 5 else number
        return (x > y if test % 3 == 1 else x == y) != (test >= 3)

    return [o for o in s.objects if all(meets(o, c) for c in conditions)]


def cut_out(s, o, how):
    inner = {2: 1, 3: -1}.get(how, 0)
    rows = range(o.top + inner, o.bottom + 1 - inner)
    columns = range(o.left + inner, o.right + 1 - inner)
    if not rows or not columns:
        raise Fail
    return tuple(tuple(s.background if how == 1 and (i, j) not in o.cells else s.at.get((i, j), s.background) for j in columns)
                 for i in rows)


def object_pick(grid, segmentation, conditions, how):
    s = Scene(grid, *segmentation)
    chosen = [cut_out(s, o, how) for o in meeting(s, conditions)]
    if not chosen or any(c != chosen[0] for c in chosen):
        raise Fail
    return chosen[0]


# ---- random calls ----

def random_grid(rng):
    h, w = rng.randint(1, 9), rng.randint(1, 9)
    kind, colors = rng.random(), rng.sample(range(10), rng.randint(1, 4))
    if rng.random() < 0.7 and 0 not in colors:
        colors.append(0)
    background = 0 if 0 in colors else colors[0]
    grid = [[background] * w for _ in range(h)]
    if kind < 0.3:  # noise
        grid = [[rng.choice(colors + [background]) for _ in range(w)] for _ in range(h)]
    else:
        for _ in range(rng.randint(1, 5)):
            i, j, a, b = rng.randrange(h), rng.randrange(w), rng.randint(1, 4), rng.randint(1, 4)
            c, hollow = rng.choice(colors), rng.random() < 0.3
            for x in range(i, min(h, i + a)):
                for y in range(j, min(w, j + b)):
                    if not (hollow and i < x < i + a - 1 and j < y < j + b - 1) and rng.random() < 0.9:
                        grid[x][y] = c
    if kind > 0.85:  # lines that divide it
        c = rng.choice(colors)
        for i in range(h):
            grid[i][w // 2] = c
    return tuple(tuple(row) for row in grid)


def random_by(rng, by):
    bearing = lambda n: FIRST_BEARING + rng.randrange(n)
    return {"NOTHING": lambda: 0, "DIRECTION": lambda: rng.choice((rng.randrange(8), rng.randrange(8), bearing(4))),
            "WAYS": lambda: rng.choice((rng.randrange(13), rng.randrange(13), bearing(len(BEARINGS)))),
            "PARTNER": lambda: rng.randrange(len(PARTNERS)),
            "PAIR": lambda: (rng.randint(-4, 4), rng.randint(-4, 4))}[by]()


def random_act(rng):
    act = rng.choice(["PAINT", "PAINT", "PAINT", "MOVE", "COPY", "SLIDE"] + ACTS)
    rows = {"PAINT": REGION_BY, "MOVE": VECTOR_BY, "COPY": VECTOR_BY, "REPEAT": VECTOR_BY, "SLIDE": SLIDE_BY,
            "MIRROR": MIRROR_BY, "REFLECT": MIRROR_BY,
            "STAMP": ["PARTNER"], "ADD": ["PARTNER"], "TURN": ["NOTHING"] * 8}.get(act, ["NOTHING"])
    how = rng.randrange(len(rows))
    color = rng.choice([10, 10, rng.randrange(10), 10 + rng.randrange(len(SOURCES)), 32 + rng.randrange(len(PARTNERS))])
    return ACTS.index(act), how, random_by(rng, rows[how]), color


def random_pair_rule(rng, depth=2):
    if depth == 0 or rng.random() < 0.2:
        while True:
            act, how, by, color = random_act(rng)
            partner = ACTS[act] in ("STAMP", "ADD", "FIT", "DOCK") or (ACTS[act] == "PAINT" and REGION_BY[how] == "PARTNER") or (
                ACTS[act] in ("MOVE", "COPY", "REPEAT") and VECTOR_BY[how] == "PARTNER") or (
                ACTS[act] in ("MIRROR", "REFLECT") and MIRROR_BY[how] == "PARTNER")
            if ACTS[act] != "SLIDE" and (partner or rng.random() < 0.3):
                return act, how, ANCHOR if partner and rng.random() < 0.9 else by, color
    number = rng.choice([rng.randrange(len(ATTRIBUTES)), OF_ANCHOR + rng.randrange(len(ATTRIBUTES)),
                         OF_BOTH + rng.randrange(len(RELATIONS)), OF_BOTH + rng.randrange(len(RELATIONS))])
    test = rng.choice([0, 0, 1, 1, 2])
    other = OF_BOTH + rng.randrange(len(RELATIONS)) if test == 2 else rng.randint(-1, 4)
    return number, test, other, random_pair_rule(rng, depth - 1), random_pair_rule(rng, depth - 1)


def random_rule(rng, depth=2):
    if depth == 0 or rng.random() < 0.4:
        return random_act(rng)
    def of_someone():
        partner = rng.randrange(len(PARTNERS)) if rng.random() < 0.3 else -1
        return rng.randrange(len(ATTRIBUTES)) + OF_PARTNER * (1 + partner)

    test, attribute = rng.choice([0, 0, 1, 1, 2]), of_someone()
    number = of_someone() if test == 2 else rng.randint(-1, 5)
    return attribute, test, number, random_rule(rng, depth - 1), random_rule(rng, depth - 1)


def random_condition(rng):
    test, attribute = rng.randrange(12), rng.randrange(len(ATTRIBUTES))
    return attribute, test, rng.randrange(len(ATTRIBUTES)) if test in (2, 5) else rng.randint(-1, 4)


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for k in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1000):
        grid, segmentation, background = random_grid(rng), rng.randrange(len(SEGMENTATIONS)), rng.choice([-2, -1, -1, -1, 0, 3])
        kind = rng.random()
        if kind < 0.25:
            conditions = tuple(random_condition(rng) for _ in range(rng.randint(0, 2)))
            name, f, args = "object_pick", object_pick, (grid, (segmentation, background), conditions, rng.randrange(4))
        elif kind < 0.45:
            name, f, args = "object_attribute", object_attribute, (grid, (segmentation, background), k % len(ATTRIBUTES))
        elif kind < 0.7:
            name, f, args = "pair_rule", pair_rule, (grid, (segmentation, background), rng.randrange(2), random_pair_rule(rng))
        else:
            name, f, args = "object_rule", object_rule, (grid, (segmentation, background), rng.randrange(2), random_rule(rng))
        try:
            value = str(f(*args))
        except Fail:
            value = "!"
        print("%s(%s)\t%s" % (name, ", ".join(map(str, args)), value))


if __name__ == "__main__":
    main()

"""check.py BATT FILE [ROUNDS [SEED]]: random calls of our own primitives with the values that the slow models give them,
written to FILE for `batt eval --vectors`. Models are in the table below, or in scripts of their own beside this file:
`SCRIPT.py SEED CALLS` prints lines EXPRESSION<TAB>VALUE, `!` for a failure. Every primitive of `batt prims` that is ours must
have a model, or stand in LEFT_OUT with the reason."""
import glob
import json
import os
import random
import subprocess
import sys

import cells
import echo
import mosaics
import panels
import cyclic_shifts
import stamps
from grids import Failed, tuples

# ---- random values ----


def colors(rng, maximum=4):
    chosen = rng.sample(range(10), rng.randint(1, maximum))
    if 0 not in chosen and rng.random() < 0.7:
        chosen[0] = 0
    return chosen


def noise(rng, h, w, chosen):
    weights = [rng.choice((1, 6))] + [1] * (len(chosen) - 1)
    return [rng.choices(chosen, weights, k=w) for _ in range(h)]


def periodic(rng, h, w, chosen):
    t = noise(rng, rng.randint(1, 4), rng.randint(1, 4), chosen)
    g = [[t[i % len(t)][j % len(t[0])] for j in range(w)] for i in range(h)]
    for _ in range(rng.randint(0, 4)):
        g[rng.randrange(h)][rng.randrange(w)] = chosen[0]
    return g


def lined(rng, h, w, chosen):
    g, line = noise(rng, h, w, chosen), rng.randrange(10)
    for i in range(h):
        if rng.random() < 0.3:
            g[i] = [line] * w
    for j in range(w):
        if rng.random() < 0.3:
            for i in range(h):
                g[i][j] = line
    return g


def mirrored(rng, h, w, chosen):
    g = noise(rng, h, w, chosen)
    return [[g[i][min(j, w - 1 - j)] for j in range(w)] for i in range(h)]


def blocks(rng, h, w, chosen):
    n = rng.randint(2, 3)
    t = noise(rng, (h + n - 1) // n, (w + n - 1) // n, chosen)
    return [[t[i // n][j // n] for j in range(w)] for i in range(h)]


def pieces(rng, h, w, chosen):
    """A few rectangles and frames on background."""
    g = [[0] * w for _ in range(h)]
    for _ in range(rng.randint(1, 5)):
        top, left = rng.randrange(h), rng.randrange(w)
        bottom, right = min(h, top + rng.randint(1, 4)), min(w, left + rng.randint(1, 4))
        color, hollow = rng.choice(chosen), rng.random() < 0.4
        for i in range(top, bottom):
            for j in range(left, right):
                if not hollow or i in (top, bottom - 1) or j in (left, right - 1):
                    g[i][j] = color
    return g


def grid(rng, maximum=9):
    make = rng.choice((noise, noise, periodic, lined, mirrored, blocks, pieces, pieces))
    return tuples(make(rng, rng.randint(1, maximum), rng.randint(1, maximum), colors(rng)))


def stamp(rng):
    g = grid(rng, 7)
    return g if rng.random() < 0.4 else ((rng.randint(-3, 9), rng.randint(-3, 9)), g)


def stamp_list(rng):
    return tuple(stamp(rng) for _ in range(rng.randint(1, 5)))


def stamp_or_list(rng):
    return stamp(rng) if rng.random() < 0.7 else stamp_list(rng)


def line(rng):
    chosen, n = colors(rng), rng.randint(1, 9)
    g = noise(rng, 1, n, chosen) if rng.random() < 0.5 else noise(rng, n, 1, chosen)
    return tuples(g) if rng.random() < 0.7 else stamp(rng)


def size(rng):
    return rng.randint(0 if rng.random() < 0.05 else 1, 9), rng.randint(1, 9)


def scaled_size(rng, s):
    g = stamps.read(s).g
    pick = lambda n: rng.choice([n, 2 * n, 3 * n] + [d for d in range(1, n + 1) if n % d == 0] + [rng.randint(1, 9)])
    return pick(len(g)), pick(len(g[0]))


def how(maximum, minimum=0):
    return lambda rng: rng.randint(minimum - (rng.random() < 0.05), maximum + (rng.random() < 0.05))


def framed(rng):
    """Rectangles with corners of one color, and things inside."""
    g = [[0] * 9 for _ in range(9)]
    top, left, color = rng.randrange(5), rng.randrange(5), rng.randint(1, 9)
    bottom, right = rng.randint(top + 1, 8), rng.randint(left + 1, 8)
    for i, j in ((top, left), (top, right), (bottom, left), (bottom, right)):
        g[i][j] = color
    for _ in range(rng.randint(0, 12)):
        i, j = rng.randrange(9), rng.randrange(9)
        g[i][j] = g[i][j] or rng.randint(0, 9)
    return tuples(g)


def fragments(rng):
    """A pattern of a few colors, and pieces of it elsewhere, turned, larger, or recolored."""
    h, w = rng.randint(6, 14), rng.randint(6, 14)
    g = [[0] * w for _ in range(h)]
    chosen = rng.sample(range(1, 10), rng.randint(2, 3))
    n = rng.randint(1, 3)
    p = tuples([rng.choice(chosen + [0]) for _ in range(n)] for _ in range(rng.randint(1, 3)))

    def lay(picture, scale, share, change):
        i0, j0 = rng.randrange(h), rng.randrange(w)
        kept = rng.choice(chosen)
        for x, row in enumerate(picture):
            for y, c in enumerate(row):
                if c and (c == kept or rng.random() < share):
                    for a in range(scale):
                        for b in range(scale):
                            i, j = i0 + x * scale + a, j0 + y * scale + b
                            if 0 <= i < h and 0 <= j < w:
                                g[i][j] = change.get(c, c)
    lay(p, 1, 1, {})
    for _ in range(rng.randint(1, 3)):
        t = rng.randrange(8)
        change = {rng.choice(chosen): rng.randint(1, 9)} if rng.random() < 0.3 else {}
        lay(p if t == 0 else stamps.turned(p, t), rng.choice((1, 1, 1, 2, 3)), rng.choice((0, 0.3)), change)
    return tuples(g)


FEATURES = list(cells.FEATURES)


def rule(rng, depth=3):
    if depth == 0 or rng.random() < 0.3:
        leaf = rng.choice(('PAINT', 'COPY', 'MAP'))
        if leaf == 'PAINT':
            return leaf, rng.randrange(10)
        rows = tuple((rng.randint(-1, 9), rng.randrange(10)) for _ in range(rng.randint(1, 6)))
        return (leaf, rng.choice(FEATURES), rows)[:2 if leaf == 'COPY' else 3]
    test = rng.choice(('IS', 'IS', 'OVER', 'SAME', 'MORE', 'AMONG'))
    number = rng.choice(FEATURES) if test in ('SAME', 'MORE') else rng.randint(-1, 9)
    return (rng.choice(list(cells.DIRECTIONS) if test == 'AMONG' else FEATURES), test, number, rule(rng, depth - 1), rule(rng, depth - 1))


def process(rng):
    """Rules that paint cells of color 0: most of them end."""
    return tuple(('OWN', 'IS', 0, rule(rng, rng.randint(0, 2)), ('COPY', 'OWN')) for _ in range(rng.randint(1, 3)))


def growing(rng, depth=2):
    """A rule that mostly asks about tiles and blocks."""
    own = [f for f in FEATURES if f.startswith(('TILE_', 'BLOCK_'))]
    if depth == 0 or rng.random() < 0.2:
        return ('PAINT', rng.randrange(10)) if rng.random() < 0.2 else ('COPY', rng.choice(own + ['OWN', 'SEEN_UP']))
    return (rng.choice(own + ['OWN', 'RIGHT']), rng.choice(('IS', 'OVER')), rng.randint(-1, 3),
            growing(rng, depth - 1), growing(rng, depth - 1))


def table(rng):
    chosen = colors(rng, 3)
    h, w = rng.randint(1, 5), rng.randint(1, 5)
    rows = [(x, y, rng.randrange(10)) for x in chosen for y in chosen if rng.random() < 0.97]
    return (tuples(noise(rng, h, w, chosen)), tuples(noise(rng, h, w, chosen)), tuple(rows or [(0, 0, 1)]))


def lay_args(rng):
    g = [[rng.choice((-1, -1, rng.randrange(10))) for _ in range(rng.randint(1, 7))]]
    return (tuples(g * rng.randint(1, 5)), stamp(rng), how(2)(rng))


def panel_paint_args(rng):
    g = grid(rng)
    try:
        rows, columns = panels.panels(g)
        return tuples(noise(rng, len(rows), len(columns), colors(rng))), g
    except Failed:
        return grid(rng, 3), g


# ---- the primitives: model and arguments ----

def args(*makers):
    return lambda rng: tuple(make(rng) for make in makers)


def small(rng):
    h, w = rng.randint(1, 4), rng.randint(1, 4)
    return tuples(noise(rng, h, rng.choice((h, w)), colors(rng)))


def join_args(rng):
    how, first = rng.randint(0, 3), small(rng)
    again = lambda g, a, b: tuples([g[i % len(g)][j % len(g[0])] for j in range(b)] for i in range(a))
    n, m = rng.randint(1, 3), rng.randint(1, 3)
    second = small(rng)
    if rng.random() < 0.9:  # sizes that go together
        if how == 0:
            second = again(second, len(first), len(first[0]))
        elif how == 1:
            second = again(second, n * len(first), m * len(first[0]))
        elif how == 3:
            first = again(first, n * len(second), m * len(second[0]))
    return first, second, how, (rng.randint(0, 2), rng.randint(-2, 9), rng.randint(0, 11), rng.randint(0, 11))


def steps(rng):
    some = tuple(rng.randint(-7, 7) for _ in range(rng.randint(1, 4)))
    return some if rng.random() < 0.3 else some[0]


def pile_args(rng):
    h, w, chosen = rng.randint(1, 4), rng.randint(1, 4), colors(rng)
    grids_of = tuple(tuples(noise(rng, h, w, chosen)) for _ in range(rng.randint(1, 5)))
    return grids_of, rng.randint(0, 5), tuple(rng.sample(range(10), rng.randint(0, 5)))


MODELS = {
    'cell_rule': (cells.cell_rule, args(grid, rule)),
    'cell_process': (cells.cell_process, args(lambda rng: grid(rng, 5), process)),
    'cell_grow': (cells.cell_grow, args(lambda rng: grid(rng, 4), growing, lambda rng: (how(4, 1)(rng), how(4, 1)(rng)))),
    'panel_sum': (panels.panel_sum, args(grid, how(4))),
    'panel_paint': (panels.panel_paint, panel_paint_args),
    'panel_grids': (panels.panel_grids, args(grid)),
    'pattern_echo': (echo.pattern_echo, args(fragments, how(1))),
    'stamp_keep': (stamps.stamp_keep, args(stamp_or_list, how(9))),
    'stamp_erase': (stamps.stamp_erase, args(stamp_or_list, how(9))),
    'stamp_paint': (stamps.stamp_paint, args(stamp_or_list, how(9, 1))),
    'stamp_trim': (stamps.stamp_trim, args(stamp_or_list, how(3))),
    'stamp_box': (stamps.stamp_box, args(stamp_or_list, how(4))),
    'stamp_home': (stamps.stamp_home, args(stamp_or_list)),
    'stamp_main': (stamps.stamp_main, args(stamp_or_list)),
    'stamp_fill': (stamps.stamp_fill, args(stamp_or_list, how(3))),
    'stamp_turn': (stamps.stamp_turn, args(stamp_or_list, how(8, 1))),
    'stamp_tally': (stamps.stamp_tally, args(stamp_or_list, how(8))),
    'stamp_rays': (stamps.stamp_rays, args(stamp_or_list, how(14))),
    'stamp_frame': (stamps.stamp_frame, args(stamp_or_list, how(2))),
    'stamp_join': (stamps.stamp_join, args(stamp_or_list, how(2))),
    'stamp_spread': (stamps.stamp_spread, args(stamp_or_list, how(1))),
    'stamp_half': (stamps.stamp_half, args(stamp_or_list, how(5))),
    'stamp_paste': (stamps.stamp_paste, args(stamp, size)),
    'stamp_wrap': (stamps.stamp_wrap, args(line, size)),
    'stamp_scale': (stamps.stamp_scale, lambda rng: (lambda s: (s, scaled_size(rng, s)))(stamp(rng))),
    'stamp_tile': (stamps.stamp_tile, args(stamp, size, how(4))),
    'stamp_corner': (stamps.stamp_corner, args(stamp, size, how(4))),
    'stamp_split': (stamps.stamp_split, lambda rng: (framed(rng), 5) if rng.random() < 0.2 else
                    (stamp(rng), how(9)(rng))),
    'stamp_best': (stamps.stamp_best, args(stamp_list, how(13))),
    'stamp_bests': (stamps.stamp_bests, args(stamp_list, how(13))),
    'stamp_rest': (stamps.stamp_rest, args(stamp_list, how(13))),
    'stamp_odd': (stamps.stamp_odd, args(stamp_list)),
    'stamp_overlay': (stamps.stamp_overlay, args(stamp_list)),
    'stamp_heap': (stamps.stamp_heap, args(stamp_list)),
    'stamp_line': (stamps.stamp_line, args(stamp_list)),
    'stamp_pile': (stamps.stamp_pile, args(stamp_list, how(1))),
    'stamp_lay': (stamps.stamp_lay, lay_args),
    'stamp_table': (stamps.stamp_table, table),
    'stamp_roles': (stamps.stamp_roles, args(stamp, grid, how(3), lambda rng: rng.choice((0, rng.randrange(1024))))),
    'stamp_unroles': (stamps.stamp_unroles, args(stamp, grid, how(3), lambda rng: rng.choice((0, rng.randrange(1024))))),
    'stamp_orient': (stamps.stamp_orient, args(stamp, grid, how(4))),
    'stamp_unorient': (stamps.stamp_unorient, args(stamp, grid, how(4))),
    'mosaic_join': (mosaics.mosaic_join, join_args),
    'mosaic_blocks': (mosaics.mosaic_blocks, args(small, lambda rng: tuples(
        [rng.choice((0, rng.randrange(10))) for _ in range(rng.randint(1, 3))] for _ in range(1)) * rng.randint(1, 3))),
    'mosaic_sum': (mosaics.mosaic_sum, lambda rng: (lambda g: (g, (rng.randint(1, len(g)), rng.randint(1, len(g[0]))),
                                                               rng.randint(0, 4)))(grid(rng))),
    'mosaic_pile': (mosaics.mosaic_pile, pile_args),
    'grid_roll': (cyclic_shifts.grid_roll, args(lambda rng: rng.choice((grid, small))(rng), how(8), steps)),
}
for name in mosaics.numbers_of(((0,),)):
    MODELS['grid_number ' + name] = (mosaics.grid_number, lambda rng, name=name: (grid(rng), name))
for name in FEATURES:
    MODELS['cell_feature ' + name] = (cells.cell_feature, lambda rng, name=name: (grid(rng), name))



def text(value):
    """As program text: symbols stand without quotes."""
    if isinstance(value, tuple):
        return '(' + ', '.join(text(v) for v in value) + (',)' if len(value) == 1 else ')')
    return str(value)


def lines_of_scripts(calls, seed):
    """What the models that are scripts print."""
    lines = []
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), '*.py'))):
        with open(path) as file:
            runs = '__main__' in file.read() and path != os.path.abspath(__file__)
        if runs:
            made = subprocess.run([sys.executable, path, str(seed), str(calls)], check=True, capture_output=True, text=True)
            lines += made.stdout.splitlines()
    return lines


def missing(batt, others):
    """Primitives and features of ours without a model that LEFT_OUT does not name."""
    listed = json.loads(subprocess.run([batt, 'prims', '--json'], check=True, capture_output=True, text=True).stdout)['primitives']
    with open(os.path.join(os.path.dirname(__file__), 'LEFT_OUT')) as file:
        left_out = {row.split()[0] for row in file if row.strip() and not row.startswith('#')}
    names = []
    for prim in listed:
        if prim['from'] == 'batt':
            name = prim['name']
            names += [name + ' ' + w['symbol'] for w in prim['symbols']] if name in ('cell_feature', 'grid_number') else [name]
    known = set(MODELS) | others
    stale = [n for n in left_out if n not in {x.split()[-1] for x in names} | set(names)]
    return [n for n in names if n not in known and n.split()[-1] not in left_out], sorted(left_out), stale


def main():
    batt, path = sys.argv[1:3]
    rounds, seed = (int(x) for x in (sys.argv[3:] + ['20', '1'][len(sys.argv) - 3:]))
    lines = lines_of_scripts(20 * rounds, seed)
    scripted = {line.split('(')[0] for line in lines}
    without, left_out, stale = missing(batt, scripted)
    if without or stale:
        sys.exit('no model, and not in tests/models/LEFT_OUT: %s; in LEFT_OUT, but no primitive of ours: %s' % (without, stale))
    calls = len(lines)
    answers = sum(not line.endswith('\t!') for line in lines)
    with open(path, 'w') as file:
        file.writelines(line + '\n' for line in lines)
        for name, (model, arguments) in MODELS.items():
            rng = random.Random('%s %d' % (name, seed))
            for _ in range(rounds):
                given = arguments(rng)
                try:
                    value = text(model(*given))
                    answers += 1
                except Failed:
                    value = '!'
                calls += 1
                file.write('%s(%s)\t%s\n' % (name.split()[0], ', '.join(text(v) for v in given), value))
    print('%d calls of %d models, %d with an answer; left out: %s' % (calls, len(MODELS) + len(scripted), answers, ', '.join(left_out) or 'none'))


if __name__ == '__main__':
    main()

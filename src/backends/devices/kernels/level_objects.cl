/* Sets of objects of one grid (LEVEL_OBJECTS): made of a grid, filtered, picked from, mapped and merged.
 *
 * Objects stand in the order of the set, which is that of their first keys: of colors before places, except in the
 * dialect, where it is that of places alone. */

typedef struct Plane {
    GLOBAL LevelPart *parts;
    GLOBAL ushort *labels;
    GLOBAL CELL *cells;
    int w;
} Plane;

static Plane plane_of(const Call *c, const Arg *a) {
    Plane p;
    p.parts = (GLOBAL LevelPart *)(c->mem + a->at);
    p.labels = (GLOBAL ushort *)(p.parts + a->n);
    p.cells = (GLOBAL CELL *)(p.labels + a->h * a->w);
    p.w = a->w;
    return p;
}

/* Room for n objects in a plane like that of `a`, of which the cells are there; 0: none, and the call is left. */
static int new_objects(Call *c, const Arg *a, int top, int left, uint n, GLOBAL const CELL *cells) {
    int area = a->h * a->w;
    c->out.form = LEVEL_OBJECTS;
    c->out.a = top;
    c->out.b = left;
    c->out.h = a->h;
    c->out.w = a->w;
    c->out.n = n;
    if (reserve(c, n * (uint)sizeof(LevelPart) + 3u * (uint)area) == 0) {
        return 0;
    }
    Plane p = plane_of(c, &c->out);
    copy_cells(p.cells, cells, area);
    for (int k = 0; k < area; k++) {
        p.labels[k] = 0;
    }
    return 1;
}

/* ---- finding them ---- */

/* `up` has for each cell the number + 1 of an earlier one of its object, or its own; 0: it is in none. In the end it is
 * that of the first one, the root. */
static int root_of(GLOBAL ushort *up, int k) {
    while (up[k] != k + 1) {
        up[k] = up[up[k] - 1];
        k = up[k] - 1;
    }
    return k;
}

static void tie(GLOBAL ushort *up, int k, int other, int linked) {
    if (linked && up[other] != 0) {
        int x = root_of(up, k), y = root_of(up, other);
        up[x > y ? x : y] = (ushort)((x > y ? y : x) + 1);
    }
}

/* How cells link: those of one color only, diagonally, without the commonest color; or by color, wherever they are. */
typedef struct Links {
    int univalued, diagonal, without, by_color;
} Links;

/* The number of objects; `covered`: that of their cells. */
static uint link_cells(GLOBAL const CELL *cells, int h, int w, Links links, int background, GLOBAL ushort *up, uint *covered) {
    int first[10], k = 0;
    uint found = 0;
    for (int color = 0; color < 10; color++) {
        first[color] = -1;
    }
    *covered = 0;
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++, k++) {
            int color = cells[k], any = !links.univalued;
            up[k] = (ushort)(links.without && color == background ? 0 : k + 1);
            if (up[k] == 0) {
                continue;
            }
            ++*covered;
            if (links.by_color) {
                first[color] = first[color] < 0 ? k : first[color];
                up[k] = (ushort)(first[color] + 1);
                continue;
            }
            if (j > 0) {
                tie(up, k, k - 1, any || cells[k - 1] == color);
            }
            if (i > 0) {
                tie(up, k, k - w, any || cells[k - w] == color);
            }
            if (i > 0 && j > 0 && links.diagonal) {
                tie(up, k, k - w - 1, any || cells[k - w - 1] == color);
            }
            if (i > 0 && j + 1 < w && links.diagonal) {
                tie(up, k, k - w + 1, any || cells[k - w + 1] == color);
            }
        }
    }
    for (k = 0; k < h * w; k++) {
        found += up[k] == k + 1;
        up[k] = up[k] != 0 ? up[up[k] - 1] : (ushort)0;
    }
    return found;
}

/* Numbers objects in the order of the set. `sorted`: not that of their roots, but of the first cells of their lowest
 * colors. */
static void number_objects(Call *c, GLOBAL const ushort *up, int by_color, int sorted) {
    Plane p = plane_of(c, &c->out);
    uint number = 0, count = c->out.n;
    int n = c->out.h * c->out.w;
    for (int color = 0; color < (by_color ? 10 : 1); color++) {
        for (int k = 0; k < n && number < count; k++) {
            int root = up[k] - 1;
            if ((root == k || (sorted && root >= 0)) && (p.cells[k] == color || !by_color) && p.labels[root] == 0) {
                p.labels[root] = (ushort)++number;
            }
        }
    }
}

static void find_objects(Call *c, const Arg *a, Links links) {
    int h = a->h, w = a->w, n = h * w, kept = c->kept;
    uint covered = 0, found = 0;
    GLOBAL const CELL *cells = cells_at(c, a);
    int background = n <= LEVEL_MAX_PLANE ? common_color(cells, n, 0) : -1;
    c->kept = 0;
    GLOBAL ushort *up = background >= 0 ? (GLOBAL ushort *)reserve(c, 2u * (uint)n) : 0;
    c->kept = (uint)kept;
    if (up == 0) {
        left_to_host(c);
        return;
    }
    found = link_cells(cells, h, w, links, background, up, &covered);
    steps(c, links.by_color ? charge(4u * (uint)n) + charge(160) : charge(4 * covered) + charge(16 * found));
    if (!links.by_color && !links.univalued && c->head->core) { /* it sorts cells by color */
        steps(c, charge(16 * found) + charge(8u * (uint)n));
    }
    if (found == 0) {
        c->out.form = LEVEL_EMPTY_SET;
        return;
    }
    if (!new_objects(c, a, 0, 0, found, cells)) {
        return;
    }
    number_objects(c, up, c->head->core, c->head->core && !links.univalued);
    Plane p = plane_of(c, &c->out);
    for (int i = 0, k = 0; i < h; i++) {
        for (int j = 0; j < w; j++, k++) {
            if (up[k] == 0) {
                continue;
            }
            ushort label = p.labels[up[k] - 1];
            LevelPart part = p.parts[label - 1];
            int right = part.left + part.w;
            if (up[k] == k + 1) {
                part.n = part.colors = 0;
                part.top = (ushort)i;
                part.left = (ushort)j;
                right = j + 1;
            }
            right = j + 1 > right ? j + 1 : right;
            p.labels[k] = label;
            part.n++;
            part.colors |= (ushort)(1 << cells[k]);
            part.left = j < part.left ? (ushort)j : part.left;
            part.h = (ushort)(i - part.top + 1);
            part.w = (ushort)(right - part.left);
            p.parts[label - 1] = part;
        }
    }
}

static void objects(Call *c, const Arg *a) {
    Links links = {a[1].a != 0, a[2].a != 0, a[3].a != 0, 0};
    if (a[3].form == LEVEL_INT) {
        find_objects(c, a, links);
    } else {
        left_to_host(c);
    }
}

/* The dialect numbers the eight combinations. */
static void numbered_objects(Call *c, const Arg *a, int type) {
    Links links = {type >> 2 & 1, type >> 1 & 1, type & 1, 0};
    if (type >= 0 && type < 8) {
        find_objects(c, a, links);
    } else {
        left_to_host(c);
    }
}

static void partition(Call *c, const Arg *a, int foreground) {
    Links links = {1, 0, foreground, 1};
    find_objects(c, a, links);
}

/* ---- one of them ---- */

/* Its header; the cells are those of the plane that have its label. */
static Arg header_of(const Plane *p, const Arg *a, uint k) {
    LevelPart part = p->parts[k];
    Arg one = *a;
    one.form = LEVEL_OBJECT;
    one.a += part.top;
    one.b += part.left;
    one.h = part.h;
    one.w = part.w;
    one.n = part.n;
    return one;
}

/* Where the row of an object's box starts. */
static int row_of(const Plane *p, uint k, int i) {
    return (p->parts[k].top + i) * p->w + p->parts[k].left;
}

static int lowest_color(int colors) {
    int color = 0;
    while (!(colors >> color & 1)) {
        color++;
    }
    return color;
}

static int first_color(const Call *c, const Plane *p, uint k) {
    int colors = p->parts[k].colors, at = row_of(p, k, 0);
    if (c->head->core || colors == 1 << lowest_color(colors)) {
        return lowest_color(colors);
    }
    while (p->labels[at] != k + 1) {
        at++;
    }
    return p->cells[at];
}

static void give_object(Call *c, const Arg *a, uint k) {
    Plane p = plane_of(c, a);
    Arg one = header_of(&p, a, k);
    c->out.a = one.a;
    c->out.b = one.b;
    c->out.n = one.n;
    GLOBAL CELL *to = cells_of(c, LEVEL_OBJECT, one.h, one.w);
    for (int i = 0; to != 0 && i < one.h; i++) {
        for (int j = 0, at = row_of(&p, k, i); j < one.w; j++, at++) {
            *to++ = p.labels[at] == k + 1 ? p.cells[at] : (CELL)LEVEL_ABSENT;
        }
    }
}

static int lowest_bit(ulong row) {
    return (int)popcount((row & (~row + 1)) - 1);
}

static int highest_bit(ulong row) {
    int at = 0;
    while (row >> at > 1) {
        at++;
    }
    return at;
}

/* first and last: of a pair, of indices, of objects. */
static void give_end(Call *c, const Arg *a, int last) {
    if (a->form == LEVEL_PAIR) {
        give_int(c, last ? a->b : a->a);
    } else if (a->form == LEVEL_INDICES) {
        int i = last ? a->h - 1 : 0;
        ulong row = rows_at(c, a)[i];
        give_pair(c, a->a + i, a->b + (last ? highest_bit(row) : lowest_bit(row)));
    } else if (a->form == LEVEL_OBJECTS) {
        give_object(c, a, last ? a->n - 1 : 0);
    } else if (c->head->core) {
        no_value(c, LEVEL_EMPTY);
    } else {
        left_to_host(c);
    }
}

static void color_of_object(Call *c, const Arg *a) {
    int color = 10;
    for (int k = 0; k < a->h * a->w; k++) {
        int v = cells_at(c, a)[k], better = c->head->core ? v < color : color == 10;
        color = v != LEVEL_ABSENT && better ? v : color;
    }
    give_int(c, color);
}

/* ---- some of them ---- */

static int passes(const Call *c, const Plane *p, uint k, int by_size, int value) {
    return by_size ? p->parts[k].n == value : first_color(c, p, k) == value;
}

static void filter_objects(Call *c, const Arg *a, int by_size, int value) {
    uint kept = 0, number = 0, n = a->form == LEVEL_OBJECTS ? a->n : 0;
    Plane p = plane_of(c, a);
    for (uint k = 0; k < n; k++) {
        kept += (uint)passes(c, &p, k, by_size, value);
    }
    steps(c, n / 8 + charge(16 * n));
    if (kept == n && n > 0) {
        give_same(c, a);
        return;
    }
    c->out.form = LEVEL_EMPTY_SET;
    if (kept == 0 || !new_objects(c, a, a->a, a->b, kept, p.cells)) {
        return;
    }
    Plane to = plane_of(c, &c->out);
    for (uint k = 0; k < n; k++) {
        if (!passes(c, &p, k, by_size, value)) {
            continue;
        }
        LevelPart part = p.parts[k];
        to.parts[number++] = part;
        for (int i = 0; i < part.h; i++) {
            for (int j = 0, at = row_of(&p, k, i); j < part.w; j++, at++) {
                to.labels[at] = p.labels[at] == k + 1 ? (ushort)number : to.labels[at];
            }
        }
    }
}

/* ---- all of them ---- */

static void call_function(Call *c, uint op, const Arg *a) {
    int h = a->h, w = a->w;
    switch (op) { LEVEL_FUNCTIONS(FUNCTION_CASE) }
}

/* A call of a function, for an object; what it makes is only looked at. */
static Call call_for(const Call *c, const Arg *f, const Arg *one) {
    Call inner = *c;
    inner.out.steps = 1;
    inner.out.form = LEVEL_FAIL;
    call_function(&inner, (uint)f->a, one);
    return inner;
}

/* argmax, argmin, and what the function gives for it: the first of equals. */
static void pick_object(Call *c, const Arg *a, const Arg *f, int sign, int measure) {
    uint best = 0;
    int most = 0;
    if (f->a >= LEVEL_box || (measure && a->form != LEVEL_OBJECTS)) {
        left_to_host(c);
        return;
    }
    if (a->form != LEVEL_OBJECTS) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    Plane p = plane_of(c, a);
    for (uint k = 0; k < a->n; k++) {
        Arg one = header_of(&p, a, k);
        Call inner = call_for(c, f, &one);
        steps(c, inner.out.steps);
        if (k == 0 || (sign > 0 ? inner.out.a > most : inner.out.a < most)) {
            most = inner.out.a;
            best = k;
        }
    }
    if (measure) {
        give_int(c, most);
    } else {
        give_object(c, a, best);
    }
}

static uint bits_in(int span) {
    uint bits = 1;
    while (span >> bits != 0) {
        bits++;
    }
    return bits;
}

/* val_keys, of keys that are not in order: keys_sort_bits, if they lie close together, else a buffer. */
static void charge_sorting(Call *c, uint n, int low, int middle, int top) {
    ulong words = (((ulong)top + 1) << (bits_in(low) + bits_in(middle))) / 64 + 1;
    if (n <= 24 || words > 512 || words > 64 + 4 * (ulong)n) {
        steps(c, charge(4 * n) + n / 2);
    }
}

/* Whether all keys, one object after the other, ascend: then labels do, in the order of keys. */
static int ascend(const Call *c, const Arg *a) {
    Plane p = plane_of(c, a);
    int n = a->h * a->w, core = c->head->core != 0;
    for (int color = 0, last = 0; color < (core ? 10 : 1); color++) {
        for (int k = 0; k < n; k++) {
            int label = p.labels[k];
            if (label != 0 && (!core || p.cells[k] == color)) {
                if (label < last) {
                    return 0;
                }
                last = label;
            }
        }
    }
    return 1;
}

static void merge_objects(Call *c, const Arg *a) {
    int top = a->h, left = a->w, bottom = -1, right = -1, colors = 0, span = 0;
    uint total = 0;
    if (a->form != LEVEL_OBJECTS) {
        c->out.form = LEVEL_EMPTY_SET;
        return;
    }
    Plane p = plane_of(c, a);
    for (uint k = 0; k < a->n; k++) {
        LevelPart part = p.parts[k];
        int last_row = part.top + part.h - 1, last_column = part.left + part.w - 1;
        top = part.top < top ? part.top : top;
        left = part.left < left ? part.left : left;
        bottom = last_row > bottom ? last_row : bottom;
        right = last_column > right ? last_column : right;
        colors |= part.colors;
        total += part.n;
    }
    if (a->n > 1) {
        steps(c, (a->n + total) / 32 + charge(4 * total));
    }
    if (a->n > 1 && !ascend(c, a)) {
        while (colors >> span > 1) {
            span++;
        }
        span -= lowest_color(colors);
        charge_sorting(c, total, c->head->core ? right - left : span, c->head->core ? bottom - top : right - left,
                       c->head->core ? span : bottom - top);
    }
    c->out.a = a->a + top;
    c->out.b = a->b + left;
    c->out.n = total;
    GLOBAL CELL *to = cells_of(c, LEVEL_OBJECT, bottom - top + 1, right - left + 1);
    for (int i = top; to != 0 && i <= bottom; i++) {
        for (int j = left, at = i * p.w + left; j <= right; j++, at++) {
            *to++ = p.labels[at] != 0 ? p.cells[at] : (CELL)LEVEL_ABSENT;
        }
    }
}

/* What a merged map has met: of the results, that lie in rows from `top` and `left` on. */
typedef struct Merged {
    Call spare; /* with memory for a result and for the object that it is made of */
    GLOBAL ulong *rows;
    int top, left, last_row, last_column, ascending;
    uint total, parts;
} Merged;

static void add_result(const Call *c, Merged *m, const Arg *p) {
    GLOBAL const ulong *more = rows_at(c, p);
    int first = p->b + lowest_bit(more[0]);
    m->ascending &= m->parts == 0 || p->a > m->last_row || (p->a == m->last_row && first > m->last_column);
    m->last_row = p->a + p->h - 1;
    m->last_column = p->b + highest_bit(more[p->h - 1]);
    m->parts++;
    m->total += p->n;
    for (int i = 0; i < p->h; i++) {
        m->rows[p->a - m->top + i] |= more[i] << (p->b - m->left);
    }
}

/* The function's result for an object, of which only delta wants the cells. */
static int add_object(Call *c, Merged *m, const Arg *f, const Arg *a, uint k) {
    Plane p = plane_of(c, a);
    Arg one = header_of(&p, a, k);
    Call inner = m->spare;
    if (f->a == LEVEL_delta) {
        give_object(&inner, a, k);
        one = inner.out;
    }
    inner = call_for(&inner, f, &one);
    if (inner.out.form == LEVEL_FAIL) {
        return 0;
    }
    steps(c, inner.out.steps);
    if (inner.out.form == LEVEL_INDICES) {
        add_result(c, m, &inner.out);
    }
    return 1;
}

/* The function's result for the first place, which then moves to all of them. */
static int add_neighbors(Call *c, Merged *m, const Arg *f, const Arg *a) {
    Arg place = *a;
    place.form = LEVEL_PAIR;
    Call inner = call_for(&m->spare, f, &place);
    for (int i = 0; i < a->h && inner.out.form != LEVEL_FAIL; i++) {
        for (ulong row = rows_at(c, a)[i]; row != 0; row &= row - 1) {
            Arg moved = inner.out;
            moved.a += i;
            moved.b += lowest_bit(row);
            steps(c, inner.out.steps);
            add_result(c, m, &moved);
        }
    }
    return inner.out.form != LEVEL_FAIL;
}

/* mapply of a function that gives indices. */
static void map_merged(Call *c, const Arg *f, const Arg *a) {
    int objects = a->form == LEVEL_OBJECTS;
    Merged m;
    uint n = a->n;
    c->out.form = LEVEL_EMPTY_SET;
    if (a->form == LEVEL_EMPTY_SET) {
        return;
    }
    m.spare = *c;
    m.top = a->a - 1;
    m.left = a->b - 1;
    m.ascending = 1;
    m.parts = m.total = 0;
    m.last_row = m.last_column = 0;
    m.spare.kept = 0;
    uint bytes = (uint)(a->h * a->w) + 8u * (uint)a->h + 64;
    int good = f->a >= LEVEL_box && objects == (f->a < LEVEL_dneighbors) && reserve(&m.spare, bytes) != 0;
    m.spare.spare = m.spare.out.at;
    m.spare.spare_end = m.spare.spare + bytes;
    m.rows = good ? new_rows(c, m.top, m.left, a->h + 2, a->w + 2) : 0;
    for (int i = 0; m.rows != 0 && i < a->h + 2; i++) {
        m.rows[i] = 0;
    }
    steps(c, charge(16 * n));
    for (uint k = 0; m.rows != 0 && objects && k < n && good; k++) {
        good = add_object(c, &m, f, a, k);
    }
    if (m.rows == 0 || !good || (!objects && !add_neighbors(c, &m, f, a))) {
        left_to_host(c);
        return;
    }
    tighten(c, m.rows);
    if (n > 1 && m.parts > 0) {
        steps(c, (n + m.total) / 32 + charge(4 * m.total));
    }
    if (m.parts > 1 && !m.ascending) {
        charge_sorting(c, m.total, c->out.w - 1, c->out.h - 1, 0);
    }
}

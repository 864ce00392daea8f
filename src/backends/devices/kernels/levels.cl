/* Nodes of a battery over all samples: a work-item makes one call, of one node for one sample.
 *
 * Consecutive work-items have consecutive samples of one node, so those of a work-group take the same path. A call
 * gives what the primitive gives, steps included, or LEVEL_LEFT where the usual forms do not suffice. */

#define IF(condition, what) \
    if (condition) {        \
        what;               \
    }
#define ALIAS_CASE(name, primitive)
#define FUNCTION_CASE(primitive, first, second, third, what) \
    case LEVEL_##primitive:                                  \
        what;                                                \
        break;
#define OP_CASE(primitive, first, second, third, what)                                    \
    case LEVEL_##primitive:                                                               \
        if ((first) >> a->form & (second) >> b->form & (third) >> d->form & 1) {          \
            what;                                                                         \
        } else {                                                                          \
            left_to_host(c);                                                              \
        }                                                                                 \
        break;

typedef struct Call {
    GLOBAL uchar *mem;
    GLOBAL LevelHead *head;
    uint prim, kept;
    ulong spare, spare_end; /* if not 0: memory for what the call makes */
    LevelValue out;
} Call;

typedef LevelValue Arg; /* an argument, which has not failed */

static void no_value(Call *c, uint reason) {
    c->out.form = LEVEL_FAIL;
    c->out.a = (int)reason;
    c->out.prim = (ushort)c->prim;
}

static void left_to_host(Call *c) {
    no_value(c, LEVEL_LEFT);
    c->out.steps = 0;
}

/* The call, of which that many are charged. */
static Call *steps(Call *c, uint n) {
    c->out.steps += n;
    return c;
}

/* ctx_alloc's charge. */
static uint charge(uint bytes) {
    return (bytes + 15) / 16 / 4;
}

/* Memory for a value, zero or more bytes; 0: none is left. */
static GLOBAL uchar *reserve(Call *c, uint bytes) {
    uint units = (bytes + 15) / 16, kept = c->kept;
    if (c->spare != 0) {
        c->out.at = c->spare;
        c->spare += (ulong)units * 16;
        if (c->spare > c->spare_end) {
            left_to_host(c);
        }
        return c->spare > c->spare_end ? 0 : c->mem + c->out.at;
    }
    uint at = atomic_add(&c->head->used[kept], units);
    ulong place = c->head->pool[kept] + (ulong)at * 16;
    if (at + units < at || place + (ulong)units * 16 > c->head->end[kept]) {
        left_to_host(c);
        return 0;
    }
    c->out.at = place;
    return c->mem + place;
}

/* Cells of a grid that is larger than the forms allow are left to the host. */
static GLOBAL CELL *cells_of(Call *c, uint form, int h, int w) {
    if (h < 1 || w < 1 || h > LEVEL_MAX_SIDE || w > LEVEL_MAX_SIDE || h * w > LEVEL_MAX_CELLS) {
        left_to_host(c);
        return 0;
    }
    c->out.form = (ushort)form;
    c->out.h = (ushort)h;
    c->out.w = (ushort)w;
    return (GLOBAL CELL *)reserve(c, (uint)(h * w));
}

/* grid_buffer */
static GLOBAL CELL *new_grid(Call *c, int h, int w) {
    c->out.steps += (uint)h / 32 + charge((uint)(h * w) + 32);
    return cells_of(c, LEVEL_GRID, h, w);
}

static GLOBAL const CELL *cells_at(const Call *c, const Arg *a) {
    return (GLOBAL const CELL *)(c->mem + a->at);
}

static GLOBAL const ulong *rows_at(const Call *c, const Arg *a) {
    return (GLOBAL const ulong *)(c->mem + a->at);
}

static void copy_cells(GLOBAL CELL *to, GLOBAL const CELL *from, int n) {
    for (int k = 0; k < n; k++) {
        to[k] = from[k];
    }
}

static void set_cells(GLOBAL CELL *to, int color, int n) {
    for (int k = 0; k < n; k++) {
        to[k] = (CELL)color;
    }
}

static int is_byte(const Arg *a) { /* a number */
    return a->a >= -128 && a->a < 128;
}

static void give_int(Call *c, int n) {
    c->out.form = LEVEL_INT;
    c->out.a = n;
}

static void give_pair(Call *c, int a, int b) {
    c->out.form = LEVEL_PAIR;
    c->out.a = a;
    c->out.b = b;
}

static uint bytes_of(const Arg *a) {
    uint area = (uint)(a->h * a->w);
    switch (a->form) {
    case LEVEL_GRID:
    case LEVEL_STAMP:
    case LEVEL_OBJECT:
        return area;
    case LEVEL_INDICES:
        return a->h * 8u;
    case LEVEL_OBJECTS:
        return a->n * (uint)sizeof(LevelPart) + 3 * area;
    default:
        return 0;
    }
}

/* The argument itself. */
static void give_same(Call *c, const Arg *a) {
    uint steps = c->out.steps;
    c->out = *a;
    c->out.steps = steps;
    uint bytes = bytes_of(a); /* copied: the argument may be of those that do not come down */
    GLOBAL uchar *to = bytes > 0 ? reserve(c, bytes) : 0;
    for (uint k = 0; to != 0 && k < bytes; k++) {
        to[k] = c->mem[a->at + k];
    }
}

/* ---- grids ---- */

/* h x w cells that start at `base` and are `down` and `along` apart. */
static void walk(Call *c, const Arg *a, int h, int w, int base, int down, int along) {
    GLOBAL CELL *to = new_grid(c, h, w);
    GLOBAL const CELL *from = cells_at(c, a) + base;
    if (to == 0) {
        return;
    }
    for (int i = 0; i < h; i++, from += down) {
        for (int j = 0; j < w; j++) {
            *to++ = from[j * along];
        }
    }
}

/* A rectangle within a grid; whole rows share memory with it, and cost nothing. */
static void cut(Call *c, const Arg *a, int i, int j, int h, int w) {
    uint steps = c->out.steps;
    if (i < 0 || j < 0 || h < 1 || w < 1 || i > a->h || j > a->w || h > a->h - i || w > a->w - j) {
        left_to_host(c);
        return;
    }
    GLOBAL CELL *to = new_grid(c, h, w);
    if (to == 0) {
        return;
    }
    c->out.steps = w == a->w ? steps : c->out.steps + (uint)h / 32;
    GLOBAL const CELL *from = cells_at(c, a) + i * a->w + j;
    for (int r = 0; r < h; r++, from += a->w, to += w) {
        copy_cells(to, from, w);
    }
}

static void cut_columns(Call *c, const Arg *a, int from, int n) {
    if (n > 0) {
        cut(c, a, 0, from, a->h, n);
    } else {
        c->out.form = LEVEL_EMPTY_TUPLE;
    }
}

/* Color x becomes y and, if asked, y becomes x. */
static void recolor_grid(Call *c, const Arg *a, const Arg *x, const Arg *y, int both) {
    if (!is_byte(y) || (both && !is_byte(x))) {
        left_to_host(c);
        return;
    }
    if (!is_byte(x)) {
        give_same(c, a);
        return;
    }
    GLOBAL CELL *to = new_grid(c, a->h, a->w);
    GLOBAL const CELL *from = cells_at(c, a);
    for (int k = 0; to != 0 && k < a->h * a->w; k++) {
        int v = from[k];
        to[k] = (CELL)(v == x->a ? y->a : both && v == y->a ? x->a : v);
    }
}

static void cellwise(Call *c, const Arg *a, const Arg *b, const Arg *other) {
    if (b->h < a->h || b->w < a->w || !is_byte(other)) {
        left_to_host(c);
        return;
    }
    GLOBAL CELL *to = new_grid(c, a->h, a->w);
    GLOBAL const CELL *x = cells_at(c, a), *y = cells_at(c, b);
    for (int i = 0; to != 0 && i < a->h; i++, to += a->w, x += a->w, y += b->w) {
        for (int j = 0; j < a->w; j++) {
            to[j] = x[j] == y[j] ? x[j] : (CELL)other->a;
        }
    }
}

static void upscale(Call *c, const Arg *a, int down, int right) {
    if (down < 1 || right < 1 || down > LEVEL_MAX_SIDE || right > LEVEL_MAX_SIDE) {
        left_to_host(c);
        return;
    }
    int h = a->h * down, w = a->w * right;
    GLOBAL CELL *to = new_grid(c, h, w);
    GLOBAL const CELL *from = cells_at(c, a);
    for (int i = 0; to != 0 && i < h; i++, to += w) {
        for (int j = 0; j < w; j++) {
            to[j] = from[i / down * a->w + j / right];
        }
    }
}

static void downscale(Call *c, const Arg *a, int by) {
    if (by > 0 && by <= LEVEL_MAX_SIDE) {
        walk(c, a, (a->h + by - 1) / by, (a->w + by - 1) / by, 0, by * a->w, by);
    } else {
        left_to_host(c);
    }
}

static void put_below(Call *c, const Arg *a, const Arg *b) {
    if (a->w != b->w) {
        left_to_host(c);
        return;
    }
    GLOBAL CELL *to = new_grid(c, a->h + b->h, a->w);
    if (to != 0) {
        copy_cells(to, cells_at(c, a), a->h * a->w);
        copy_cells(to + a->h * a->w, cells_at(c, b), b->h * b->w);
    }
}

static void put_beside(Call *c, const Arg *a, const Arg *b) {
    GLOBAL const CELL *x = cells_at(c, a), *y = cells_at(c, b);
    int h = a->h < b->h ? a->h : b->h;
    GLOBAL CELL *to = new_grid(c, h, a->w + b->w);
    for (int i = 0; to != 0 && i < h; i++, to += a->w + b->w, x += a->w, y += b->w) {
        copy_cells(to, x, a->w);
        copy_cells(to + a->w, y, b->w);
    }
}

static void canvas(Call *c, const Arg *color, const Arg *size) {
    if (!is_byte(color) || (size->a > 0 && size->b < 1)) {
        left_to_host(c);
        return;
    }
    if (size->a <= 0) {
        c->out.form = LEVEL_EMPTY_TUPLE;
        return;
    }
    GLOBAL CELL *to = size->a <= LEVEL_MAX_SIDE && size->b <= LEVEL_MAX_SIDE ? new_grid(c, size->a, size->b) : 0;
    if (to != 0) {
        set_cells(to, color->a, size->a * size->b);
    } else {
        left_to_host(c);
    }
}

/* The most or the least frequent color, of equals the smallest. */
static int common_color(GLOBAL const CELL *cells, int n, int least) {
    uint count[10];
    int best = -1;
    for (int k = 0; k < 10; k++) {
        count[k] = 0;
    }
    for (int k = 0; k < n; k++) {
        if (cells[k] < 0 || cells[k] > 9) {
            return -1;
        }
        count[cells[k]]++;
    }
    for (int k = 0; k < 10; k++) {
        if (count[k] != 0 && (best < 0 || (least ? count[k] < count[best] : count[k] > count[best]))) {
            best = k;
        }
    }
    return best;
}

static void common_color_of(Call *c, const Arg *a, int least) {
    int found = common_color(cells_at(c, a), a->h * a->w, least);
    if (found < 0) {
        left_to_host(c);
    } else {
        give_int(steps(c, (uint)(a->h * a->w) >> 6), found);
    }
}

static void colorcount(Call *c, const Arg *a, const Arg *color) {
    int n = a->h * a->w, found = 0;
    for (int k = 0; k < n; k++) {
        found += cells_at(c, a)[k] == color->a;
    }
    give_int(steps(c, (uint)n >> 6), found);
}

/* ---- patches ---- */

static int is_patch(const Arg *a) {
    return a->form == LEVEL_INDICES || a->form == LEVEL_OBJECT;
}

/* What looking at all places of a patch takes. */
static Call *looked_at(Call *c, const Arg *a) {
    return steps(c, is_patch(a) ? a->n >> 6 : 0);
}


static int has_place(const Call *c, const Arg *p, int i, int j) {
    return p->form == LEVEL_INDICES ? (int)(rows_at(c, p)[i] >> j & 1)
                                  : cells_at(c, p)[i * p->w + j] != LEVEL_ABSENT;
}

static GLOBAL ulong *new_rows(Call *c, int top, int left, int h, int w) {
    if (h < 1 || w < 1 || h > LEVEL_MAX_SIDE || w > 64 || top < -2048 || left < -2048 || top + h > 2048 ||
        left + w > 2048) {
        left_to_host(c);
        return 0;
    }
    c->out.form = LEVEL_INDICES;
    c->out.a = top;
    c->out.b = left;
    c->out.h = (ushort)h;
    c->out.w = (ushort)w;
    return (GLOBAL ulong *)reserve(c, (uint)h * 8);
}

static ulong ones(int w) {
    return ~(ulong)0 >> (64 - w);
}

/* Makes the box of new rows exact. */
static void tighten(Call *c, GLOBAL ulong *rows) {
    ulong all = 0;
    int first = -1, last = -1, left = 0, right = 63;
    uint n = 0;
    for (int i = 0; i < c->out.h; i++) {
        all |= rows[i];
        n += (uint)popcount(rows[i]);
        first = first < 0 && rows[i] != 0 ? i : first;
        last = rows[i] != 0 ? i : last;
    }
    c->out.n = n;
    if (n == 0) {
        c->out.form = LEVEL_EMPTY_SET;
        return;
    }
    while (!(all >> left & 1)) {
        left++;
    }
    while (!(all >> right & 1)) {
        right--;
    }
    for (int i = first; i <= last; i++) {
        rows[i - first] = rows[i] >> left;
    }
    c->out.a += first;
    c->out.b += left;
    c->out.h = (ushort)(last - first + 1);
    c->out.w = (ushort)(right - left + 1);
}

static void ofcolor(Call *c, const Arg *a, const Arg *color) {
    if (!is_byte(color)) {
        c->out.form = LEVEL_EMPTY_SET;
        return;
    }
    c->out.steps += charge(4u * a->h * a->w);
    GLOBAL ulong *rows = new_rows(c, 0, 0, a->h, a->w);
    GLOBAL const CELL *from = cells_at(c, a);
    if (rows == 0) {
        return;
    }
    for (int i = 0; i < a->h; i++, from += a->w) {
        ulong row = 0;
        for (int j = 0; j < a->w; j++) {
            row |= (ulong)(from[j] == color->a) << j;
        }
        rows[i] = row;
    }
    tighten(c, rows);
}

/* All places of a box, or only its border. */
static void give_box(Call *c, int top, int left, int h, int w, int border) {
    c->out.steps += charge(border ? 8u * (uint)(h + w) : 4u * (uint)(h * w));
    GLOBAL ulong *rows = new_rows(c, top, left, h, w);
    if (rows == 0) {
        return;
    }
    for (int i = 0; i < h; i++) {
        rows[i] = !border || i == 0 || i == h - 1 ? ones(w) : (ulong)1 << (w - 1) | 1;
    }
    c->out.n = (uint)(border && h > 2 && w > 2 ? 2 * (h + w) - 4 : h * w);
}

/* Of an empty set, box is empty, and the others ask for its uppermost row. */
static void outline(Call *c, const Arg *p, int by) {
    if (p->form == LEVEL_EMPTY_SET) {
        c->out.form = LEVEL_EMPTY_SET;
        if (by != 0 && c->head->core) {
            no_value(steps(c, 1), LEVEL_EMPTY);
            c->out.prim = (ushort)c->head->uppermost;
        }
        return;
    }
    (void)looked_at(c, p);
    int top = p->a - by, bottom = p->a + p->h - 1 + by, left = p->b - by, right = p->b + p->w - 1 + by, swap;
    if (top > bottom) {
        swap = top;
        top = bottom;
        bottom = swap;
    }
    if (left > right) {
        swap = left;
        left = right;
        right = swap;
    }
    give_box(c, top, left, bottom - top + 1, right - left + 1, 1);
}

static void backdrop(Call *c, const Arg *p) {
    if (p->form == LEVEL_EMPTY_SET) {
        c->out.form = LEVEL_EMPTY_SET;
    } else {
        give_box(looked_at(c, p), p->a, p->b, p->h, p->w, 0);
    }
}

static void give_corner(Call *c, const Arg *p, int i, int j) {
    if (p->form == LEVEL_EMPTY_SET) {
        c->out.form = LEVEL_EMPTY_TUPLE;
    } else {
        give_pair(looked_at(c, p), i, j);
    }
}

static int has_one_color(const Call *c, const Arg *p) {
    int first = LEVEL_ABSENT;
    for (int k = 0; k < p->h * p->w; k++) {
        int color = cells_at(c, p)[k];
        if (color != LEVEL_ABSENT && first != LEVEL_ABSENT && color != first) {
            return 0;
        }
        first = color != LEVEL_ABSENT ? color : first;
    }
    return 1;
}

static void delta(Call *c, const Arg *p) {
    uint area = (uint)(p->h * p->w);
    if (p->form == LEVEL_EMPTY_SET || p->n == 1) {
        c->out.form = LEVEL_EMPTY_SET;
        return;
    }
    if (p->form == LEVEL_INDICES) {
        steps(c, p->n >> 6);
    } else if (!c->head->core || !has_one_color(c, p)) { /* keys are in another order: it makes indices first */
        steps(c, (p->n >> 6) + charge(4 * p->n));
        if (p->h > 64) {
            left_to_host(c);
            return;
        }
    }
    if (area == p->n) {
        c->out.form = LEVEL_EMPTY_SET;
        return;
    }
    GLOBAL ulong *rows = new_rows(steps(c, charge(4u * (area - p->n + 1))), p->a, p->b, p->h, p->w);
    for (int i = 0; rows != 0 && i < p->h; i++) {
        ulong row = 0;
        for (int j = 0; j < p->w; j++) {
            row |= (ulong)!has_place(c, p, i, j) << j;
        }
        rows[i] = row;
    }
    if (rows != 0) {
        tighten(c, rows);
    }
}

static void subgrid(Call *c, const Arg *p, const Arg *a) {
    if (p->form != LEVEL_EMPTY_SET) {
        cut(steps(c, p->n / 64 * 2), a, p->a, p->b, p->h, p->w);
    } else if (c->head->core) {
        no_value(c, LEVEL_EMPTY);
    } else {
        c->out.form = LEVEL_EMPTY_TUPLE;
    }
}

/* The places around a place: those at its corners, those at its sides. */
static void neighbors(Call *c, const Arg *a, int corners, int sides) {
    GLOBAL ulong *rows = new_rows(c, a->a - 1, a->b - 1, 3, 3);
    if (rows != 0) {
        rows[0] = rows[2] = (ulong)(corners * 5 + sides * 2);
        rows[1] = (ulong)sides * 5;
        tighten(c, rows);
    }
}

/* Paints a patch with a color, or NULL: with its own; everywhere, or only where the grid has its commonest. */
static void paint_grid(Call *c, const Arg *a, const Arg *patch, const Arg *color, int under) {
    int most = under ? common_color(cells_at(c, a), a->h * a->w, 0) : 0;
    if (color != 0 && !is_byte(color)) {
        left_to_host(c);
        return;
    }
    if (patch->form == LEVEL_EMPTY_SET) {
        give_same(c, a);
        return;
    }
    GLOBAL CELL *to = most >= 0 ? new_grid(steps(c, patch->n / 64 * 2), a->h, a->w) : 0;
    if (to == 0) {
        left_to_host(c);
        return;
    }
    copy_cells(to, cells_at(c, a), a->h * a->w);
    int i0 = patch->a < 0 ? -patch->a : 0, i1 = a->h - patch->a < patch->h ? a->h - patch->a : patch->h;
    int j0 = patch->b < 0 ? -patch->b : 0, j1 = a->w - patch->b < patch->w ? a->w - patch->b : patch->w;
    for (int i = i0; i < i1; i++) {
        GLOBAL CELL *row = to + (patch->a + i) * a->w + patch->b;
        for (int j = j0; j < j1; j++) {
            if (has_place(c, patch, i, j) && (!under || row[j] == most)) {
                row[j] = color != 0 ? (CELL)color->a : cells_at(c, patch)[i * patch->w + j];
            }
        }
    }
}

static void cover(Call *c, const Arg *a, const Arg *patch) {
    Arg most = *a;
    most.a = patch->form == LEVEL_EMPTY_SET ? 0 : common_color(cells_at(c, a), a->h * a->w, 0);
    if (most.a < 0) {
        left_to_host(c);
    } else {
        paint_grid(c, a, patch, &most, 0);
    }
}

static void asobject(Call *c, const Arg *a) {
    c->out.steps += charge(4u * a->h * a->w);
    GLOBAL CELL *to = cells_of(c, LEVEL_OBJECT, a->h, a->w);
    c->out.n = (uint)(a->h * a->w);
    for (int k = 0; to != 0 && k < a->h * a->w; k++) {
        to[k] = cells_at(c, a)[k];
        if (to[k] == LEVEL_ABSENT) {
            left_to_host(c);
            return;
        }
    }
}

static void recolor(Call *c, const Arg *color, const Arg *p) {
    if (!is_byte(color) || color->a == LEVEL_ABSENT) {
        left_to_host(c);
        return;
    }
    c->out.steps += (p->n >> 6) + charge(4 * p->n);
    c->out.a = p->a;
    c->out.b = p->b;
    c->out.n = p->n;
    GLOBAL CELL *to = cells_of(c, LEVEL_OBJECT, p->h, p->w);
    for (int i = 0; to != 0 && i < p->h; i++) {
        ulong row = rows_at(c, p)[i];
        for (int j = 0; j < p->w; j++) {
            *to++ = (CELL)(row >> j & 1 ? color->a : LEVEL_ABSENT);
        }
    }
}

static void shift(Call *c, const Arg *p, int down, int right) {
    if (p->form == LEVEL_EMPTY_SET) {
        give_same(c, p);
        return;
    }
    if (down < -2048 || down > 2048 || right < -2048 || right > 2048 || p->a + down < -2048 || p->b + right < -2048 ||
        p->a + down + p->h > 2048 || p->b + right + p->w > 2048) {
        left_to_host(c);
        return;
    }
    c->out.steps += p->n / 64 * 2 + ((down | right) != 0 ? charge(4 * p->n) : 0);
    give_same(c, p);
    if (c->out.form != LEVEL_FAIL) {
        c->out.a += down;
        c->out.b += right;
    }
}

static void combine_patches(Call *c, uint op, const Arg *p, const Arg *q) {
    if (p->form == LEVEL_EMPTY_SET || q->form == LEVEL_EMPTY_SET) {
        int other = p->form == LEVEL_EMPTY_SET ? op == LEVEL_combine : op == LEVEL_intersection;
        give_same(c, other ? q : p);
        return;
    }
    int top = p->a < q->a ? p->a : q->a, left = p->b < q->b ? p->b : q->b;
    int bottom = p->a + p->h > q->a + q->h ? p->a + p->h : q->a + q->h;
    int right = p->b + p->w > q->b + q->w ? p->b + p->w : q->b + q->w;
    c->out.steps += charge(4 * (op == LEVEL_combine ? p->n + q->n : p->n));
    GLOBAL ulong *rows = new_rows(c, top, left, bottom - top, right - left);
    if (rows == 0) {
        return;
    }
    for (int i = top; i < bottom; i++) {
        ulong x = i >= p->a && i < p->a + p->h ? rows_at(c, p)[i - p->a] << (p->b - left) : 0;
        ulong y = i >= q->a && i < q->a + q->h ? rows_at(c, q)[i - q->a] << (q->b - left) : 0;
        rows[i - top] = op == LEVEL_combine ? x | y : op == LEVEL_intersection ? x & y : x & ~y;
    }
    tighten(c, rows);
}

/* ---- numbers ---- */

static int small(int n) { /* so that no result overflows */
    return n > -32768 && n < 32768;
}

/* A part of a pair, or the number. */
static int part_of(const Arg *a, int k) {
    return k == 1 && a->form == LEVEL_PAIR ? a->b : a->a;
}

static int are_small(Call *c, const Arg *a, const Arg *b) {
    if (small(a->a) && small(part_of(a, 1)) && small(b->a) && small(part_of(b, 1))) {
        return 1;
    }
    left_to_host(c);
    return 0;
}

/* Of numbers x and y, or of the parts of pairs. */
#define CALCULATE(value)                                         \
    for (int k = are_small(c, a, b) ? 2 : 0; k > 0; k--) {       \
        int x = part_of(a, k - 1), y = part_of(b, k - 1);        \
        c->out.form = (ushort)(a->form > b->form ? a->form : b->form); \
        c->out.b = k == 2 ? value : c->out.b;                    \
        c->out.a = value;                                        \
        (void)y;                                                 \
    }

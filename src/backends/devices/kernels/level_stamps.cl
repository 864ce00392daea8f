/* Stamps (engine/stamps) as values on a device: a grid whose a and b are its place. */
#define MAX_STAMP_SIDE 100
#define MAX_STAMP_CELLS 1800

static int is_stamp(const Arg *a) {
    return (a->form == LEVEL_GRID || a->form == LEVEL_STAMP) && a->h <= MAX_STAMP_SIDE && a->w <= MAX_STAMP_SIDE &&
           a->h * a->w <= MAX_STAMP_CELLS;
}

/* stamp_blank; 0: too large, or no room, and the value says so. */
static GLOBAL CELL *new_stamp(Call *c, int i, int j, int h, int w) {
    if (h <= 0 || w <= 0 || h > MAX_STAMP_SIDE || w > MAX_STAMP_SIDE || h * w > MAX_STAMP_CELLS) {
        no_value(c, LEVEL_EMPTY);
        return 0;
    }
    c->out.a = i;
    c->out.b = j;
    c->out.steps += charge((uint)(h * w) + 8);
    return cells_of(c, i == 0 && j == 0 ? LEVEL_GRID : LEVEL_STAMP, h, w);
}

static void full_stamp(Call *c, int i, int j, int h, int w, int color) {
    GLOBAL CELL *to = new_stamp(c, i, j, h, w);
    if (to != 0) {
        set_cells(to, color, h * w);
    }
}

/* The most frequent of the colors 1 to 9, of equals the smallest; 0: there is none. */
static int majority(GLOBAL const CELL *cells, int n) {
    uint count[10];
    int best = 0;
    for (int k = 0; k < 10; k++) {
        count[k] = 0;
    }
    for (int k = 0; k < n; k++) {
        if (cells[k] > 0 && cells[k] < 10) {
            count[cells[k]]++;
        }
    }
    for (int k = 1; k < 10; k++) {
        best = count[k] > (best ? count[best] : 0) ? k : best;
    }
    return best;
}

static int smallest_color(GLOBAL const CELL *cells, int n) {
    int found = 10;
    for (int k = 0; k < n; k++) {
        found = cells[k] > 0 && cells[k] < found ? cells[k] : found;
    }
    return found < 10 ? found : 1;
}

/* keep, erase, paint */
static void color_stamp(Call *c, uint op, const Arg *s, int color) {
    GLOBAL const CELL *from = cells_at(c, s);
    int n = s->h * s->w, any = op == LEVEL_stamp_paint;
    if ((op == LEVEL_stamp_erase && color == 0) || (op == LEVEL_stamp_paint && (color < 1 || color > 9))) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    GLOBAL CELL *to = new_stamp(c, s->a, s->b, s->h, s->w);
    if (to == 0) {
        return;
    }
    int foreground = op == LEVEL_stamp_keep && color == 0 ? smallest_color(from, n) : color;
    for (int k = 0; k < n; k++) {
        int v = from[k], is = v == color;
        int now = op == LEVEL_stamp_keep ? (is ? foreground : 0) : op == LEVEL_stamp_erase ? (is ? 0 : v) : v ? color : 0;
        any |= op == LEVEL_stamp_erase ? is : now;
        to[k] = (CELL)now;
    }
    if (!any) {
        no_value(c, LEVEL_EMPTY);
    }
}

/* The marked rows and columns. */
static void pick_lines(Call *c, const Arg *s, const uchar *rows, const uchar *cols) {
    int h = 0, w = 0, i0 = -1, j0 = -1;
    for (int i = 0; i < s->h; i++) {
        h += rows[i];
        i0 = i0 < 0 && rows[i] ? i : i0;
    }
    for (int j = 0; j < s->w; j++) {
        w += cols[j];
        j0 = j0 < 0 && cols[j] ? j : j0;
    }
    GLOBAL CELL *to = new_stamp(c, s->a + i0, s->b + j0, h, w);
    GLOBAL const CELL *from = cells_at(c, s);
    for (int i = 0; to != 0 && i < s->h; i++, from += s->w) {
        for (int j = 0; rows[i] && j < s->w; j++) {
            if (cols[j]) {
                *to++ = from[j];
            }
        }
    }
}

static void trim_stamp(Call *c, const Arg *s, int how) {
    uchar rows[MAX_STAMP_SIDE], cols[MAX_STAMP_SIDE];
    GLOBAL const CELL *from = cells_at(c, s);
    int h = s->h, w = s->w, top = h, bottom = -1, left = w, right = -1;
    for (int i = 0; i < h; i++) {
        rows[i] = 0;
    }
    for (int j = 0; j < w; j++) {
        cols[j] = 0;
    }
    if (how == 2) { /* lines that equal the one before are left out */
        for (int i = 0; i < h; i++) {
            for (int j = 0; j < w; j++) {
                rows[i] |= i == 0 || from[i * w + j] != from[(i - 1) * w + j];
                cols[j] |= j == 0 || from[i * w + j] != from[i * w + j - 1];
            }
        }
        pick_lines(c, s, rows, cols);
        return;
    }
    if (how == 3) {
        left_to_host(c);
        return;
    }
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
            int is = from[i * w + j] != 0;
            rows[i] |= is;
            cols[j] |= is;
        }
        top = rows[i] && top == h ? i : top;
        bottom = rows[i] ? i : bottom;
    }
    if (bottom < 0 || how < 0 || how > 3) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    for (int j = 0; j < w; j++) {
        left = cols[j] && left == w ? j : left;
        right = cols[j] ? j : right;
    }
    for (int i = top; how == 0 && i <= bottom; i++) {
        rows[i] = 1;
    }
    for (int j = left; how == 0 && j <= right; j++) {
        cols[j] = 1;
    }
    pick_lines(c, s, rows, cols);
}

static void box_stamp(Call *c, const Arg *s, int how) {
    int color = how == 1 ? 0 : majority(cells_at(c, s), s->h * s->w), h = 2 - s->h % 2, w = 2 - s->w % 2;
    switch (how) {
    case 0:
    case 1:
        full_stamp(c, s->a, s->b, s->h, s->w, color);
        break;
    case 2:
        full_stamp(c, 0, 0, s->h, s->w, color);
        break;
    case 3:
        full_stamp(c, s->a, s->b, 1, 1, color);
        break;
    case 4:
        full_stamp(c, s->a + (s->h - h) / 2, s->b + (s->w - w) / 2, h, w, color ? color : 1);
        break;
    default:
        no_value(c, LEVEL_EMPTY);
    }
}

/* The cells of a row that cells of `from` reach through cells of `open`, which has them all. */
static ulong spread_in_row(ulong from, ulong open) {
    ulong up = from | (((open + from) ^ open) & open), down = from, way = open;
    for (uint by = 1; by < 64; by *= 2) {
        down |= way & down >> by;
        way &= way >> by;
    }
    return up | down;
}

static void find_outside(const ulong *open, ulong *outside, int h, int w) {
    ulong sides = (ulong)1 << (w - 1) | 1;
    for (int i = 0; i < h; i++) {
        ulong from = (i == 0 || i == h - 1 ? open[i] : open[i] & sides) | (i > 0 ? outside[i - 1] & open[i] : 0);
        outside[i] = spread_in_row(from, open[i]);
    }
    int up = 1, changed = 1;
    for (; changed; up = !up) {
        changed = 0;
        for (int k = 1; k < h; k++) {
            int i = up ? h - 1 - k : k;
            ulong more = outside[up ? i + 1 : i - 1] & open[i] & ~outside[i];
            if (more != 0) {
                outside[i] |= spread_in_row(more, open[i]);
                changed = 1;
            }
        }
    }
}

static void fill_stamp(Call *c, const Arg *s, int how) {
    ulong open[MAX_STAMP_SIDE], outside[MAX_STAMP_SIDE];
    GLOBAL const CELL *from = cells_at(c, s);
    int h = s->h, w = s->w, any = 0;
    if (w > 64) {
        left_to_host(c);
        return;
    }
    GLOBAL CELL *to = new_stamp(c, s->a, s->b, h, w);
    if (to == 0) {
        return;
    }
    if (how < 0 || how > 3) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    int foreground = how <= 1 ? majority(from, h * w) : 0;
    for (int i = 0; i < h; i++) {
        open[i] = 0;
        for (int j = 0; j < w; j++) {
            open[i] |= (ulong)(from[i * w + j] == 0) << j;
        }
    }
    find_outside(open, outside, h, w);
    for (int i = 0; i < h; i++) {
        ulong near = outside[i] | (i > 0 ? outside[i - 1] : 0) | (i + 1 < h ? outside[i + 1] : 0);
        ulong border = i == 0 || i == h - 1 ? ~(ulong)0 : (ulong)1 << (w - 1) | 1 | near | near << 1 | near >> 1;
        ulong holes = open[i] & ~outside[i], kept = ~open[i] & (how == 3 ? border : ~border);
        for (int j = 0; j < w; j++) {
            int v = from[i * w + j];
            int now = how > 1 ? (kept >> j & 1 ? v : 0) : holes >> j & 1 ? foreground : how == 0 ? v : 0;
            to[i * w + j] = (CELL)now;
            any |= now;
        }
    }
    if (!any) {
        no_value(c, LEVEL_EMPTY);
    }
}

static void turn_stamp(Call *c, const Arg *s, int how) {
    how = how != 8 ? how : s->w > s->h ? 4 : s->w < s->h ? 5 : 6;
    if (how < 1 || how > 7) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    int swapped = how == 1 || how == 3 || how == 6 || how == 7;
    int h = swapped ? s->w : s->h, w = swapped ? s->h : s->w;
    int up = how == 1 || how == 2 || how == 5 || how == 7, back = how == 2 || how == 3 || how == 4 || how == 7;
    int by_row = up ? -s->w : s->w, by_col = back ? -1 : 1;
    int down = swapped ? by_col : by_row, across = swapped ? by_row : by_col;
    GLOBAL CELL *to = new_stamp(c, s->a, s->b, h, w);
    GLOBAL const CELL *from = cells_at(c, s) + (up ? (s->h - 1) * s->w : 0) + (back ? s->w - 1 : 0);
    for (int i = 0; to != 0 && i < h; i++, from += down) {
        for (int j = 0; j < w; j++) {
            *to++ = from[j * across];
        }
    }
}

/* Rays of one direction, row by row. */
static int ray_rows(GLOBAL const CELL *from, GLOBAL CELL *to, int h, int w, int di, int dj) {
    CELL rows[2][MAX_STAMP_SIDE + 2];
    int changed = 0;
    for (int j = 0; j < w + 2; j++) {
        rows[0][j] = rows[1][j] = 0;
    }
    for (int a = 0; a < h; a++) {
        int at = (di < 0 ? h - 1 - a : a) * w, now = a & 1;
        for (int j = 0; j < w; j++) {
            CELL mine = from[at + j], ray = mine == 0 ? rows[now][j + 1 - dj] : 0;
            rows[1 - now][j + 1] = mine | ray;
            to[at + j] = ray != 0 ? ray : to[at + j];
            changed |= ray;
        }
    }
    return changed;
}

static int ray_columns(GLOBAL const CELL *from, GLOBAL CELL *to, int h, int w, int dj) {
    int changed = 0;
    for (int i = 0; i < h; i++) {
        int at = i * w + (dj < 0 ? w - 1 : 0);
        CELL carried = 0;
        for (int b = 0; b < w; b++, at += dj) {
            CELL mine = from[at], ray = mine == 0 ? carried : 0;
            carried = mine | ray;
            to[at] = ray != 0 ? ray : to[at];
            changed |= ray;
        }
    }
    return changed;
}

static void rays_of_stamp(Call *c, const Arg *s, int how) {
    const CELL step_i[8] = {0, 1, 0, -1, 1, 1, -1, -1}, step_j[8] = {1, 0, -1, 0, 1, -1, -1, 1};
    const uchar sets[15] = {1, 2, 4, 8, 5, 10, 15, 16, 32, 64, 128, 80, 160, 240, 255};
    if (how < 0 || how >= 15) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    GLOBAL CELL *to = new_stamp(c, s->a, s->b, s->h, s->w);
    GLOBAL const CELL *from = cells_at(c, s);
    int changed = 0;
    if (to == 0) {
        return;
    }
    copy_cells(to, from, s->h * s->w);
    for (int d = 0; d < 8; d++) {
        if (sets[how] >> d & 1) {
            changed |= step_i[d] != 0 ? ray_rows(from, to, s->h, s->w, step_i[d], step_j[d])
                                      : ray_columns(from, to, s->h, s->w, step_j[d]);
        }
    }
    if (!changed) {
        no_value(c, LEVEL_EMPTY);
    }
}

/* Whether a cell or one of its eight neighbors is not 0. */
static int is_near(GLOBAL const CELL *from, int h, int w, int i, int j) {
    for (int x = i > 0 ? i - 1 : 0; x <= i + 1 && x < h; x++) {
        for (int y = j > 0 ? j - 1 : 0; y <= j + 1 && y < w; y++) {
            if (from[x * w + y] != 0) {
                return 1;
            }
        }
    }
    return 0;
}

static void frame_stamp(Call *c, const Arg *s, int how) {
    int h = s->h + 2, w = s->w + 2;
    GLOBAL const CELL *from = cells_at(c, s);
    if (how < 0 || how > 2) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    GLOBAL CELL *to = new_stamp(c, s->a - 1, s->b - 1, h, w);
    int color = how == 2 ? majority(from, s->h * s->w) : 1;
    for (int i = -1; to != 0 && i <= s->h; i++) {
        for (int j = -1; j <= s->w; j++) {
            int inside = i >= 0 && j >= 0 && i < s->h && j < s->w, v = inside ? from[i * s->w + j] : 0;
            *to++ = (CELL)(how == 0 ? (v != 0 ? v : is_near(from, s->h, s->w, i, j)) : inside ? v : color);
        }
    }
}

static int join_line(GLOBAL CELL *to, GLOBAL const CELL *from, int n, int stride) {
    int last = -1, changed = 0;
    for (int k = 0; k < n; k++) {
        if (from[k * stride] == 0) {
            continue;
        }
        if (last >= 0 && from[last * stride] == from[k * stride]) {
            for (int x = last + 1; x < k; x++) {
                to[x * stride] = from[k * stride];
                changed = 1;
            }
        }
        last = k;
    }
    return changed;
}

static void join_stamp(Call *c, const Arg *s, int how) {
    GLOBAL const CELL *from = cells_at(c, s);
    int changed = 0;
    if (how < 0 || how > 2) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    GLOBAL CELL *to = new_stamp(c, s->a, s->b, s->h, s->w);
    if (to == 0) {
        return;
    }
    copy_cells(to, from, s->h * s->w);
    for (int j = 0; how != 0 && j < s->w; j++) {
        changed |= join_line(to + j, from + j, s->h, s->w);
    }
    for (int i = 0; how != 1 && i < s->h; i++) {
        changed |= join_line(to + i * s->w, from + i * s->w, s->w, 1);
    }
    if (!changed) {
        no_value(c, LEVEL_EMPTY);
    }
}

/* A rectangle of a stamp, at a place. */
static void cut_stamp(Call *c, const Arg *s, int i, int j, int h, int w, int at_i, int at_j) {
    GLOBAL CELL *to = new_stamp(c, at_i, at_j, h, w);
    GLOBAL const CELL *from = cells_at(c, s) + i * s->w + j;
    for (int r = 0; to != 0 && r < h; r++, to += w, from += s->w) {
        copy_cells(to, from, w);
    }
}

static void half_stamp(Call *c, const Arg *s, int how) {
    if (how < 0 || how > 5) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    how = how < 4 ? how : s->h > s->w ? how - 2 : how - 4;
    int h = how >= 2 ? s->h / 2 : s->h, w = how >= 2 ? s->w : s->w / 2;
    int i = how == 3 ? s->h - h : 0, j = how == 1 ? s->w - w : 0;
    cut_stamp(c, s, i, j, h, w, s->a + i, s->b + j);
}

/* ---- to a size ---- */

static void paste_stamp(Call *c, const Arg *s, int h, int w) {
    GLOBAL CELL *to = new_stamp(c, 0, 0, h, w);
    GLOBAL const CELL *from = cells_at(c, s);
    for (int i = 0; to != 0 && i < h; i++, to += w) {
        int li = i - s->a, inside = li >= 0 && li < s->h;
        for (int j = 0; j < w; j++) {
            int lj = j - s->b;
            to[j] = inside && lj >= 0 && lj < s->w ? from[li * s->w + lj] : (CELL)0;
        }
    }
}

static void corner_stamp(Call *c, const Arg *s, int h, int w, int how) {
    if (how < 0 || how > 4 || h > s->h || w > s->w) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    cut_stamp(c, s, how == 4 ? (s->h - h) / 2 : how >= 2 ? s->h - h : 0,
              how == 4 ? (s->w - w) / 2 : how % 2 ? s->w - w : 0, h, w, 0, 0);
}

static void scale_stamp(Call *c, const Arg *s, int h, int w) {
    if ((h % s->h != 0 && s->h % h != 0) || (w % s->w != 0 && s->w % w != 0)) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    GLOBAL CELL *to = new_stamp(c, 0, 0, h, w);
    GLOBAL const CELL *from = cells_at(c, s);
    for (int i = 0; to != 0 && i < h; i++) {
        for (int j = 0; j < w; j++) {
            *to++ = from[(i * s->h / h) * s->w + j * s->w / w];
        }
    }
}

/* The line of a pattern that comes to place k; -1: none, a gap. */
static int line_at(int k, int side, int start, int gap, int mirrored) {
    int period = side + gap, whole = mirrored ? 2 * period : period, at = (k - start) % whole;
    at = at < 0 ? at + whole : at;
    int line = at >= period ? 2 * period - 1 - gap - at : at;
    return line >= 0 && line < side ? line : -1;
}

/* Whether lines repeat after so many; `blind`: transparent cells agree with any color. */
static int repeats(GLOBAL const CELL *from, int side, int length, int by, int along, int period, int blind) {
    for (int k = 0; k < period * length; k++) {
        CELL seen = 0;
        for (int x = k / length; x < side; x += period) {
            CELL v = from[x * by + k % length * along];
            int fresh = x < period || (blind && seen == 0);
            if (!fresh && v != seen && !(blind && v == 0)) {
                return 0;
            }
            seen = fresh ? v : seen;
        }
    }
    return 1;
}

static int period_of(GLOBAL const CELL *from, int side, int length, int by, int along, int blind) {
    int period = 1;
    while (period < side && !repeats(from, side, length, by, along, period, blind)) {
        period++;
    }
    return period;
}

/* The pattern that the stamp is a part of; where that has gaps, any of its repetitions fills them. */
static void repeat_stamp(Call *c, const Arg *s, int h, int w) {
    GLOBAL CELL *to = new_stamp(c, 0, 0, h, w);
    GLOBAL const CELL *from = cells_at(c, s);
    if (to == 0) {
        return;
    }
    int down = period_of(from, s->h, s->w, s->w, 1, 0), along = period_of(from, s->w, s->h, 1, s->w, 0);
    if (down == s->h && along == s->w) {
        down = period_of(from, s->h, s->w, s->w, 1, 1);
        along = period_of(from, s->w, s->h, 1, s->w, 1);
    }
    steps(c, charge((uint)(s->h * s->w) + 8));
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
            int row = line_at(i, down, s->a, 0, 0), column = line_at(j, along, s->b, 0, 0);
            CELL found = 0;
            for (int x = row; x < s->h && found == 0; x += down) {
                for (int y = column; y < s->w && found == 0; y += along) {
                    found = from[x * s->w + y];
                }
            }
            *to++ = found;
        }
    }
}

static void tile_stamp(Call *c, const Arg *s, int h, int w, int how) {
    if (how == 4) {
        repeat_stamp(c, s, h, w);
        return;
    }
    if (how < 0 || how > 3) {
        no_value(c, LEVEL_EMPTY);
        return;
    }
    GLOBAL CELL *to = new_stamp(c, 0, 0, h, w);
    GLOBAL const CELL *from = cells_at(c, s);
    for (int i = 0; to != 0 && i < h; i++, to += w) {
        int row = line_at(i, s->h, s->a, how & 1, how >> 1);
        for (int j = 0; j < w; j++) {
            int col = row < 0 ? -1 : line_at(j, s->w, s->b, how & 1, how >> 1);
            to[j] = col < 0 ? (CELL)0 : from[row * s->w + col];
        }
    }
}

static void lay_stamp(Call *c, const Arg *base, const Arg *layer, const Arg *how) {
    if (!is_stamp(base) || !is_stamp(layer) || how->form != LEVEL_INT) {
        no_value(c, LEVEL_TYPE);
        return;
    }
    if (how->a < 0 || how->a > 2) {
        no_value(c, LEVEL_RANGE);
        return;
    }
    GLOBAL CELL *to = new_stamp(c, base->a, base->b, base->h, base->w);
    GLOBAL const CELL *under = cells_at(c, base), *over = cells_at(c, layer);
    for (int i = 0; to != 0 && i < base->h; i++) {
        int li = base->a + i - layer->a, in_rows = li >= 0 && li < layer->h;
        for (int j = 0; j < base->w; j++, to++, under++) {
            int lj = base->b + j - layer->b, inside = in_rows && lj >= 0 && lj < layer->w;
            CELL v = inside ? over[li * layer->w + lj] : (CELL)0;
            *to = inside && *under == -1 && (how->a == 2 || (v != 0) == (how->a == 0)) ? v : *under;
        }
    }
}

static void table_stamp(Call *c, const Arg *a, const Arg *b, const Arg *table) {
    CELL map[100];
    GLOBAL const CELL *x = cells_at(c, a), *y = cells_at(c, b), *row = cells_at(c, table);
    if (!is_stamp(a) || !is_stamp(b) || table->form != LEVEL_GRID || table->w != 3) {
        no_value(c, LEVEL_TYPE);
        return;
    }
    if (a->h != b->h || a->w != b->w) {
        no_value(c, LEVEL_RANGE);
        return;
    }
    for (int k = 0; k < 100; k++) {
        map[k] = -1;
    }
    for (int k = 0; k < table->h; k++, row += 3) {
        if (row[0] < 0 || row[0] > 9 || row[1] < 0 || row[1] > 9) {
            no_value(c, LEVEL_RANGE);
            return;
        }
        map[row[0] * 10 + row[1]] = row[2];
    }
    GLOBAL CELL *to = new_stamp(c, a->a, a->b, a->h, a->w);
    for (int k = 0; to != 0 && k < a->h * a->w; k++) {
        int known = x[k] >= 0 && x[k] <= 9 && y[k] >= 0 && y[k] <= 9;
        to[k] = known ? map[x[k] * 10 + y[k]] : (CELL)-1;
        if (to[k] < 0) {
            no_value(c, LEVEL_RANGE);
            return;
        }
    }
}

static void home_stamp(Call *c, const Arg *s) {
    give_same(c, s);
    if (c->out.form != LEVEL_FAIL) {
        c->out.form = LEVEL_GRID;
        c->out.a = c->out.b = 0;
    }
}

static void main_stamp(Call *c, const Arg *s) {
    full_stamp(c, 0, 0, 1, 1, majority(cells_at(c, s), s->h * s->w));
}

/* ---- what stamps are called with; where it is not that, the call fails ---- */

static int wanted(Call *c, int is, uint otherwise) {
    if (!is) {
        no_value(c, otherwise);
    }
    return is;
}

static int is_stamp_alone(Call *c, const Arg *s) {
    return wanted(c, is_stamp(s), LEVEL_TYPE);
}

static int is_how(Call *c, const Arg *how) {
    return wanted(c, how->form == LEVEL_INT, LEVEL_TYPE);
}

static int is_stamp_and_how(Call *c, const Arg *s, const Arg *how) {
    return is_how(c, how) && wanted(c, is_byte(how), LEVEL_RANGE) && is_stamp_alone(c, s);
}

static int is_stamp_and_size(Call *c, const Arg *s, const Arg *size) {
    return wanted(c, size->form == LEVEL_PAIR && size->a > 0 && size->b > 0, LEVEL_TYPE) &&
           wanted(c, size->a <= MAX_STAMP_SIDE && size->b <= MAX_STAMP_SIDE && is_stamp(s), LEVEL_TYPE);
}

/* Stamps: one taken apart into many, and many put together into one. */
#include "engine/stamps/stamp.h"

#include <string.h>

/* ---- taking apart ---- */

/* The most frequent color on the rim is taken as the background; ties go to the smallest. */
static int8_t background(const Stamp *s) {
    int32_t counts[10] = {0}, best = 0;
    for (int32_t i = 0; i < s->h; i++) {
        bool whole = i == 0 || i == s->h - 1;
        for (int32_t j = 0; j < s->w; j += whole || s->w == 1 ? 1 : s->w - 1) {
            int8_t c = s->c[i * s->w + j];
            if (c >= 0 && c < 10) {
                counts[c]++;
            }
        }
    }
    for (int32_t color = 1; color < 10; color++) {
        best = counts[color] > counts[best] ? color : best;
    }
    return (int8_t)best;
}

/* In reading order of their first cells; objects touch over corners, too, and have several colors. */
static int32_t split_groups(Ctx *ctx, const Stamp *s, int8_t background_color, bool objects, Stamp *list,
                            int32_t max) {
    typedef struct CellBox {
        int16_t top, bottom, left, right;
    } CellBox;
    int16_t first[STAMP_MAX_CELLS];
    CellBox boxes[STAMP_MAX_CELLS]; /* by first cell */
    int8_t *cells[STAMP_MAX_CELLS];
    int32_t count = 0, groups = stamp_group(s, background_color, objects, !objects, first);
    for (int32_t i = 0, k = 0; i < s->h; i++) {
        for (int32_t j = 0; j < s->w; j++, k++) {
            if (first[k] < 0) {
                continue;
            }
            CellBox *box = &boxes[first[k]];
            if (first[k] == k) {
                *box = (CellBox){(int16_t)i, (int16_t)i, (int16_t)j, (int16_t)j};
                continue;
            }
            box->bottom = (int16_t)i;
            box->left = (int16_t)(j < box->left ? j : box->left);
            box->right = (int16_t)(j > box->right ? j : box->right);
        }
    }
    for (int32_t k = 0, n = stamp_cells(s); k < n && count < groups; k++) {
        if (first[k] != k) {
            continue;
        }
        if (count == max) {
            return 0;
        }
        CellBox box = boxes[k];
        int32_t h = box.bottom - box.top + 1, w = box.right - box.left + 1;
        cells[k] = stamp_new(ctx, h, w);
        if (cells[k] == NULL) {
            return -1;
        }
        list[count++] = (Stamp){s->i + box.top, s->j + box.left, h, w, cells[k]};
    }
    for (int32_t i = 0, k = 0; i < s->h; i++) {
        for (int32_t j = 0; j < s->w; j++, k++) {
            if (first[k] >= 0) {
                CellBox box = boxes[first[k]];
                cells[first[k]][(i - box.top) * (box.right - box.left + 1) + j - box.left] = s->c[k];
            }
        }
    }
    return count;
}

static int32_t split_colors(Ctx *ctx, const Stamp *s, Stamp *list, int32_t max) {
    uint32_t colors = stamp_colors(s);
    int32_t count = 0;
    for (int32_t color = 1; color < 10 && count < max; color++) {
        if (colors >> color & 1) {
            list[count] = stamp_keep(ctx, s, color);
            if (list[count++].h == 0) {
                return -1;
            }
        }
    }
    return count;
}

static int32_t split_lines(Ctx *ctx, const Stamp *s, bool rows, Stamp *list, int32_t max) {
    int32_t n = rows ? s->h : s->w, length = rows ? s->w : s->h;
    if (n > max) {
        return 0;
    }
    for (int32_t k = 0; k < n; k++) {
        int8_t *to = stamp_new(ctx, rows ? 1 : length, rows ? length : 1);
        if (to == NULL) {
            return -1;
        }
        for (int32_t x = 0; x < length; x++) {
            to[x] = rows ? s->c[k * s->w + x] : s->c[x * s->w + k];
        }
        list[k] = rows ? (Stamp){s->i + k, s->j, 1, length, to} : (Stamp){s->i, s->j + k, length, 1, to};
    }
    return n;
}

/* Whether the four corners of a rectangle have one color that occurs nowhere else in it. */
static bool is_marked(const Stamp *s, int32_t i0, int32_t j0, int32_t i1, int32_t j1) {
    int8_t color = s->c[i0 * s->w + j0];
    if (s->c[i0 * s->w + j1] != color || s->c[i1 * s->w + j0] != color || s->c[i1 * s->w + j1] != color) {
        return false;
    }
    for (int32_t i = i0; i <= i1; i++) {
        for (int32_t j = j0; j <= j1; j++) {
            bool corner = (i == i0 || i == i1) && (j == j0 || j == j1);
            if (!corner && s->c[i * s->w + j] == color) {
                return false;
            }
        }
    }
    return true;
}

static int32_t split_marked(Ctx *ctx, const Stamp *s, Stamp *list, int32_t max) {
    int32_t count = 0;
    for (int32_t i0 = 0; i0 < s->h - 2; i0++) {
        for (int32_t j0 = 0; j0 < s->w - 2; j0++) {
            int8_t color = s->c[i0 * s->w + j0];
            int32_t j1 = j0 + 1, i1 = i0 + 1;
            if (color == 0) {
                continue;
            }
            /* the next cell of that color in the row and in the column */
            while (j1 < s->w && s->c[i0 * s->w + j1] != color) {
                j1++;
            }
            while (i1 < s->h && s->c[i1 * s->w + j0] != color) {
                i1++;
            }
            if (j1 >= s->w || i1 >= s->h || i1 - i0 < 2 || j1 - j0 < 2 || !is_marked(s, i0, j0, i1, j1)) {
                continue;
            }
            int32_t h = i1 - i0 - 1, w = j1 - j0 - 1;
            int8_t *to = count < max ? stamp_new(ctx, h, w) : NULL;
            if (to == NULL) {
                return count < max ? -1 : 0;
            }
            for (int32_t i = 0; i < h; i++) {
                memcpy(to + i * w, s->c + (i0 + 1 + i) * s->w + j0 + 1, (size_t)w);
            }
            list[count++] = (Stamp){s->i + i0 + 1, s->j + j0 + 1, h, w, to};
        }
    }
    return count;
}

/* Would `one`, moved to this place, leave the stamp or cover what has come to rest? Places are relative to
 * the stamp. */
static bool blocked(const Stamp *s, const uint8_t *taken, const Stamp *one, int32_t i0, int32_t j0) {
    for (int32_t i = 0; i < one->h; i++) {
        for (int32_t j = 0; j < one->w; j++) {
            if (one->c[i * one->w + j] != 0) {
                int32_t a = i0 + i, b = j0 + j;
                if (a < 0 || b < 0 || a >= s->h || b >= s->w || taken[a * s->w + b]) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* The parts fall one after another, the foremost first, until something is in the way. */
static int32_t split_fall(Ctx *ctx, const Stamp *s, int32_t way, Stamp *list, int32_t max) {
    static const int8_t di[4] = {1, 0, -1, 0}, dj[4] = {0, 1, 0, -1};
    uint8_t taken[STAMP_MAX_CELLS];
    memset(taken, 0, (size_t)stamp_cells(s));
    int32_t n = split_groups(ctx, s, 0, false, list, max);
    for (int32_t k = 1; k < n; k++) { /* by the leading edge */
        Stamp one = list[k];
        int32_t at = k;
        for (; at > 0; at--) {
            const Stamp *o = &list[at - 1];
            int32_t lead = way == 0   ? one.i + one.h - o->i - o->h
                           : way == 1 ? one.j + one.w - o->j - o->w
                           : way == 2 ? o->i - one.i
                                      : o->j - one.j;
            if (lead <= 0) {
                break;
            }
            list[at] = *o;
        }
        list[at] = one;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t i = list[k].i - s->i, j = list[k].j - s->j;
        while (!blocked(s, taken, &list[k], i + di[way], j + dj[way])) {
            i += di[way];
            j += dj[way];
        }
        for (int32_t a = 0; a < list[k].h; a++) {
            for (int32_t b = 0; b < list[k].w; b++) {
                if (list[k].c[a * list[k].w + b] != 0) {
                    taken[(i + a) * s->w + j + b] = 1;
                }
            }
        }
        list[k].i = s->i + i;
        list[k].j = s->j + j;
    }
    return n;
}

int32_t stamp_split(Ctx *ctx, const Stamp *s, int32_t how, Stamp *list, int32_t max) {
    switch (how) {
    case SPLIT_OBJECTS:
        return split_groups(ctx, s, background(s), true, list, max);
    case SPLIT_COLORS:
        return split_colors(ctx, s, list, max);
    case SPLIT_COMPONENTS:
        return split_groups(ctx, s, 0, false, list, max);
    case SPLIT_COLUMNS:
        return split_lines(ctx, s, false, list, max);
    case SPLIT_ROWS:
        return split_lines(ctx, s, true, list, max);
    case SPLIT_MARKED:
        return split_marked(ctx, s, list, max);
    default:
        return how >= SPLIT_FALL && how < SPLIT_WAYS ? split_fall(ctx, s, how - SPLIT_FALL, list, max) : 0;
    }
}

/* ---- comparing ---- */

int32_t stamp_criterion(Ctx *ctx, const Stamp *s, int32_t which) {
    CtxMark mark = ctx_mark(ctx);
    int32_t value = 0;
    switch (which) {
    case 0:
    case 1:
        value = stamp_count(s);
        break;
    case 2:
    case 3:
        value = stamp_cells(s);
        break;
    case 4:
        value = __builtin_popcount(stamp_colors(s));
        break;
    case 5:
        return -s->i;
    case 6:
        return s->i;
    case 7:
        return -s->j;
    case 8:
        return s->j;
    case 9:
        value = stamp_components(s);
        break;
    default: {
        Stamp holes = stamp_fill(ctx, s, 1);
        if (holes.h != 0) {
            value = which < 12 ? stamp_components(&holes) : stamp_count(&holes);
        }
        ctx_release(ctx, mark);
        break;
    }
    }
    bool smallest = which == 1 || which == 3 || which == 11 || which == 13;
    return smallest ? -value : value;
}

int32_t stamp_odd_one(const Stamp *list, int32_t n) {
    int32_t counts[10] = {0}, found = -1;
    for (int32_t k = 0; k < n; k++) {
        counts[stamp_majority(&list[k])]++;
    }
    for (int32_t k = 0; k < n; k++) {
        if (counts[stamp_majority(&list[k])] == 1) {
            if (found >= 0) {
                return -1;
            }
            found = k;
        }
    }
    return found;
}

/* ---- putting together ---- */

Stamp stamp_overlay(Ctx *ctx, const Stamp *list, int32_t n) {
    int32_t top = list[0].i, left = list[0].j, bottom = top, right = left;
    for (int32_t k = 0; k < n; k++) {
        top = list[k].i < top ? list[k].i : top;
        left = list[k].j < left ? list[k].j : left;
        bottom = list[k].i + list[k].h > bottom ? list[k].i + list[k].h : bottom;
        right = list[k].j + list[k].w > right ? list[k].j + list[k].w : right;
    }
    int32_t w = right - left;
    int8_t *to = stamp_new(ctx, bottom - top, w);
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t k = 0; k < n; k++) {
        Stamp s = list[k];
        for (int32_t i = 0; i < s.h; i++) {
            int8_t *row = to + (s.i - top + i) * w + s.j - left;
            const int8_t *from = s.c + i * s.w;
            for (int32_t j = 0; j < s.w; j++) {
                row[j] = from[j] != 0 ? from[j] : row[j];
            }
        }
    }
    return (Stamp){top, left, bottom - top, w, to};
}

/* A copy sorted stably by a key; NULL: no memory, or too many steps. */
static Stamp *sorted(Ctx *ctx, const Stamp *list, int32_t n, int32_t (*key)(const Stamp *)) {
    Stamp *copy = ctx_alloc(ctx, (size_t)n * sizeof *copy);
    int32_t *keys = ctx_alloc(ctx, (size_t)n * sizeof *keys);
    if (copy == NULL || keys == NULL || !ctx_charge(ctx, (uint64_t)n * (uint64_t)n / 64)) {
        return NULL;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t at = k, mine = key(&list[k]);
        for (; at > 0 && keys[at - 1] > mine; at--) {
            copy[at] = copy[at - 1];
            keys[at] = keys[at - 1];
        }
        copy[at] = list[k];
        keys[at] = mine;
    }
    return copy;
}

static int32_t fewest_last(const Stamp *s) {
    return -stamp_count(s);
}

static int32_t by_row(const Stamp *s) {
    return s->i;
}

static int32_t by_column(const Stamp *s) {
    return s->j;
}

Stamp stamp_heap(Ctx *ctx, const Stamp *list, int32_t n) {
    Stamp *order = sorted(ctx, list, n, fewest_last);
    return order != NULL ? stamp_overlay(ctx, order, n) : STAMP_NONE;
}

static Stamp lay_out(Ctx *ctx, const Stamp *list, int32_t n, bool across) {
    int32_t h = 0, w = 0;
    for (int32_t k = 0; k < n; k++) {
        h = across ? (list[k].h > h ? list[k].h : h) : h + list[k].h;
        w = across ? w + list[k].w : (list[k].w > w ? list[k].w : w);
    }
    int8_t *to = stamp_new(ctx, h, w);
    if (to == NULL) {
        return STAMP_NONE;
    }
    int32_t at = 0;
    for (int32_t k = 0; k < n; k++) {
        int8_t *corner = across ? to + at : to + at * w;
        for (int32_t i = 0; i < list[k].h; i++) {
            memcpy(corner + i * w, list[k].c + i * list[k].w, (size_t)list[k].w);
        }
        at += across ? list[k].w : list[k].h;
    }
    return (Stamp){0, 0, h, w, to};
}

Stamp stamp_line(Ctx *ctx, const Stamp *list, int32_t n) {
    int32_t i0 = list[0].i, i1 = i0, j0 = list[0].j, j1 = j0;
    for (int32_t k = 1; k < n; k++) {
        i0 = list[k].i < i0 ? list[k].i : i0;
        i1 = list[k].i > i1 ? list[k].i : i1;
        j0 = list[k].j < j0 ? list[k].j : j0;
        j1 = list[k].j > j1 ? list[k].j : j1;
    }
    bool across = j1 - j0 > i1 - i0;
    Stamp *order = sorted(ctx, list, n, across ? by_column : by_row);
    return order != NULL ? lay_out(ctx, order, n, across) : STAMP_NONE;
}

Stamp stamp_pile(Ctx *ctx, const Stamp *list, int32_t n, int32_t how) {
    Stamp *order = how == 0 || how == 1 ? sorted(ctx, list, n, stamp_count) : NULL;
    return order != NULL ? lay_out(ctx, order, n, how == 0) : STAMP_NONE;
}

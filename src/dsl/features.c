/* Computing the features of cells, one plane after the other; see features.h and cell_feature in rules.def.
 */
#include "dsl/features.h"

#include <string.h>

typedef struct Board {
    int32_t h, w, n;
    const int8_t *c;
    int8_t ground;
    int8_t *planes;
} Board;

static int8_t *plane(const Board *b, int32_t feature) {
    return b->planes + (size_t)feature * (size_t)b->n;
}

static int8_t color_at(const Board *b, int32_t i, int32_t j) {
    return (uint32_t)i < (uint32_t)b->h && (uint32_t)j < (uint32_t)b->w ? b->c[i * b->w + j] : -1;
}

static int8_t clip(int32_t x) {
    return (int8_t)(x > 127 ? 127 : x);
}

static void count_colors(const Board *b, int32_t counts[256]) {
    memset(counts, 0, 256 * sizeof *counts);
    for (int32_t k = 0; k < b->n; k++) {
        counts[(uint8_t)b->c[k]]++;
    }
}

static int8_t most_frequent(const int32_t counts[256], int32_t but) {
    int32_t best = -1;
    for (int32_t c = 0; c < 256; c++) {
        if (c != but && counts[c] > 0 && (best < 0 || counts[c] > counts[best])) {
            best = c;
        }
    }
    return (int8_t)best;
}

static int8_t least_frequent(const int32_t counts[256]) {
    int32_t best = -1;
    for (int32_t c = 0; c < 256; c++) {
        if (counts[c] > 0 && (best < 0 || counts[c] < counts[best])) {
            best = c;
        }
    }
    return (int8_t)best;
}

/* ---- colors of other cells ---- */

static void fill_neighbours(const Board *b) {
    static const int8_t di[8] = {-1, -1, 0, 1, 1, 1, 0, -1}, dj[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    for (int32_t i = 0, k = 0; i < b->h; i++) {
        for (int32_t j = 0; j < b->w; j++, k++) {
            int32_t like = 0, busy = 0;
            for (int d = 0; d < 8; d++) {
                int8_t c = color_at(b, i + di[d], j + dj[d]);
                plane(b, 1 + d)[k] = c;
                like += c == b->c[k];
                busy += c != -1 && c != b->ground;
            }
            plane(b, 0)[k] = b->c[k];
            plane(b, 9)[k] = color_at(b, b->h - 1 - i, j);
            plane(b, 10)[k] = color_at(b, i, b->w - 1 - j);
            plane(b, 11)[k] = color_at(b, b->h - 1 - i, b->w - 1 - j);
            plane(b, 12)[k] = color_at(b, j, i);
            plane(b, 23)[k] = (int8_t)like;
            plane(b, 24)[k] = (int8_t)busy;
        }
    }
}

/* The nearest cell that is not ground, in each direction. */
static void fill_nearest(const Board *b) {
    static const int8_t di[4] = {-1, 0, 1, 0}, dj[4] = {0, 1, 0, -1};
    for (int d = 0; d < 4; d++) {
        int8_t *to = plane(b, 13 + d);
        for (int32_t a = 0; a < b->h; a++) {
            int32_t i = di[d] > 0 ? b->h - 1 - a : a;
            for (int32_t x = 0; x < b->w; x++) {
                int32_t j = dj[d] > 0 ? b->w - 1 - x : x;
                int8_t next = color_at(b, i + di[d], j + dj[d]);
                to[i * b->w + j] =
                    next == -1 || next != b->ground ? next : to[(i + di[d]) * b->w + j + dj[d]];
            }
        }
    }
    for (int32_t k = 0; k < b->n; k++) {
        int8_t up = plane(b, 13)[k], right = plane(b, 14)[k], down = plane(b, 15)[k], left = plane(b, 16)[k];
        plane(b, 42)[k] = left == right && left != -1;
        plane(b, 43)[k] = up == down && up != -1;
    }
}

/* ---- lines and the whole grid ---- */

static void fill_lines(const Board *b) {
    for (int32_t axis = 0; axis < 2; axis++) {
        int32_t lines = axis == 0 ? b->h : b->w, length = axis == 0 ? b->w : b->h;
        for (int32_t x = 0; x < lines; x++) {
            int32_t counts[256] = {0}, busy = 0;
            for (int32_t y = 0; y < length; y++) {
                int8_t c = axis == 0 ? b->c[x * b->w + y] : b->c[y * b->w + x];
                counts[(uint8_t)c]++;
                busy += c != b->ground;
            }
            int8_t main = most_frequent(counts, (uint8_t)b->ground);
            for (int32_t y = 0; y < length; y++) {
                int32_t k = axis == 0 ? x * b->w + y : y * b->w + x;
                plane(b, 17 + axis)[k] = main;
                plane(b, 40 + axis)[k] = clip(busy);
            }
        }
    }
}

static void fill_whole(const Board *b) {
    int32_t counts[256];
    count_colors(b, counts);
    memset(plane(b, 19), most_frequent(counts, -1), (size_t)b->n);
    memset(plane(b, 20), least_frequent(counts), (size_t)b->n);
    memset(plane(b, 21), most_frequent(counts, (uint8_t)b->ground), (size_t)b->n);
}

/* The least shift along an axis under which cells agree wherever both are not ground; 0: none below the
 * side's length. */
static int32_t period(const Board *b, int32_t axis) {
    int32_t side = axis == 0 ? b->h : b->w;
    for (int32_t p = 1; p < side; p++) {
        bool agrees = true;
        for (int32_t i = axis == 0 ? p : 0; i < b->h && agrees; i++) {
            for (int32_t j = axis == 0 ? 0 : p; j < b->w && agrees; j++) {
                int8_t x = b->c[i * b->w + j],
                       y = axis == 0 ? b->c[(i - p) * b->w + j] : b->c[i * b->w + j - p];
                agrees = x == y || x == b->ground || y == b->ground;
            }
        }
        if (agrees) {
            return p;
        }
    }
    return 0;
}

/* A cell that is not ground some periods away. */
static void fill_period(const Board *b) {
    int32_t pi = period(b, 0), pj = period(b, 1);
    for (int32_t i = 0, k = 0; i < b->h; i++) {
        for (int32_t j = 0; j < b->w; j++, k++) {
            int8_t found = b->c[k];
            for (int32_t a = pi ? i % pi : i; found == b->ground && a < b->h; a += pi ? pi : b->h) {
                for (int32_t x = pj ? j % pj : j; found == b->ground && x < b->w; x += pj ? pj : b->w) {
                    found = b->c[a * b->w + x];
                }
            }
            plane(b, 22)[k] = found;
        }
    }
}

static void fill_places(const Board *b) {
    for (int32_t i = 0, k = 0; i < b->h; i++) {
        for (int32_t j = 0; j < b->w; j++, k++) {
            int32_t across = j < b->w - 1 - j ? j : b->w - 1 - j, along = i < b->h - 1 - i ? i : b->h - 1 - i;
            plane(b, 31)[k] = clip(i);
            plane(b, 32)[k] = clip(j);
            plane(b, 33)[k] = clip(b->h - 1 - i);
            plane(b, 34)[k] = clip(b->w - 1 - j);
            plane(b, 35)[k] = (int8_t)(i % 2);
            plane(b, 36)[k] = (int8_t)(j % 2);
            plane(b, 37)[k] = (int8_t)((i + j) % 2);
            plane(b, 38)[k] = (int8_t)(i % 3);
            plane(b, 39)[k] = (int8_t)(j % 3);
            plane(b, 47)[k] = clip(across < along ? across : along);
            plane(b, 48)[k] = i == j;
            plane(b, 49)[k] = i + j == b->w - 1;
        }
    }
}

/* ---- connected parts ---- */

typedef struct Part {
    int32_t size, top, bottom, left, right, holes, rank, alike;
    int8_t color;
    bool rim;
} Part;

/* Labels of connected parts: of one color over sides; or of anything but ground over corners. Returns how
 * many. */
static int32_t label_parts(const Board *b, bool mixed, int16_t *label, Part *parts) {
    int16_t queue[FEATURE_MOST_CELLS];
    int32_t count = 0;
    for (int32_t k = 0; k < b->n; k++) {
        label[k] = -1;
    }
    for (int32_t start = 0; start < b->n; start++) {
        if (label[start] >= 0 || (mixed && b->c[start] == b->ground)) {
            continue;
        }
        Part *p = &parts[count];
        *p = (Part){.top = b->h, .left = b->w, .color = b->c[start]};
        int32_t head = 0, tail = 0;
        label[start] = (int16_t)count;
        queue[tail++] = (int16_t)start;
        while (head < tail) {
            int32_t at = queue[head++], i = at / b->w, j = at % b->w;
            p->size++;
            p->top = i < p->top ? i : p->top;
            p->bottom = i > p->bottom ? i : p->bottom;
            p->left = j < p->left ? j : p->left;
            p->right = j > p->right ? j : p->right;
            p->rim |= i == 0 || j == 0 || i == b->h - 1 || j == b->w - 1;
            for (int32_t a = i > 0 ? i - 1 : 0; a <= i + 1 && a < b->h; a++) {
                for (int32_t x = j > 0 ? j - 1 : 0; x <= j + 1 && x < b->w; x++) {
                    int32_t next = a * b->w + x;
                    bool linked =
                        mixed ? b->c[next] != b->ground : (a == i || x == j) && b->c[next] == b->c[start];
                    if (linked && label[next] < 0) {
                        label[next] = (int16_t)count;
                        queue[tail++] = (int16_t)next;
                    }
                }
            }
        }
        count++;
    }
    return count;
}

/* Enclosed ground belongs, as a hole, to the part above its first cell. */
static void count_holes(const Board *b, const int16_t *label, Part *parts, int32_t count) {
    for (int32_t k = 0, next = 0; k < b->n && next < count; k++) {
        if (label[k] == next) { /* parts are numbered by their first cell */
            const Part *p = &parts[next++];
            if (p->color == b->ground && !p->rim && k >= b->w) {
                parts[label[k - b->w]].holes++;
            }
        }
    }
}

static void rank_parts(const Board *b, Part *parts, int32_t count) {
    enum { MOST_RANKED = 200 }; /* noise has no ranks worth the square of its parts */
    for (int32_t k = 0; k < count && count <= MOST_RANKED; k++) {
        for (int32_t x = 0; x < count; x++) {
            if (parts[x].color != b->ground) {
                parts[k].rank += parts[x].size > parts[k].size;
                parts[k].alike += parts[x].size == parts[k].size;
            }
        }
    }
}

static bool fill_parts(Ctx *ctx, const Board *b) {
    int16_t label[FEATURE_MOST_CELLS];
    CtxMark mark = ctx_mark(ctx);
    Part *parts = ctx_alloc(ctx, (size_t)b->n * sizeof *parts);
    if (parts == NULL) {
        return false;
    }
    int32_t count = label_parts(b, false, label, parts);
    count_holes(b, label, parts, count);
    rank_parts(b, parts, count);
    for (int32_t k = 0; k < b->n; k++) {
        const Part *p = &parts[label[k]];
        plane(b, 25)[k] = clip(p->size);
        plane(b, 26)[k] = clip(p->bottom - p->top + 1);
        plane(b, 27)[k] = clip(p->right - p->left + 1);
        plane(b, 28)[k] = clip(p->rank);
        plane(b, 29)[k] = p->rim;
        plane(b, 30)[k] = p->color == b->ground && !p->rim;
        plane(b, 44)[k] = clip(p->holes);
        plane(b, 46)[k] = clip(p->alike);
    }
    label_parts(b, true, label, parts);
    for (int32_t k = 0; k < b->n; k++) {
        plane(b, 45)[k] = label[k] >= 0 ? clip(parts[label[k]].size) : 0;
    }
    ctx_release(ctx, mark);
    return true;
}

const int8_t *features_of(Ctx *ctx, Val grid, Reason *why) {
    *why = FAIL_TYPE;
    if (grid.kind != VAL_GRID8 || grid.w == 0) {
        return NULL;
    }
    *why = FAIL_LIMIT;
    if ((uint64_t)grid.n * grid.w > FEATURE_MOST_CELLS) {
        return NULL;
    }
    Board b = {.h = (int32_t)grid.n, .w = grid.w, .n = (int32_t)(grid.n * grid.w), .c = grid.b8};
    b.planes = ctx_alloc(ctx, (size_t)FEATURE_COUNT * (size_t)b.n);
    *why = (Reason)ctx->exhausted;
    if (b.planes == NULL || !ctx_charge(ctx, (uint64_t)b.n)) {
        *why = (Reason)ctx->exhausted;
        return NULL;
    }
    int32_t counts[256];
    count_colors(&b, counts);
    b.ground = counts[0] > 0 ? 0 : most_frequent(counts, -1);
    fill_neighbours(&b);
    fill_nearest(&b);
    fill_lines(&b);
    fill_whole(&b);
    fill_period(&b);
    fill_places(&b);
    if (!fill_parts(ctx, &b)) {
        *why = (Reason)ctx->exhausted;
        return NULL;
    }
    return b.planes;
}

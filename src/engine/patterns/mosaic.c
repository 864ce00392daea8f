/* Mosaics; see mosaic.h. */
#include "engine/patterns/mosaic.h"

#include "base/check.h"

#include <string.h>

bool mosaic_size(MosaicHow how, Val a, Val b, int32_t *h, int32_t *w) {
    int64_t ah = a.n, aw = a.w, bh = b.n, bw = b.w; /* any grid may come: sides that multiply past 32 bits */
    if (ah == 0 || aw == 0 || bh == 0 || bw == 0) {
        return false;
    }
    int64_t rows = how == MOSAIC_TIMES ? ah * bh : how == MOSAIC_TILED ? ah : bh;
    int64_t columns = how == MOSAIC_TIMES ? aw * bw : how == MOSAIC_TILED ? aw : bw;
    bool fits = how == MOSAIC_TIMES || (how == MOSAIC_SAME    ? ah == bh && aw == bw
                                        : how == MOSAIC_BLOWN ? bh % ah == 0 && bw % aw == 0
                                                              : ah % bh == 0 && aw % bw == 0);
    if (!fits || rows > FEATURE_MAX_CELLS || columns > FEATURE_MAX_CELLS ||
        rows * columns > FEATURE_MAX_CELLS) {
        return false;
    }
    *h = (int32_t)rows;
    *w = (int32_t)columns;
    return true;
}

void mosaic_at(MosaicHow how, Val a, Val b, int32_t h, int32_t w, int32_t i, int32_t j, int8_t *x,
               int8_t *y) {
    bool blown = how == MOSAIC_BLOWN || how == MOSAIC_TIMES;
    int32_t ai = blown ? i / (h / (int32_t)a.n) : i, aj = blown ? j / (w / (int32_t)a.w) : j;
    *x = a.b8[ai * a.w + aj];
    *y = b.b8[i % (int32_t)b.n * b.w + j % b.w];
}

int8_t mosaic_asked(int number, Val grid) {
    GridAnalysis b;
    Reason why;
    if (number >= 0) {
        return (int8_t)number;
    }
    ASSERT(number >= MOSAIC_LEAST_FREQUENT, "%d", number);
    return !analysis_of(grid, &b, &why)     ? -1
           : number == MOSAIC_MOST_FREQUENT ? analysis_most_frequent(b.counts, -1)
                                            : analysis_least_frequent(b.counts);
}

/* Where cell (i, j) of a turned grid, which is h x w before, comes from; turns as in stamp_turn. */
static int32_t turned_from(int turn, int32_t h, int32_t w, int32_t i, int32_t j) {
    bool across = turn == 1 || turn == 3 || turn >= 6;
    int32_t a = across ? j : i, x = across ? i : j;
    bool rows = turn == 1 || turn == 2 || turn == 5 || turn == 7;
    bool columns = turn == 2 || turn == 3 || turn == 4 || turn == 7;
    return (rows ? h - 1 - a : a) * w + (columns ? w - 1 - x : x);
}

bool mosaic_block(Val grid, int what, int8_t *to) {
    int32_t h = (int32_t)grid.n, w = grid.w;
    GridAnalysis b;
    Reason why;
    bool across = what == 1 || what == 3 || what == 6 || what == 7;
    if ((across && h != w) || !analysis_of(grid, &b, &why)) {
        return false;
    }
    int8_t main = analysis_most_frequent(b.counts, b.background);
    for (int32_t k = 0; k < h * w; k++) {
        to[k] = what < MOSAIC_TURNS ? b.c[turned_from(what, h, w, k / w, k % w)]
                : what == MOSAIC_NEGATIVE && b.c[k] == b.background && main >= 0 ? main
                                                                                 : b.background;
    }
    return true;
}

/* ---- piles ---- */

int8_t mosaic_background(const int32_t counts[N_COLORS]) {
    int8_t most = 0;
    for (int8_t c = 1; c < N_COLORS; c++) {
        most = counts[c] > counts[most] ? c : most;
    }
    return counts[0] > 0 ? 0 : most;
}

int8_t mosaic_pile(MosaicPile how, const int8_t *cells, uint32_t n, const uint8_t *rank, int8_t background) {
    uint16_t counts[N_COLORS] = {0};
    uint32_t best = 0, foreground = 0;
    for (uint32_t k = 0; k < n; k++) {
        counts[cells[k]]++;
        foreground += cells[k] != background;
    }
    for (uint32_t k = 1; k < n; k++) {
        int8_t c = cells[k], b = cells[best];
        bool better = how == PILE_ORDER           ? rank[c] < rank[b]
                      : how == PILE_MOST_FREQUENT ? counts[c] > counts[b]
                      : how == PILE_FIRST         ? c != background && b == background
                      : how == PILE_LAST          ? c != background
                                                  : counts[c] < counts[b];
        best = better ? k : best;
    }
    return how == PILE_COUNT ? (int8_t)(foreground < N_COLORS ? foreground : N_COLORS - 1) : cells[best];
}

/* ---- sums ---- */

/* The length of n equal pieces of a side, and the width of the lines between them; 0: it cannot be cut so. */
static int32_t piece(int32_t side, int32_t n, int32_t *gap) {
    *gap = side % n == 0 ? 0 : 1;
    int32_t length = (side - *gap * (n - 1)) / n;
    return length > 0 && length * n + *gap * (n - 1) == side ? length : 0;
}

static int8_t sum_up(const GridAnalysis *b, const ColorCounts counts, MosaicSum how) {
    ColorCounts foreground;
    int32_t cells = 0, colors = 0;
    memcpy(foreground, counts, sizeof foreground);
    foreground[b->background] = 0;
    for (int c = 0; c < N_COLORS; c++) {
        cells += foreground[c];
        colors += foreground[c] > 0;
    }
    switch (how) {
    case SUM_MAIN:
        return colors > 0 ? analysis_most_frequent(foreground, -1) : b->background;
    case SUM_RAREST:
        return colors > 0 ? analysis_least_frequent(foreground) : b->background;
    case SUM_MOST_FREQUENT:
        return analysis_most_frequent(counts, -1);
    case SUM_FOREGROUND:
        return (int8_t)(cells < N_COLORS ? cells : N_COLORS - 1);
    default:
        return (int8_t)colors;
    }
}

bool mosaic_sum(const GridAnalysis *b, int32_t rows, int32_t columns, MosaicSum how, int8_t *to) {
    int32_t gap_v, gap_h, h = piece(b->h, rows, &gap_v), w = piece(b->w, columns, &gap_h);
    for (int32_t k = 0; k < rows * columns && h > 0 && w > 0; k++) {
        ColorCounts counts = {0};
        int32_t top = k / columns * (h + gap_v), left = k % columns * (w + gap_h);
        for (int32_t c = 0; c < h * w; c++) {
            counts[b->c[(top + c / w) * b->w + left + c % w]]++;
        }
        to[k] = sum_up(b, counts, how);
    }
    return h > 0 && w > 0;
}

/* ---- primitives ---- */

static bool is_picture(Val v) {
    GridAnalysis b;
    Reason why;
    return analysis_of(v, &b, &why);
}

static bool read_rule(Val v, MosaicRule *rule) {
    if (!val_is_ints(v) || val_len(v) != 4) {
        return false;
    }
    int64_t test = val_ints_at(v, 0), number = val_ints_at(v, 1), yes = val_ints_at(v, 2),
            no = val_ints_at(v, 3);
    *rule = (MosaicRule){(int8_t)test, (int8_t)number, (int8_t)yes, (int8_t)no};
    return test >= 0 && test < MOSAIC_TESTS && number >= MOSAIC_LEAST_FREQUENT && number < N_COLORS &&
           yes >= 0 && yes < MOSAIC_LEAVES && no >= 0 && no < MOSAIC_LEAVES;
}

Val prim_mosaic_join(Ctx *ctx, const Val *a) {
    MosaicRule rule;
    Reason why;
    int32_t h, w;
    if (!is_picture(a[0]) || !is_picture(a[1]) || !val_is_int(a[2]) || a[2].i < 0 || a[2].i >= MOSAIC_HOWS ||
        !read_rule(a[3], &rule)) {
        return val_fail(FAIL_TYPE);
    }
    MosaicHow how = (MosaicHow)a[2].i;
    if (!mosaic_size(how, a[0], a[1], &h, &w)) {
        return val_fail(FAIL_LIMIT);
    }
    int8_t *to = ctx_charge(ctx, (uint64_t)(h * w / 8)) ? grid_buffer(ctx, h, w, &why) : NULL;
    if (to == NULL) {
        return ctx->exhausted ? val_fail_budget(ctx) : val_fail(why);
    }
    int8_t asked = rule.test == MOSAIC_ALIKE ? 0 : mosaic_asked(rule.number, a[rule.test == MOSAIC_SECOND]);
    for (int32_t k = 0; k < h * w; k++) {
        int8_t x, y;
        mosaic_at(how, a[0], a[1], h, w, k / w, k % w, &x, &y);
        bool says = rule.test == MOSAIC_ALIKE ? x == y : (rule.test == MOSAIC_FIRST ? x : y) == asked;
        int8_t leaf = says ? rule.yes : rule.no;
        to[k] = leaf == MOSAIC_COPY_FIRST ? x : leaf == MOSAIC_COPY_SECOND ? y : leaf;
    }
    return val_grid8(to, (uint32_t)h, (uint32_t)w);
}

Val prim_mosaic_blocks(Ctx *ctx, const Val *a) {
    Reason why;
    int8_t block[FEATURE_MAX_CELLS];
    if (!is_picture(a[0]) || a[1].kind != VAL_GRID8 || a[1].n == 0 || a[1].w == 0) {
        return val_fail(FAIL_TYPE);
    }
    int32_t h = (int32_t)a[0].n, w = a[0].w, rows = (int32_t)a[1].n, columns = a[1].w;
    for (int32_t k = 0; k < rows * columns; k++) {
        if (a[1].b8[k] < 0 || a[1].b8[k] >= MOSAIC_BLOCKS) {
            return val_fail(FAIL_TYPE);
        }
    }
    if ((int64_t)h * rows * w * columns > FEATURE_MAX_CELLS) {
        return val_fail(FAIL_LIMIT);
    }
    int8_t *to = ctx_charge(ctx, (uint64_t)(h * w * rows * columns / 8))
                     ? grid_buffer(ctx, h * rows, w * columns, &why)
                     : NULL;
    if (to == NULL) {
        return ctx->exhausted ? val_fail_budget(ctx) : val_fail(why);
    }
    for (int32_t k = 0; k < rows * columns; k++) {
        if (!mosaic_block(a[0], a[1].b8[k], block)) {
            return val_fail(FAIL_LIMIT);
        }
        for (int32_t c = 0; c < h * w; c++) {
            to[(k / columns * h + c / w) * w * columns + k % columns * w + c % w] = block[c];
        }
    }
    return val_grid8(to, (uint32_t)(h * rows), (uint32_t)(w * columns));
}

Val prim_mosaic_sum(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    Reason why;
    int64_t rows, columns;
    if (!val_get_pair(a[1], &rows, &columns) || !val_is_int(a[2]) || a[2].i < 0 || a[2].i >= SUM_COUNT) {
        return val_fail(FAIL_TYPE);
    }
    if (!analysis_of(a[0], &b, &why)) {
        return val_fail(why);
    }
    if (rows < 1 || columns < 1 || rows > b.h || columns > b.w) {
        return val_fail(FAIL_LIMIT);
    }
    int8_t *to = ctx_charge(ctx, (uint64_t)b.n / 8) ? grid_buffer(ctx, rows, columns, &why) : NULL;
    if (to == NULL) {
        return ctx->exhausted ? val_fail_budget(ctx) : val_fail(why);
    }
    if (!mosaic_sum(&b, (int32_t)rows, (int32_t)columns, (MosaicSum)a[2].i, to)) {
        return val_fail(FAIL_LIMIT);
    }
    return val_grid8(to, (uint32_t)rows, (uint32_t)columns);
}

static bool read_order(Val v, uint8_t *rank) {
    memset(rank, N_COLORS, N_COLORS);
    if (!val_is_tuple(v) || val_len(v) > N_COLORS || (val_len(v) > 0 && !val_is_ints(v))) {
        return false;
    }
    for (uint32_t k = 0; k < val_len(v); k++) {
        int64_t color = val_ints_at(v, k);
        if (color < 0 || color >= N_COLORS || rank[color] != N_COLORS) {
            return false;
        }
        rank[color] = (uint8_t)k;
    }
    return true;
}

Val prim_mosaic_pile(Ctx *ctx, const Val *a) {
    uint8_t rank[N_COLORS];
    int8_t cells[MOSAIC_MAX_PILED];
    Reason why;
    int32_t counts[N_COLORS] = {0};
    uint32_t n = val_is_tuple(a[0]) ? val_len(a[0]) : 0;
    if (n == 0 || n > MOSAIC_MAX_PILED || !val_is_int(a[1]) || a[1].i < 0 || a[1].i >= PILE_WAYS ||
        !read_order(a[2], rank)) {
        return val_fail(n == 0 && val_is_tuple(a[0]) ? FAIL_EMPTY : FAIL_TYPE);
    }
    Val first = val_at(a[0], 0);
    for (uint32_t k = 0; k < n; k++) {
        GridAnalysis b;
        Val grid = val_at(a[0], k);
        if (!analysis_of(grid, &b, &why) || grid.n != first.n || grid.w != first.w) {
            return val_fail(FAIL_TYPE);
        }
        for (int c = 0; c < N_COLORS; c++) {
            counts[c] += b.counts[c];
        }
    }
    int32_t area = (int32_t)first.n * first.w;
    int8_t *to = ctx_charge(ctx, n * (uint64_t)area / 8) ? grid_buffer(ctx, first.n, first.w, &why) : NULL;
    if (to == NULL) {
        return ctx->exhausted ? val_fail_budget(ctx) : val_fail(why);
    }
    int8_t background = mosaic_background(counts);
    for (int32_t k = 0; k < area; k++) {
        for (uint32_t x = 0; x < n; x++) {
            cells[x] = val_at(a[0], x).b8[k];
        }
        to[k] = mosaic_pile((MosaicPile)a[1].i, cells, n, rank, background);
    }
    return val_grid8(to, first.n, first.w);
}

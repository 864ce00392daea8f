/* Panels, the rectangles between lines that cross a grid: as features of cells, summed up to one cell per
 * panel and painted from such cells, and as grids. */
#include "engine/features/grid_analysis.h"
#include "engine/features/local.h"

#include <string.h>

enum { MAX_PANELS = 256 }; /* more are noise */

/* For each color, the number of full rows and columns of it. */
static void count_lines(const GridAnalysis *b, int32_t lines[N_COLORS]) {
    memset(lines, 0, N_COLORS * sizeof *lines);
    for (int32_t axis = 0; axis < 2; axis++) {
        int32_t n = axis ? b->w : b->h, length = axis ? b->h : b->w;
        for (int32_t x = 0; x < n; x++) {
            int32_t y = 1, first = axis ? x : x * b->w, stride = axis ? b->w : 1;
            while (y < length && b->c[first + y * stride] == b->c[first]) {
                y++;
            }
            lines[b->c[first]] += y == length;
        }
    }
}

/* The color, other than background, of the most lines; -2: there are no lines. */
static int32_t line_color(const GridAnalysis *b) {
    int32_t lines[N_COLORS];
    count_lines(b, lines);
    lines[b->background] = 0;
    int32_t best = -2;
    for (int32_t c = 0; c < N_COLORS; c++) {
        best = lines[c] > 0 && (best < 0 || lines[c] > lines[best]) ? c : best;
    }
    return best;
}

/* For each row (or column) the panel it is in (-1: it is a line), and for each panel where it begins. Returns
 * the number of panels. */
static int32_t divide(const GridAnalysis *b, bool columns, int32_t color, int16_t *panel, int16_t *start) {
    int32_t n = columns ? b->w : b->h, length = columns ? b->h : b->w, count = -1;
    bool inside = false;
    for (int32_t x = 0; x < n; x++) {
        bool line = color >= 0;
        for (int32_t y = 0; y < length && line; y++) {
            line = (columns ? b->c[y * b->w + x] : b->c[x * b->w + y]) == color;
        }
        if (!line && !inside) {
            start[++count] = (int16_t)x;
        }
        inside = !line;
        panel[x] = (int16_t)(line ? -1 : count);
    }
    return count + 1;
}

/* The panels of a grid, row by row, and what stands in them. */
typedef struct Panels {
    int32_t rows, columns, count;        /* count 0: too many to mean anything */
    int16_t at[2][FEATURE_MAX_CELLS];    /* by row and by column: the panel, -1: a line */
    int16_t start[2][FEATURE_MAX_CELLS]; /* where it begins */
    int32_t busy[MAX_PANELS];            /* cells that are not background */
    ColorCounts colors[MAX_PANELS];      /* the same by color */
} Panels;

static int32_t panel_at(const Panels *p, int32_t i, int32_t j) {
    return p->count == 0 || p->at[0][i] < 0 || p->at[1][j] < 0 ? -1 : p->at[0][i] * p->columns + p->at[1][j];
}

static void find_panels(const GridAnalysis *b, int32_t color, Panels *p) {
    p->rows = divide(b, false, color, p->at[0], p->start[0]);
    p->columns = divide(b, true, color, p->at[1], p->start[1]);
    p->count = p->rows * p->columns <= MAX_PANELS ? p->rows * p->columns : 0;
    ASSERT(p->rows <= b->h && p->columns <= b->w, "%dx%d panels in %dx%d cells", p->rows, p->columns, b->h,
           b->w);
    memset(p->busy, 0, sizeof p->busy);
    memset(p->colors, 0, sizeof p->colors);
    for (int32_t k = 0; k < b->n; k++) {
        int32_t mine = panel_at(p, k / b->w, k % b->w);
        if (mine >= 0 && b->c[k] != b->background) {
            p->busy[mine]++;
            p->colors[mine][b->c[k]]++;
        }
    }
}

/* How many panels have more foreground. */
static int32_t panel_rank(const Panels *p, int32_t panel) {
    int32_t rank = 0;
    for (int32_t k = 0; k < p->count; k++) {
        rank += p->busy[k] > p->busy[panel];
    }
    return rank;
}

/* The first color other than background at the place of cell (i, j) in another panel; background: there is
 * none. */
static int8_t color_elsewhere(const GridAnalysis *b, const Panels *p, int32_t i, int32_t j) {
    int32_t r = p->at[0][i], c = p->at[1][j];
    for (int32_t k = 0; k < p->count; k++) {
        int32_t a = p->start[0][k / p->columns] + i - p->start[0][r];
        int32_t x = p->start[1][k % p->columns] + j - p->start[1][c];
        bool other = (a != i || x != j) && a < b->h && x < b->w && panel_at(p, a, x) == k;
        if (other && b->c[a * b->w + x] != b->background) {
            return b->c[a * b->w + x];
        }
    }
    return b->background;
}

/* How many panels are not background at the place of cell (i, j), and which color most of them have there. */
static int32_t colors_here(const GridAnalysis *b, const Panels *p, int32_t i, int32_t j, int8_t *most) {
    int32_t r = p->at[0][i], c = p->at[1][j], n = 0;
    ColorCounts counts = {0};
    for (int32_t k = 0; k < p->count; k++) {
        int32_t a = p->start[0][k / p->columns] + i - p->start[0][r];
        int32_t x = p->start[1][k % p->columns] + j - p->start[1][c];
        if (a < b->h && x < b->w && panel_at(p, a, x) == k && b->c[a * b->w + x] != b->background) {
            counts[b->c[a * b->w + x]]++;
            n++;
        }
    }
    *most = n > 0 ? analysis_most_frequent(counts, -1) : b->background;
    return n;
}

static uint32_t panel_length(const int16_t *panel, int32_t start, int32_t n) {
    int32_t end = start;
    while (end < n && panel[end] == panel[start]) {
        end++;
    }
    return (uint32_t)(end - start);
}

/* The panel that is a key to all panels, with one cell for each: the one with the least foreground, if its
 * size fits; -1: none. */
static int32_t key_panel(const GridAnalysis *b, const Panels *p) {
    int32_t best = -1, ties = 0;
    for (int32_t k = 0; k < p->count; k++) {
        bool fewer = best < 0 || p->busy[k] < p->busy[best];
        ties = fewer ? 0 : ties + (p->busy[k] == p->busy[best]);
        best = fewer ? k : best;
    }
    if (best < 0 || ties > 0) {
        return -1;
    }
    uint32_t h = panel_length(p->at[0], p->start[0][best / p->columns], b->h);
    uint32_t w = panel_length(p->at[1], p->start[1][best % p->columns], b->w);
    return h == (uint32_t)p->rows && w == (uint32_t)p->columns ? best : -1;
}

bool features_fill_panels(Ctx *ctx, const GridAnalysis *b) {
    CtxMark mark = ctx_mark(ctx);
    Panels *p = ctx_alloc(ctx, sizeof *p);
    int8_t rank[MAX_PANELS], main[MAX_PANELS];
    if (p == NULL) {
        return false;
    }
    find_panels(b, line_color(b), p);
    for (int32_t k = 0; k < p->count; k++) {
        rank[k] = analysis_clip(panel_rank(p, k));
        main[k] = analysis_most_frequent(p->colors[k], -1);
    }
    int32_t key = key_panel(b, p);
    const int8_t *keys =
        key < 0 ? NULL : b->c + p->start[0][key / p->columns] * b->w + p->start[1][key % p->columns];
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k / b->w, j = k % b->w, mine = panel_at(p, i, j);
        bool inside = mine >= 0;
        analysis_plane(b, FEATURE_PANEL_COLOR)[k] = inside ? main[mine] : -1;
        analysis_plane(b, FEATURE_PANEL_OTHER)[k] = inside ? color_elsewhere(b, p, i, j) : -1;
        analysis_plane(b, FEATURE_PANEL_KEY)[k] =
            inside && keys != NULL ? keys[p->at[0][i] * b->w + p->at[1][j]] : -1;
        analysis_plane(b, FEATURE_PANEL_BUSY)[k] = inside ? analysis_clip(p->busy[mine]) : -1;
        analysis_plane(b, FEATURE_PANEL_RANK)[k] = inside ? rank[mine] : -1;
        analysis_plane(b, FEATURE_PANEL_ROW)[k] = inside ? analysis_clip(p->at[0][i]) : -1;
        analysis_plane(b, FEATURE_PANEL_COLUMN)[k] = inside ? analysis_clip(p->at[1][j]) : -1;
        int8_t most = -1;
        int32_t here = inside ? colors_here(b, p, i, j, &most) : -1;
        analysis_plane(b, FEATURE_PANEL_HERE)[k] = analysis_clip(here);
        analysis_plane(b, FEATURE_PANEL_MOST)[k] = most;
    }
    ctx_release(ctx, mark);
    return true;
}

/* ---- one cell per panel ---- */

enum { PANEL_MAIN, PANEL_RAREST, PANEL_CELLS, PANEL_COLORS, PANEL_PLACE, PANEL_HOWS };

static int8_t sum_up(const GridAnalysis *b, const Panels *p, int32_t panel, int64_t how) {
    int32_t colors = 0;
    int8_t color;
    switch (how) {
    case PANEL_MAIN:
    case PANEL_RAREST:
        color = how == PANEL_MAIN ? analysis_most_frequent(p->colors[panel], -1)
                                  : analysis_least_frequent(p->colors[panel]);
        return color < 0 ? b->background : color;
    case PANEL_CELLS:
        return analysis_clip(p->busy[panel]);
    case PANEL_COLORS:
        for (int8_t c = 0; c < N_COLORS; c++) {
            colors += p->colors[panel][c] > 0;
        }
        return analysis_clip(colors);
    default:
        return analysis_clip(panel_rank(p, panel));
    }
}

/* Finds the panels that are summed up to cells, or painted from cells. */
static void find_summed(const GridAnalysis *b, Panels *p) {
    int32_t color = line_color(b);
    find_panels(b, color != -2 ? color : b->background, p);
}

Val prim_panel_sum(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    Reason why;
    if (!val_is_int(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    if (a[1].i < 0 || a[1].i >= PANEL_HOWS) {
        return val_fail(FAIL_RANGE);
    }
    if (!analysis_of(a[0], &b, &why)) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Panels *p = ctx_charge(ctx, (uint64_t)b.n) ? ctx_alloc(ctx, sizeof *p) : NULL;
    if (p == NULL) {
        return val_fail_budget(ctx);
    }
    find_summed(&b, p);
    int8_t cells[MAX_PANELS];
    uint32_t h = (uint32_t)p->rows, w = (uint32_t)p->columns;
    for (int32_t k = 0; k < p->count; k++) {
        cells[k] = sum_up(&b, p, k, a[1].i);
    }
    bool none = p->count == 0;
    ctx_release(ctx, mark);
    int8_t *to = none ? NULL : grid_buffer(ctx, h, w, &why);
    if (to == NULL) {
        return val_fail(none ? FAIL_EMPTY : why);
    }
    memcpy(to, cells, (size_t)h * w);
    return val_grid8(to, h, w);
}

/* ---- one panel per cell ---- */

static void paint_panels(const GridAnalysis *b, const Panels *p, const int8_t *colors, int8_t *to) {
    for (int32_t k = 0; k < b->n; k++) {
        int32_t mine = panel_at(p, k / b->w, k % b->w);
        to[k] = mine >= 0 ? colors[mine] : b->c[k];
    }
}

Val prim_panel_paint(Ctx *ctx, const Val *a) {
    GridAnalysis small, b;
    Reason why;
    if (!analysis_of(a[0], &small, &why) || !analysis_of(a[1], &b, &why)) {
        return val_fail(why);
    }
    if (!ctx_charge(ctx, (uint64_t)b.n)) {
        return val_fail_budget(ctx);
    }
    int8_t *to = grid_buffer(ctx, (uint32_t)b.h, (uint32_t)b.w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Panels *p = ctx_alloc(ctx, sizeof *p);
    if (p == NULL) {
        return val_fail_budget(ctx);
    }
    find_summed(&b, p);
    bool none = p->count == 0, fits = p->rows == small.h && p->columns == small.w;
    if (!none && fits) {
        paint_panels(&b, p, small.c, to);
    }
    ctx_release(ctx, mark);
    if (none || !fits) {
        return val_fail(none ? FAIL_EMPTY : FAIL_RANGE);
    }
    return val_grid8(to, (uint32_t)b.h, (uint32_t)b.w);
}

/* ---- one grid per panel ---- */

/* Divides the grid by lines of the color that is likeliest meant to divide it; false: no color leaves two
 * panels. If full lines have several colors, all are rows or all are columns, and some merely belong to what
 * fills the panels: background or, where background divides, the most frequent color. So background is tried
 * late, and the most frequent color last. */
static bool find_dividing(const GridAnalysis *b, Panels *p) {
    int32_t lines[N_COLORS], most = analysis_most_frequent(b->counts, -1);
    count_lines(b, lines);
    for (;;) {
        int32_t best = -1, best_rank = 0;
        for (int32_t c = 0; c < N_COLORS; c++) {
            int32_t rank = lines[c] - (c == b->background ? b->n : 0) - (c == most ? 2 * b->n : 0);
            if (lines[c] > 0 && (best < 0 || rank > best_rank)) {
                best = c;
                best_rank = rank;
            }
        }
        if (best < 0) {
            return false;
        }
        find_panels(b, best, p);
        if (p->count >= 2) {
            return true;
        }
        lines[best] = 0;
    }
}

int32_t analysis_label_panels(const GridAnalysis *b, int16_t *label) {
    Panels p;
    bool divided = find_dividing(b, &p);
    for (int32_t k = 0; k < b->n; k++) {
        label[k] = (int16_t)(divided ? panel_at(&p, k / b->w, k % b->w) : -1);
    }
    return divided ? p.count : 0;
}

static GridBox panel_box(const GridAnalysis *b, const Panels *p, int32_t panel) {
    int32_t top = p->start[0][panel / p->columns], left = p->start[1][panel % p->columns];
    return (GridBox){top, top + (int32_t)panel_length(p->at[0], top, b->h) - 1, left,
                     left + (int32_t)panel_length(p->at[1], left, b->w) - 1};
}

int32_t analysis_panels(const GridAnalysis *b, GridBox *boxes, int32_t max) {
    Panels p;
    if (!find_dividing(b, &p) || p.count > max) {
        return 0;
    }
    for (int32_t k = 0; k < p.count; k++) {
        boxes[k] = panel_box(b, &p, k);
    }
    return p.count;
}

Val prim_panel_grids(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    Reason why;
    Panels p;
    if (!analysis_of(a[0], &b, &why)) {
        return val_fail(why);
    }
    if (!ctx_charge(ctx, (uint64_t)b.n)) {
        return val_fail_budget(ctx);
    }
    if (!find_dividing(&b, &p)) {
        return val_fail(FAIL_EMPTY);
    }
    Val *items = val_buffer(ctx, (size_t)p.count);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (int32_t k = 0; k < p.count; k++) {
        items[k] = analysis_cut(ctx, &b, panel_box(&b, &p, k));
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_tuple(ctx, items, (uint32_t)p.count);
}

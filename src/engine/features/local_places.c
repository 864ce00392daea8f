/* Where the pieces of a grid are; see local.h. */
#include "engine/features/local.h"

#include <string.h>

static void add_piece(LocalPieces *p, LocalPiece piece) {
    if (p->count == LOCAL_MAX) {
        p->many = true;
    } else {
        p->items[p->count++] = piece;
    }
}

static void add_box(LocalPieces *p, GridBox box) {
    add_piece(p, (LocalPiece){.box = box, .down = 1, .right = 1, .color = -1});
}

static bool inside(const GridBox *a, const GridBox *b) {
    return a->top >= b->top && a->bottom <= b->bottom && a->left >= b->left && a->right <= b->right;
}

static bool overlap(const GridBox *a, const GridBox *b) {
    return a->top <= b->bottom && b->top <= a->bottom && a->left <= b->right && b->left <= a->right;
}

/* Drops boxes that lie inside another one; false: two boxes overlap in part. */
static bool keep_outer(LocalPieces *p) {
    int32_t kept = 0;
    for (int32_t k = 0; k < p->count; k++) {
        bool inner = false;
        for (int32_t x = 0; x < p->count && !inner; x++) {
            const GridBox *a = &p->items[k].box, *b = &p->items[x].box;
            inner = x != k && inside(a, b) && (!inside(b, a) || x < k);
        }
        if (!inner) {
            p->items[kept++] = p->items[k];
        }
    }
    ASSERT(kept > 0 || p->count == 0, "%d boxes lie inside each other", p->count);
    p->count = kept;
    for (int32_t k = 0; k < kept; k++) {
        for (int32_t x = 0; x < k; x++) {
            if (overlap(&p->items[k].box, &p->items[x].box)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- boxes ---- */

typedef struct LocalComponent {
    GridBox box;
    int32_t size;
    int8_t color;
} LocalComponent;

/* Multicolor components (mixed) or components, those of background included, in the order of their first
 * cells. */
static int32_t find_components(const GridAnalysis *b, bool mixed, LocalComponent *components) {
    int16_t label[FEATURE_MAX_CELLS];
    int32_t count = analysis_label(b, mixed, label);
    for (int32_t k = 0; k < count; k++) {
        components[k] = (LocalComponent){{b->h, -1, b->w, -1}, 0, -1};
    }
    for (int32_t k = 0; k < b->n; k++) {
        if (label[k] >= 0) {
            LocalComponent *component = &components[label[k]];
            grid_box_widen(&component->box, k / b->w, k % b->w);
            component->size++;
            component->color = b->c[k];
        }
    }
    return count;
}

static void add_components(const GridAnalysis *b, bool mixed, LocalPieces *p) {
    LocalComponent components[FEATURE_MAX_CELLS];
    int32_t count = find_components(b, mixed, components);
    for (int32_t k = 0; k < count; k++) {
        if (mixed || components[k].color != b->background) {
            add_box(p, components[k].box);
        }
    }
}

/* What a frame of one color, one cell thick, encloses. A frame is a component that has all cells on the rim
 * of its box and no others. */
static void add_frames(const GridAnalysis *b, LocalPieces *p) {
    LocalComponent components[FEATURE_MAX_CELLS];
    int32_t count = find_components(b, false, components);
    for (int32_t k = 0; k < count; k++) {
        GridBox x = components[k].box;
        int32_t h = x.bottom - x.top + 1, w = x.right - x.left + 1;
        bool ring =
            h >= 3 && w >= 3 && components[k].size == 2 * (h + w) - 4 && components[k].color != b->background;
        for (int32_t i = x.top; i <= x.bottom && ring; i++) {
            for (int32_t j = x.left; j <= x.right && ring; j++) {
                bool rim = i == x.top || i == x.bottom || j == x.left || j == x.right;
                ring = !rim || b->c[i * b->w + j] == components[k].color;
            }
        }
        if (ring) {
            add_box(p, (GridBox){x.top + 1, x.bottom - 1, x.left + 1, x.right - 1});
        }
    }
}

static bool line_is_background(const GridAnalysis *b, bool columns, int32_t x) {
    int32_t length = columns ? b->h : b->w;
    for (int32_t y = 0; y < length; y++) {
        if ((columns ? b->c[y * b->w + x] : b->c[x * b->w + y]) != b->background) {
            return false;
        }
    }
    return true;
}

static GridBox band(const GridAnalysis *b, bool columns, int32_t from, int32_t to) {
    return columns ? (GridBox){0, b->h - 1, from, to} : (GridBox){from, to, 0, b->w - 1};
}

/* Each row (or column) by itself; with `joined`, neighboring ones that are not all background together. */
static void add_bands(const GridAnalysis *b, bool columns, bool joined, LocalPieces *p) {
    int32_t n = columns ? b->w : b->h, start = 0;
    for (int32_t x = 0; x <= n; x++) {
        bool ends = x == n || !joined || line_is_background(b, columns, x);
        if (!joined && x < n) {
            add_box(p, band(b, columns, x, x));
        } else if (joined && ends) {
            if (x > start) {
                add_box(p, band(b, columns, start, x - 1));
            }
            start = x + 1;
        }
    }
}

/* ---- areas ---- */

typedef struct Area { /* connected cells of any color but that of the walls around them */
    GridBox box;
    int32_t size;
    int16_t label;
    int8_t wall;
    bool rim;
} Area;

/* The areas that walls of a color divide a grid into, in the order of their first cells. */
static int32_t find_areas(const GridAnalysis *b, int8_t wall, int16_t *label, Area *areas) {
    static const Connectivity over_sides = {
        .rows = 1, .columns = 1, .sides = true, .colors = true, .foreground = true};
    GridAnalysis walled = *b;
    walled.background = wall;
    int32_t count = analysis_label_linked(&walled, &over_sides, label);
    for (int32_t k = 0; k < count; k++) {
        areas[k] = (Area){.box = {b->h, -1, b->w, -1}, .label = (int16_t)k, .wall = wall};
    }
    for (int32_t k = 0; k < b->n; k++) {
        if (label[k] >= 0) {
            int32_t i = k / b->w, j = k % b->w;
            Area *area = &areas[label[k]];
            grid_box_widen(&area->box, i, j);
            area->size++;
            area->rim |= i == 0 || j == 0 || i == b->h - 1 || j == b->w - 1;
        }
    }
    return count;
}

/* Adds an area as a piece, unless it meets an earlier one. */
static void add_area(const GridAnalysis *b, const Area *area, const int16_t *label, LocalPieces *p) {
    int16_t mine = (int16_t)p->count;
    for (int32_t k = 0; k < b->n; k++) {
        if (label[k] == area->label && p->owner[k] >= 0) {
            return;
        }
    }
    add_piece(p, (LocalPiece){area->box, 1, 1, -1, area->wall});
    for (int32_t k = 0; k < b->n; k++) {
        p->owner[k] = label[k] == area->label ? mine : p->owner[k];
    }
}

/* The areas between walls of the most frequent foreground. */
static void add_areas(const GridAnalysis *b, LocalPieces *p) {
    int16_t label[FEATURE_MAX_CELLS];
    Area areas[FEATURE_MAX_CELLS];
    int8_t wall = analysis_most_frequent(b->counts, b->background);
    int32_t count = wall < 0 ? 0 : find_areas(b, wall, label, areas);
    for (int32_t k = 0; k < count && !p->many; k++) {
        add_area(b, &areas[k], label, p);
    }
}

/* The areas that walls of any one foreground shut off from the rim, the largest first; so of those that meet,
 * the one around the others stays. */
static void add_enclosed(const GridAnalysis *b, LocalPieces *p) {
    int16_t label[N_COLORS][FEATURE_MAX_CELLS];
    Area areas[FEATURE_MAX_CELLS], enclosed[LOCAL_MAX];
    int32_t n = 0;
    for (int8_t wall = 0; wall < N_COLORS; wall++) {
        bool foreground = wall != b->background && b->counts[wall] > 0;
        int32_t count = foreground ? find_areas(b, wall, label[wall], areas) : 0;
        for (int32_t k = 0; k < count; k++) {
            if (areas[k].rim) {
                continue;
            }
            if (n == LOCAL_MAX) {
                p->many = true;
                return;
            }
            int32_t at = n++;
            for (; at > 0 && enclosed[at - 1].size < areas[k].size; at--) {
                enclosed[at] = enclosed[at - 1];
            }
            enclosed[at] = areas[k];
        }
    }
    for (int32_t k = 0; k < n; k++) {
        add_area(b, &enclosed[k], label[enclosed[k].wall], p);
    }
}

/* ---- slices and layers ---- */

/* After how many rows (or columns) it comes again, at least twice, whether they have foreground; 1: if all
 * have or none has, or it does not. */
static int32_t foreground_period(const GridAnalysis *b, bool columns) {
    int32_t n = columns ? b->w : b->h, n_foreground = 0;
    bool foreground[FEATURE_MAX_CELLS];
    for (int32_t x = 0; x < n; x++) {
        foreground[x] = !line_is_background(b, columns, x);
        n_foreground += foreground[x];
    }
    for (int32_t period = 2; n_foreground > 0 && n_foreground < n && 2 * period <= n; period++) {
        int32_t x = period;
        while (x < n && foreground[x] == foreground[x - period]) {
            x++;
        }
        if (x == n) {
            return period;
        }
    }
    return 1;
}

static void add_slices(const GridAnalysis *b, LocalPieces *p) {
    int32_t down = foreground_period(b, false), right = foreground_period(b, true);
    for (int32_t k = 0; k < down * right && down * right > 1; k++) {
        GridBox box = {k / right, b->h - 1, k % right, b->w - 1};
        add_piece(p, (LocalPiece){box, down, right, -1, 0});
    }
}

/* Every foreground by itself, the most frequent first, so that what is rare covers what is not. */
static void add_colors(const GridAnalysis *b, LocalPieces *p) {
    ColorCounts counts;
    memcpy(counts, b->counts, sizeof counts);
    for (int8_t c; (c = analysis_most_frequent(counts, b->background)) >= 0; counts[c] = 0) {
        add_piece(p, (LocalPiece){{0, b->h - 1, 0, b->w - 1}, 1, 1, c, b->background});
    }
}

/* ---- all ways ---- */

/* Gives every piece the cells of its box. */
static void own_boxes(const GridAnalysis *b, LocalPieces *p) {
    for (int16_t k = 0; k < p->count; k++) {
        const LocalPiece *x = &p->items[k];
        for (int32_t i = x->box.top; i <= x->box.bottom; i += x->down) {
            for (int32_t j = x->box.left; j <= x->box.right; j += x->right) {
                p->owner[i * b->w + j] = k;
            }
        }
    }
}

bool local_places(const GridAnalysis *b, LocalHow how, LocalPieces *p) {
    GridBox panels[LOCAL_MAX];
    p->count = 0;
    p->many = false;
    memset(p->owner, 0xff, (size_t)b->n * sizeof *p->owner);
    switch (how) {
    case LOCAL_PANELS:
        for (int32_t k = 0, count = analysis_panels(b, panels, LOCAL_MAX); k < count; k++) {
            add_box(p, panels[k]);
        }
        break;
    case LOCAL_MCOMPS:
    case LOCAL_COMPONENTS:
        add_components(b, how == LOCAL_MCOMPS, p);
        break;
    case LOCAL_FRAMES:
        add_frames(b, p);
        break;
    case LOCAL_ROWS:
    case LOCAL_COLUMNS:
        add_bands(b, how == LOCAL_COLUMNS, false, p);
        break;
    case LOCAL_BANDS:
    case LOCAL_STRIPES:
        add_bands(b, how == LOCAL_STRIPES, true, p);
        break;
    case LOCAL_ENCLOSED:
        add_enclosed(b, p);
        break;
    case LOCAL_AREAS:
        add_areas(b, p);
        break;
    case LOCAL_SLICES:
        add_slices(b, p);
        break;
    default:
        add_colors(b, p);
        break;
    }
    if (p->count == 0 || p->many) {
        return false;
    }
    if (how < LOCAL_ENCLOSED && !keep_outer(p)) {
        return false;
    }
    if (how != LOCAL_ENCLOSED && how != LOCAL_AREAS) {
        own_boxes(b, p);
    }
    return true;
}

/* ---- as a table ---- */

/* Numbers the rows (or columns) of the table that pieces stand in: those that share one of the grid's belong
 * together. Returns how many there are. */
static int32_t number_lines(const LocalPieces *p, bool columns, int32_t line[LOCAL_MAX]) {
    int32_t count = 0, end = -1;
    for (int32_t k = 0; k < p->count; k++) {
        line[k] = -1;
    }
    for (int32_t next;; line[next] = count - 1) {
        next = -1;
        int32_t first = INT32_MAX;
        for (int32_t k = 0; k < p->count; k++) {
            int32_t from = columns ? p->items[k].box.left : p->items[k].box.top;
            if (line[k] < 0 && from < first) {
                first = from;
                next = k;
            }
        }
        if (next < 0) {
            return count;
        }
        int32_t to = columns ? p->items[next].box.right : p->items[next].box.bottom;
        count += first > end;
        end = to > end ? to : end;
    }
}

bool local_table(const LocalPieces *p, int32_t *rows, int32_t *columns, int32_t order[LOCAL_MAX]) {
    int32_t row[LOCAL_MAX], column[LOCAL_MAX];
    *rows = number_lines(p, false, row);
    *columns = number_lines(p, true, column);
    for (int32_t k = 0; k < p->count; k++) {
        order[k] = -1;
    }
    for (int32_t k = 0; k < p->count && *rows * *columns == p->count; k++) {
        order[row[k] * *columns + column[k]] = k;
    }
    for (int32_t k = 0; k < p->count; k++) {
        if (order[k] < 0) {
            return false;
        }
    }
    return true;
}

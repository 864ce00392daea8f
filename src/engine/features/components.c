/* Features of the component that a cell belongs to, and of its multicolor component: cells of any colors
 * except background, connected over sides or corners. */
#include "base/check.h"
#include "base/flood_fill.h"
#include "base/mix.h"
#include "engine/features/grid_analysis.h"

#include <string.h>

typedef struct Component {
    int32_t size, top, bottom, left, right, holes, rank, rank_up, alike, shapes, top_rank, left_rank,
        color_rank, of_color, area_rank, area_rank_up;
    uint64_t shape; /* hash of its cells, independent of its place */
    int8_t color, around, around_rarest, twin, main, rarest, colors;
    bool rim, mirror_rows, mirror_columns;
} Component;

enum { MAX_RANKED = 200 }; /* more components are noise, and not worth a quadratic loop */

static bool takes_part(const GridAnalysis *b, const Connectivity *link, int32_t k) {
    return b->c[k] == b->background ? link->background : link->foreground;
}

typedef struct Labels {
    const GridAnalysis *b;
    const Connectivity *link;
    int16_t *label, count;
} Labels;

INLINE bool enter(void *user, int32_t from, int32_t to) {
    const Labels *l = user;
    if (l->label[to] >= 0 || !takes_part(l->b, l->link, to) ||
        (!l->link->colors && l->b->c[to] != l->b->c[from])) {
        return false;
    }
    l->label[to] = l->count;
    return true;
}

INLINE int32_t label_by(const GridAnalysis *b, const Connectivity *link, int16_t *label) {
    Labels l = {b, link, label, 0};
    int16_t queue[FEATURE_MAX_CELLS];
    memset(label, -1, (size_t)b->n * sizeof *label);
    for (int32_t start = 0; start < b->n; start++) {
        if (label[start] < 0 && takes_part(b, link, start)) {
            queue[0] = (int16_t)start;
            label[start] = l.count;
            flood_fill(b->h, b->w, (FloodReach){link->rows, link->columns, link->sides}, queue, 1, enter, &l);
            l.count++;
        }
    }
    return l.count;
}

int32_t analysis_label_linked(const GridAnalysis *b, const Connectivity *link, int16_t *label) {
    return label_by(b, link, label);
}

/* The two kinds of links that features use, each compiled as a loop of its own. */
int32_t analysis_label(const GridAnalysis *b, bool mixed, int16_t *label) {
    static const Connectivity mcomps = {.rows = 1, .columns = 1, .colors = true, .foreground = true},
                              components = {.rows = 1,
                                            .columns = 1,
                                            .sides = true,
                                            .foreground = true,
                                            .background = true};
    return mixed ? label_by(b, &mcomps, label) : label_by(b, &components, label);
}

/* Labels the components and collects what follows from the places of their cells. */
static int32_t label_components(const GridAnalysis *b, bool mixed, int16_t *label, Component *components) {
    int32_t count = analysis_label(b, mixed, label);
    for (int32_t k = 0; k < count; k++) {
        components[k] = (Component){.top = b->h, .left = b->w};
    }
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k / b->w, j = k % b->w;
        if (label[k] >= 0) {
            Component *p = &components[label[k]];
            p->color = p->size++ == 0 ? b->c[k] : p->color;
            p->top = i < p->top ? i : p->top;
            p->bottom = i > p->bottom ? i : p->bottom;
            p->left = j < p->left ? j : p->left;
            p->right = j > p->right ? j : p->right;
            p->rim |= i == 0 || j == 0 || i == b->h - 1 || j == b->w - 1;
        }
    }
    return count;
}

/* Enclosed background is a hole of the component above its first cell. */
static void count_holes(const GridAnalysis *b, const int16_t *label, Component *components, int32_t count) {
    for (int32_t k = 0, next = 0; k < b->n && next < count; k++) {
        if (label[k] == next) {
            const Component *p = &components[next++];
            if (p->color == b->background && !p->rim && k >= b->w) {
                components[label[k - b->w]].holes++;
            }
        }
    }
}

/* The hash is a sum over the cells, so their order does not matter. */
static void hash_shapes(const GridAnalysis *b, const int16_t *label, Component *components) {
    for (int32_t k = 0; k < b->n; k++) {
        Component *p = label[k] >= 0 ? &components[label[k]] : NULL;
        if (p != NULL) {
            uint64_t cell = (uint64_t)((k / b->w - p->top) * FEATURE_MAX_CELLS + k % b->w - p->left) + 1;
            p->shape += mix64(0, cell);
        }
    }
}

static void rank_components(const GridAnalysis *b, Component *components, int32_t count, bool mixed) {
    ASSERT(count >= 0 && count <= b->n, "%d components in %d cells", count, b->n);
    for (int32_t k = 0; k < count && count <= MAX_RANKED; k++) {
        Component *p = &components[k];
        for (int32_t x = 0; x < count; x++) {
            if (!mixed && components[x].color == b->background) {
                p->area_rank += components[x].size > p->size;
                p->area_rank_up += components[x].size < p->size;
            }
            if (mixed || components[x].color != b->background) {
                p->rank += components[x].size > p->size;
                p->rank_up += components[x].size < p->size;
                p->alike += components[x].size == p->size;
                p->shapes += components[x].shape == p->shape;
                p->top_rank += components[x].top < p->top;
                p->left_rank += components[x].left < p->left;
                p->color_rank += components[x].color == p->color && components[x].size > p->size;
                p->of_color += components[x].color == p->color;
            }
        }
    }
}

/* Components are numbered by their first cell, so the first twin found is the first in reading order. */
static void find_twins(const GridAnalysis *b, Component *components, int32_t count) {
    ASSERT(count >= 0 && count <= b->n, "%d components in %d cells", count, b->n);
    for (int32_t k = 0; k < count; k++) {
        Component *p = &components[k];
        p->twin = p->color;
        for (int32_t x = 0; x < count && count <= MAX_RANKED && p->twin == p->color; x++) {
            bool twin = components[x].color != b->background && components[x].size == p->size &&
                        components[x].shape == p->shape;
            p->twin = twin ? components[x].color : p->twin;
        }
    }
}

/* The most and the least frequent color, except background, of the cells beside each component. `counts` is
 * scratch with room for all components. */
static void look_around(const GridAnalysis *b, const int16_t *label, Component *components, int32_t count,
                        ColorCounts *counts) {
    static const int8_t di[4] = {-1, 0, 1, 0}, dj[4] = {0, 1, 0, -1};
    memset(counts, 0, (size_t)count * sizeof *counts);
    for (int32_t k = 0; k < b->n; k++) {
        for (int d = 0; d < 4; d++) {
            int8_t c = analysis_color(b, k / b->w + di[d], k % b->w + dj[d]);
            if (c >= 0 && c != b->background && c != b->c[k]) {
                counts[label[k]][c]++;
            }
        }
    }
    for (int32_t p = 0; p < count; p++) {
        components[p].around = analysis_most_frequent(counts[p], -1);
        components[p].around_rarest = analysis_least_frequent(counts[p]);
    }
}

/* How deep inside its component a cell is: a distance over sides, found in two passes, from above and from
 * below. Outside the grid counts as outside the component. */
static void fill_depth(const GridAnalysis *b, const int16_t *label, int8_t *depth) {
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k / b->w, j = k % b->w;
        int8_t up = i > 0 && label[k - b->w] == label[k] ? depth[k - b->w] : 0;
        int8_t left = j > 0 && label[k - 1] == label[k] ? depth[k - 1] : 0;
        depth[k] = analysis_clip(1 + (up < left ? up : left));
    }
    for (int32_t k = b->n - 1; k >= 0; k--) {
        int32_t i = k / b->w, j = k % b->w;
        int8_t down = i + 1 < b->h && label[k + b->w] == label[k] ? depth[k + b->w] : 0;
        int8_t right = j + 1 < b->w && label[k + 1] == label[k] ? depth[k + 1] : 0;
        int8_t min = analysis_clip(1 + (down < right ? down : right));
        depth[k] = depth[k] < min ? depth[k] : min;
    }
}

bool features_fill_components(Ctx *ctx, const GridAnalysis *b) {
    int16_t label[FEATURE_MAX_CELLS];
    CtxMark mark = ctx_mark(ctx);
    Component *components = ctx_alloc(ctx, (size_t)b->n * sizeof *components);
    ColorCounts *counts = ctx_alloc(ctx, (size_t)b->n * sizeof *counts);
    if (components == NULL || counts == NULL) {
        return false;
    }
    int32_t count = label_components(b, false, label, components);
    count_holes(b, label, components, count);
    hash_shapes(b, label, components);
    rank_components(b, components, count, false);
    find_twins(b, components, count);
    look_around(b, label, components, count, counts);
    fill_depth(b, label, analysis_plane(b, FEATURE_COMPONENT_DEPTH));
    for (int32_t k = 0; k < b->n; k++) {
        const Component *p = &components[label[k]];
        int32_t i = k / b->w - p->top, j = k % b->w - p->left;
        int32_t h = p->bottom - p->top + 1, w = p->right - p->left + 1;
        analysis_plane(b, FEATURE_COMPONENT_SIZE)[k] = analysis_clip(p->size);
        analysis_plane(b, FEATURE_COMPONENT_HEIGHT)[k] = analysis_clip(h);
        analysis_plane(b, FEATURE_COMPONENT_WIDTH)[k] = analysis_clip(w);
        analysis_plane(b, FEATURE_COMPONENT_RANK)[k] = analysis_clip(p->rank);
        analysis_plane(b, FEATURE_COMPONENT_RANK_UP)[k] = analysis_clip(p->rank_up);
        analysis_plane(b, FEATURE_COMPONENT_RIM)[k] = p->rim;
        bool area = p->color == b->background;
        analysis_plane(b, FEATURE_AREA_RANK)[k] = area ? analysis_clip(p->area_rank) : -1;
        analysis_plane(b, FEATURE_AREA_RANK_UP)[k] = area ? analysis_clip(p->area_rank_up) : -1;
        analysis_plane(b, FEATURE_ENCLOSED)[k] = p->color == b->background && !p->rim;
        analysis_plane(b, FEATURE_COMPONENT_HOLES)[k] = analysis_clip(p->holes);
        analysis_plane(b, FEATURE_COMPONENT_ALIKE)[k] = analysis_clip(p->alike);
        analysis_plane(b, FEATURE_AROUND_COMPONENT)[k] = p->around;
        analysis_plane(b, FEATURE_AROUND_RAREST)[k] = p->around_rarest;
        analysis_plane(b, FEATURE_TWIN_COLOR)[k] = p->twin;
        analysis_plane(b, FEATURE_COMPONENTS_OF_COLOR)[k] = analysis_clip(p->of_color);
        analysis_plane(b, FEATURE_COMPONENT_COLOR_RANK)[k] = analysis_clip(p->color_rank);
        analysis_plane(b, FEATURE_COMPONENT_AT_ROW)[k] = analysis_clip(i);
        analysis_plane(b, FEATURE_COMPONENT_AT_COLUMN)[k] = analysis_clip(j);
        analysis_plane(b, FEATURE_COMPONENT_AT_BELOW)[k] = analysis_clip(h - 1 - i);
        analysis_plane(b, FEATURE_COMPONENT_AT_RIGHT)[k] = analysis_clip(w - 1 - j);
        analysis_plane(b, FEATURE_COMPONENT_AT_MOD2)[k] = (int8_t)((i + j) % 2);
        analysis_plane(b, FEATURE_COMPONENT_FULL)[k] = p->size == h * w;
        analysis_plane(b, FEATURE_COMPONENT_SHAPES)[k] = analysis_clip(p->shapes);
        analysis_plane(b, FEATURE_COMPONENT_TOP_RANK)[k] = analysis_clip(p->top_rank);
        analysis_plane(b, FEATURE_COMPONENT_LEFT_RANK)[k] = analysis_clip(p->left_rank);
    }
    ctx_release(ctx, mark);
    return true;
}

/* ---- multicolor components ---- */

static void count_mcomp_colors(const GridAnalysis *b, const int16_t *label, Component *mcomps, int32_t count,
                               ColorCounts *counts) {
    memset(counts, 0, (size_t)count * sizeof *counts);
    for (int32_t k = 0; k < b->n; k++) {
        if (label[k] >= 0) {
            counts[label[k]][b->c[k]]++;
        }
    }
    for (int32_t p = 0; p < count; p++) {
        mcomps[p].main = analysis_most_frequent(counts[p], -1);
        mcomps[p].rarest = analysis_least_frequent(counts[p]);
        for (int8_t c = 0; c < N_COLORS; c++) {
            mcomps[p].colors = (int8_t)(mcomps[p].colors + (counts[p][c] > 0));
        }
    }
}

static void find_symmetries(const GridAnalysis *b, const int16_t *label, Component *mcomps, int32_t count) {
    for (int32_t p = 0; p < count; p++) {
        mcomps[p].mirror_rows = mcomps[p].mirror_columns = true;
    }
    for (int32_t k = 0; k < b->n; k++) {
        Component *p = label[k] >= 0 ? &mcomps[label[k]] : NULL;
        if (p != NULL) {
            int32_t across = k / b->w * b->w + p->left + p->right - k % b->w;
            int32_t along = (p->top + p->bottom - k / b->w) * b->w + k % b->w;
            p->mirror_columns &= label[across] == label[k] && b->c[across] == b->c[k];
            p->mirror_rows &= label[along] == label[k] && b->c[along] == b->c[k];
        }
    }
}

/* For each cell, the number of multicolor components whose boxes cover it. */
static void fill_rectangles(const GridAnalysis *b, const Component *mcomps, int32_t count) {
    int8_t *around = analysis_plane(b, FEATURE_MULTICOLOR_AROUND);
    for (int32_t k = 0; k < b->n; k++) {
        around[k] = 0;
    }
    for (int32_t p = 0; p < count && count <= MAX_RANKED; p++) {
        for (int32_t i = mcomps[p].top; i <= mcomps[p].bottom; i++) {
            for (int32_t j = mcomps[p].left; j <= mcomps[p].right; j++) {
                around[i * b->w + j] = analysis_clip(around[i * b->w + j] + 1);
            }
        }
    }
}

/* Multicolor components whose boxes are as large as that of the one with the most colors see
 * its colors, cell by cell. */
static void fill_template(const GridAnalysis *b, const int16_t *label, const Component *mcomps,
                          int32_t count) {
    const Component *best = NULL;
    for (int32_t p = 0; p < count; p++) {
        best = best == NULL || mcomps[p].colors > best->colors ? &mcomps[p] : best;
    }
    for (int32_t k = 0; k < b->n; k++) {
        const Component *p = label[k] >= 0 ? &mcomps[label[k]] : NULL;
        bool fits = p != NULL && p->bottom - p->top == best->bottom - best->top &&
                    p->right - p->left == best->right - best->left;
        analysis_plane(b, FEATURE_TEMPLATE_COLOR)[k] =
            fits ? b->c[(k / b->w - p->top + best->top) * b->w + k % b->w - p->left + best->left] : -1;
    }
}

/* Notes the color pairs of a legend, whose partners stand above each other (tall: beside each other). False:
 * some pair has twice the same color. */
static bool read_legend(const GridAnalysis *b, const Component *p, bool tall, int8_t *partner) {
    int32_t pairs = tall ? p->bottom - p->top + 1 : p->right - p->left + 1, stride = tall ? b->w : 1;
    const int8_t *first = b->c + p->top * b->w + p->left, *second = first + (tall ? 1 : b->w);
    for (int32_t k = 0; k < pairs; k++) {
        if (first[k * stride] == second[k * stride]) {
            return false;
        }
    }
    for (int32_t k = 0; k < pairs; k++) {
        int8_t x = first[k * stride], y = second[k * stride];
        partner[x] = partner[x] < 0 ? y : partner[x];
        partner[y] = partner[y] < 0 ? x : partner[y];
    }
    return true;
}

static void find_legend(const GridAnalysis *b, const Component *mcomps, int32_t count, int8_t *partner) {
    memset(partner, -1, N_COLORS);
    for (int32_t p = 0; p < count; p++) {
        int32_t h = mcomps[p].bottom - mcomps[p].top + 1, w = mcomps[p].right - mcomps[p].left + 1;
        bool full = mcomps[p].size == h * w;
        if (!(full && w == 2 && read_legend(b, &mcomps[p], true, partner)) && full && h == 2) {
            read_legend(b, &mcomps[p], false, partner);
        }
    }
}

void analysis_legend(const GridAnalysis *b, int8_t partner[N_COLORS]) {
    Component mcomps[FEATURE_MAX_CELLS];
    int16_t label[FEATURE_MAX_CELLS];
    find_legend(b, mcomps, label_components(b, true, label, mcomps), partner);
}

static void fill_legend(const GridAnalysis *b, const Component *mcomps, int32_t count) {
    int8_t partner[N_COLORS];
    find_legend(b, mcomps, count, partner);
    for (int32_t k = 0; k < b->n; k++) {
        analysis_plane(b, FEATURE_LEGEND)[k] = partner[b->c[k]];
    }
}

bool features_fill_mcomps(Ctx *ctx, const GridAnalysis *b) {
    int16_t label[FEATURE_MAX_CELLS];
    CtxMark mark = ctx_mark(ctx);
    Component *mcomps = ctx_alloc(ctx, (size_t)b->n * sizeof *mcomps);
    ColorCounts *counts = ctx_alloc(ctx, (size_t)b->n * sizeof *counts);
    if (mcomps == NULL || counts == NULL) {
        return false;
    }
    static const Component none = {.top = 0, .bottom = -1, .right = -1, .main = -1, .rarest = -1};
    int32_t count = label_components(b, true, label, mcomps);
    rank_components(b, mcomps, count, true);
    count_mcomp_colors(b, label, mcomps, count, counts);
    find_symmetries(b, label, mcomps, count);
    fill_rectangles(b, mcomps, count);
    fill_template(b, label, mcomps, count);
    fill_legend(b, mcomps, count);
    for (int32_t k = 0; k < b->n; k++) {
        const Component *p = label[k] >= 0 ? &mcomps[label[k]] : &none;
        analysis_plane(b, FEATURE_MULTICOLOR_SIZE)[k] = analysis_clip(p->size);
        analysis_plane(b, FEATURE_MULTICOLOR_RAREST)[k] = p->rarest;
        analysis_plane(b, FEATURE_MULTICOLOR_MAIN)[k] = p->main;
        analysis_plane(b, FEATURE_MULTICOLOR_HEIGHT)[k] = analysis_clip(p->bottom - p->top + 1);
        analysis_plane(b, FEATURE_MULTICOLOR_WIDTH)[k] = analysis_clip(p->right - p->left + 1);
        analysis_plane(b, FEATURE_MULTICOLOR_RANK)[k] = label[k] >= 0 ? analysis_clip(p->rank) : -1;
        analysis_plane(b, FEATURE_MULTICOLOR_RANK_UP)[k] = label[k] >= 0 ? analysis_clip(p->rank_up) : -1;
        analysis_plane(b, FEATURE_MULTICOLOR_COLORS)[k] = p->colors;
        analysis_plane(b, FEATURE_MULTICOLOR_MIRROR_COLUMNS)[k] = p->mirror_columns;
        analysis_plane(b, FEATURE_MULTICOLOR_MIRROR_ROWS)[k] = p->mirror_rows;
        int32_t i = k / b->w, j = k % b->w;
        bool background = label[k] < 0;
        analysis_plane(b, FEATURE_MULTICOLOR_AT_ROW)[k] = background ? -1 : analysis_clip(i - p->top);
        analysis_plane(b, FEATURE_MULTICOLOR_AT_COLUMN)[k] = background ? -1 : analysis_clip(j - p->left);
        analysis_plane(b, FEATURE_MULTICOLOR_AT_BELOW)[k] = background ? -1 : analysis_clip(p->bottom - i);
        analysis_plane(b, FEATURE_MULTICOLOR_AT_RIGHT)[k] = background ? -1 : analysis_clip(p->right - j);
        analysis_plane(b, FEATURE_MULTICOLOR_AT_MOD2)[k] =
            (int8_t)(background ? -1 : (i - p->top + j - p->left) % 2);
    }
    ctx_release(ctx, mark);
    return true;
}

/* Dividing a grid into objects; see scene.h. */
#include "engine/scenes/scene.h"

#include "base/check.h"
#include "base/flood_fill.h"
#include "base/mix.h"
#include "engine/scenes/scene_splits.h"

#include <string.h>

#define SORT(kind_, cost_, text_) {.kind = (kind_), .cost = (cost_), .text = (text_)},
const SceneSort scene_segmentations[SEGMENT_COUNT] = {
#define SEGMENTATION(id, cost, text) SORT(0, cost, text)
#include "engine/scenes/scene_segmentations.def"
#undef SEGMENTATION
};
const SceneSort scene_attributes[ATTRIBUTE_COUNT] = {
#define ATTRIBUTE(id, kind, cost, text) SORT(FEATURE_IS_##kind, cost, text)
#include "engine/scenes/scene_attributes.def"
#undef ATTRIBUTE
};
const SceneSort scene_partners[PARTNER_COUNT] = {
#define PARTNER(id, cost, text) SORT(0, cost, text)
#include "engine/scenes/scene_partners.def"
#undef PARTNER
};

static Connectivity link_of(SceneSegmentation segmentation) {
    switch (segmentation) {
    case SEGMENT_COMPONENTS:
        return (Connectivity){1, 1, true, false, true, false};
    case SEGMENT_COMPONENTS8:
        return (Connectivity){1, 1, false, false, true, false};
    case SEGMENT_MCOMPS:
        return (Connectivity){1, 1, true, true, true, false};
    case SEGMENT_MCOMPS8:
        return (Connectivity){1, 1, false, true, true, false};
    case SEGMENT_COLORS:
        return (Connectivity){127, 127, false, false, true, false};
    case SEGMENT_REGIONS:
        return (Connectivity){1, 1, true, false, false, true};
    case SEGMENT_PATCHES:
        return (Connectivity){1, 1, true, false, true, true};
    case SEGMENT_NEAR:
        return (Connectivity){2, 2, false, false, true, false};
    case SEGMENT_CLUSTERS:
        return (Connectivity){2, 2, false, true, true, false};
    case SEGMENT_ROW_RUNS:
        return (Connectivity){0, 1, false, false, true, false};
    case SEGMENT_COLUMN_RUNS:
        return (Connectivity){1, 0, false, false, true, false};
    case SEGMENT_ROWS:
        return (Connectivity){0, 1, false, true, true, true};
    case SEGMENT_COLUMNS:
        return (Connectivity){1, 0, false, true, true, true};
    default:
        return (Connectivity){1, 1, false, false, false, true};
    }
}

static bool is_split(SceneSegmentation segmentation) {
    return segmentation >= SEGMENT_INSIDES && segmentation <= SEGMENT_NINTHS;
}

/* All cells of a color form one object, however far apart. */
static int32_t label_colors(const GridAnalysis *b, int16_t *label) {
    int16_t number[N_COLORS];
    int32_t count = 0;
    memset(number, -1, sizeof number);
    for (int32_t k = 0; k < b->n; k++) {
        if (b->c[k] != b->background && number[b->c[k]] < 0) {
            number[b->c[k]] = (int16_t)count++;
        }
        label[k] = b->c[k] == b->background ? -1 : number[b->c[k]];
    }
    return count;
}

/* What the walls, cells of the most frequent color except background, leave of the grid. */
static int32_t label_rooms(const GridAnalysis *b, int16_t *label) {
    static const Connectivity link = {1, 1, true, true, true, false};
    GridAnalysis walled = *b;
    walled.background = analysis_most_frequent(b->counts, b->background);
    return walled.background >= 0 ? analysis_label_linked(&walled, &link, label) : 0;
}

/* Collects the cells of each object, its box and its colors. */
static void collect(Scene *s) {
    ASSERT(s->count >= 0 && s->count <= SCENE_MAX_OBJECTS, "%d objects", s->count);
    const GridAnalysis *b = &s->grid;
    ColorCounts colors[SCENE_MAX_OBJECTS];
    memset(colors, 0, sizeof colors);
    for (int32_t o = 0; o < s->count; o++) {
        s->objects[o] = (SceneObject){.top = (int16_t)b->h, .left = (int16_t)b->w, .bottom = -1, .right = -1};
    }
    for (int32_t k = 0; k < b->n; k++) {
        if (s->label[k] >= 0) {
            SceneObject *o = &s->objects[s->label[k]];
            int16_t i = (int16_t)(k / b->w), j = (int16_t)(k % b->w);
            o->count++;
            o->top = i < o->top ? i : o->top;
            o->bottom = i > o->bottom ? i : o->bottom;
            o->left = j < o->left ? j : o->left;
            o->right = j > o->right ? j : o->right;
            if (b->c[k] != b->background) {
                o->foreground++;
                colors[s->label[k]][b->c[k]]++;
            }
        }
    }
    int16_t at = 0, next[SCENE_MAX_OBJECTS];
    for (int32_t o = 0; o < s->count; o++) {
        next[o] = s->objects[o].first = at;
        at = (int16_t)(at + s->objects[o].count);
        int8_t main = analysis_most_frequent(colors[o], -1);
        s->objects[o].color = main >= 0 ? main : b->background;
    }
    for (int32_t k = 0; k < b->n; k++) {
        if (s->label[k] >= 0) {
            s->cells[next[s->label[k]]++] = (int16_t)k;
        }
    }
}

static void find_touching(Scene *s) {
    const GridAnalysis *b = &s->grid;
    memset(s->touches, 0, sizeof s->touches);
    for (int32_t k = 0; k < b->n; k++) {
        static const int8_t di[4] = {0, 1, 1, 1}, dj[4] = {1, -1, 0, 1};
        for (int d = 0; d < 4; d++) {
            int32_t i = k / b->w + di[d], j = k % b->w + dj[d];
            int32_t x = s->label[k], y = analysis_color(b, i, j) >= 0 ? s->label[i * b->w + j] : -1;
            if (x >= 0 && y >= 0 && x != y) {
                s->touches[x][y / 64] |= (uint64_t)1 << y % 64;
                s->touches[y][x / 64] |= (uint64_t)1 << x % 64;
            }
        }
    }
}

bool scene_has(const Scene *s, const SceneObject *o, int32_t i, int32_t j) {
    int32_t k = (o->top + i) * s->grid.w + o->left + j;
    return s->label[k] == (int16_t)(o - s->objects) &&
           (o->foreground == 0 || s->grid.c[k] != s->grid.background);
}

void scene_mark_outside(const Scene *s, int32_t number, bool seen[FEATURE_MAX_CELLS]) {
    const SceneObject *o = &s->objects[number];
    int32_t h = scene_height(o), w = scene_width(o), n = 0;
    int16_t queue[FEATURE_MAX_CELLS];
    for (int32_t k = 0; k < h * w; k++) {
        int32_t i = k / w, j = k % w;
        bool edge = i == 0 || j == 0 || i == h - 1 || j == w - 1;
        bool own = s->label[(o->top + i) * s->grid.w + o->left + j] == number;
        seen[k] = own || edge;
        if (edge && !own) {
            queue[n++] = (int16_t)k;
        }
    }
    flood_unseen(h, w, FLOOD_SIDES, queue, n, seen);
}

void scene_turned_from(unsigned turn, int32_t h, int32_t w, int32_t i, int32_t j, int32_t *fi, int32_t *fj) {
    ASSERT(turn < 8, "turn %u", turn);
    bool across = turn == 1 || turn == 3 || turn >= 6; /* rows become columns */
    int32_t a = across ? j : i, x = across ? i : j;
    bool rows = turn == 1 || turn == 2 || turn == 5 || turn == 7;
    bool columns = turn == 2 || turn == 3 || turn == 4 || turn == 7;
    *fi = rows ? h - 1 - a : a;
    *fj = columns ? w - 1 - x : x;
}

static uint64_t hash_picture(const Scene *s, const SceneObject *o, unsigned turn, bool colors) {
    int32_t h = scene_height(o), w = scene_width(o);
    bool across = turn == 1 || turn == 3 || turn >= 6;
    int32_t rows = across ? w : h, columns = across ? h : w;
    uint64_t hash = mix64(0x243f6a8885a308d3u, (uint64_t)(rows * 2 * FEATURE_MAX_CELLS + columns));
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
            int32_t a, x;
            scene_turned_from(turn, h, w, i, j, &a, &x);
            int8_t color = s->grid.c[(o->top + a) * s->grid.w + o->left + x];
            hash = mix64(hash, !scene_has(s, o, a, x) ? 0 : colors ? (uint64_t)color + 2 : 1);
        }
    }
    return hash;
}

static bool hash_shapes(Ctx *ctx, Scene *s) {
    for (int32_t k = 0; k < s->count; k++) {
        SceneObject *o = &s->objects[k];
        uint64_t area = (uint64_t)(scene_height(o) * scene_width(o));
        if (!ctx_charge(ctx, area / 8)) {
            return false;
        }
        o->shape = o->turned = hash_picture(s, o, 0, false);
        o->picture = hash_picture(s, o, 0, true);
        for (unsigned turn = 1; turn < SCENE_TURNS; turn++) {
            uint64_t hash = hash_picture(s, o, turn, false);
            o->turned = hash < o->turned ? hash : o->turned;
        }
    }
    return true;
}

bool scene_holds(const SceneObject *a, const SceneObject *b) {
    return a->top <= b->top && a->left <= b->left && a->bottom >= b->bottom && a->right >= b->right &&
           scene_height(a) * scene_width(a) > scene_height(b) * scene_width(b);
}

static int32_t apart(int32_t first, int32_t last, int32_t other_first, int32_t other_last) {
    return other_first > last ? other_first - last : first > other_last ? first - other_last : 0;
}

int32_t scene_distance(const SceneObject *a, const SceneObject *b) {
    return apart(a->top, a->bottom, b->top, b->bottom) + apart(a->left, a->right, b->left, b->right);
}

Scene *scene_segment(Ctx *ctx, Val grid, SceneSegmentation segmentation, int background, Reason *why) {
    GridAnalysis b;
    if (!analysis_of(grid, &b, why)) {
        return NULL;
    }
    b.background = background >= 0                        ? (int8_t)background
                   : background == SCENE_BACKGROUND_USUAL ? b.background
                                                          : analysis_most_frequent(b.counts, -1);
    Scene *s = ctx_charge(ctx, (uint64_t)b.n) ? ctx_alloc(ctx, sizeof *s) : NULL;
    if (s == NULL) {
        *why = val_fail_budget(ctx).w;
        return NULL;
    }
    s->grid = b;
    s->segmentation = (int32_t)segmentation;
    Connectivity link = link_of(segmentation);
    s->count = segmentation == SEGMENT_COLORS   ? label_colors(&b, s->label)
               : segmentation == SEGMENT_PANELS ? analysis_label_panels(&b, s->label)
               : is_split(segmentation)         ? scene_label_split(&b, segmentation, s->label)
               : segmentation == SEGMENT_ROOMS  ? label_rooms(&b, s->label)
                                                : analysis_label_linked(&b, &link, s->label);
    if (s->count == 0 || s->count > SCENE_MAX_OBJECTS) {
        *why = s->count == 0 ? FAIL_EMPTY : FAIL_LIMIT;
        return NULL;
    }
    return s;
}

Scene *scene_described(Ctx *ctx, Val grid, SceneSegmentation segmentation, int background, Reason *why) {
    Scene *s = scene_segment(ctx, grid, segmentation, background, why);
    if (s == NULL) {
        return NULL;
    }
    collect(s);
    find_touching(s);
    if (!hash_shapes(ctx, s) || !ctx_charge(ctx, (uint64_t)(s->count * s->count))) {
        *why = val_fail_budget(ctx).w;
        return NULL;
    }
    analysis_legend(&s->grid, s->legend);
    scene_fill_attributes(s);
    return s;
}

Scene *scene_of(Ctx *ctx, Val grid, SceneSegmentation segmentation, int background, Reason *why) {
    Scene *s = scene_described(ctx, grid, segmentation, background, why);
    if (s != NULL) {
        scene_fill_partners(s);
    }
    return s;
}

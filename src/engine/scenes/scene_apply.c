/* The cells that acts paint, and the grid after all acts; see scene_acts.h. */
#include "base/check.h"
#include "engine/scenes/scene_acts.h"

#include <string.h>

#define HOW(by_, cost_, text_) {.by = (by_), .cost = (cost_), .text = (text_)},
const SceneHow scene_acts[ACT_COUNT] = {
#define ACT(id, cost, text) HOW(BY_NOTHING, cost, text)
#include "engine/scenes/scene_acts.def"
#undef ACT
};
const SceneHow scene_regions[REGION_COUNT] = {
#define REGION(id, by, cost, text) HOW(BY_##by, cost, text)
#include "engine/scenes/scene_acts.def"
#undef REGION
};
const SceneHow scene_vectors[VECTOR_COUNT] = {
#define VECTOR(id, by, cost, text) HOW(BY_##by, cost, text)
#include "engine/scenes/scene_acts.def"
#undef VECTOR
};
const SceneHow scene_slides[SLIDE_COUNT] = {
#define SLIDE(id, by, cost, text) HOW(BY_##by, cost, text)
#include "engine/scenes/scene_acts.def"
#undef SLIDE
};
const SceneHow scene_mirrors[MIRROR_COUNT] = {
#define MIRROR(id, by, cost, text) HOW(BY_##by, cost, text)
#include "engine/scenes/scene_acts.def"
#undef MIRROR
};
const SceneHow scene_bearings[BEARING_END - BEARING_FIRST] = {
#define BEARING(id, cost, text) HOW(BY_NOTHING, cost, text)
#include "engine/scenes/scene_acts.def"
#undef BEARING
};
const SceneHow scene_sources[SOURCE_END - SOURCE_FIRST - 1] = {
#define SOURCE(id, cost, text) HOW(BY_NOTHING, cost, text)
#include "engine/scenes/scene_acts.def"
#undef SOURCE
};

static const SceneHow PARTNER_ONLY = {BY_PARTNER, 0, ""};

/* The table in which an act's `how` is a row number, and its number of rows. */
static const SceneHow *table_of(const SceneAct *act, int *count) {
    switch ((SceneActId)act->act) {
    case ACT_PAINT:
        *count = REGION_COUNT;
        return scene_regions;
    case ACT_MOVE:
    case ACT_COPY:
    case ACT_REPEAT:
        *count = VECTOR_COUNT;
        return scene_vectors;
    case ACT_SLIDE:
        *count = SLIDE_COUNT;
        return scene_slides;
    case ACT_MIRROR:
    case ACT_REFLECT:
        *count = MIRROR_COUNT;
        return scene_mirrors;
    case ACT_STAMP:
    case ACT_ADD:
    case ACT_FIT:
    case ACT_DOCK:
        *count = 1;
        return &PARTNER_ONLY;
    default:
        *count = act->act == ACT_TURN ? SCENE_TURNS : 1;
        return NULL;
    }
}

const SceneHow *scene_how(const SceneAct *act) {
    int count;
    const SceneHow *table = table_of(act, &count);
    return table != NULL ? &table[act->how] : NULL;
}

bool scene_act_is_good(const SceneAct *act) {
    static const int16_t max[] = {[BY_NOTHING] = 1,
                                  [BY_DIRECTION] = DIRECTION_COUNT,
                                  [BY_WAYS] = WAYS_COUNT,
                                  [BY_PARTNER] = PARTNER_COUNT};
    int count;
    if (act->act >= ACT_COUNT) {
        return false;
    }
    const SceneHow *table = table_of(act, &count);
    bool color = act->color >= 0 && act->color < SOURCE_LIMIT &&
                 (act->color < SOURCE_END || act->color >= SOURCE_PARTNER);
    if (act->how >= count || !color) {
        return false;
    }
    unsigned by = table != NULL ? table[act->how].by : BY_NOTHING;
    int last = by == BY_DIRECTION ? BEARING_PAIRS : by == BY_WAYS ? BEARING_END : BEARING_FIRST;
    if (act->by >= BEARING_FIRST && act->by < last) {
        return act->by2 == 0;
    }
    return by == BY_PAIR || (act->by >= 0 && act->by < max[by] && act->by2 == 0);
}

/* ---- colors ---- */

static int8_t most_frequent_foreground(const GridAnalysis *b) {
    return analysis_most_frequent(b->counts, b->background);
}

/* The only color of the grid besides background and `color`; -1: there is none, or more than one. */
static int8_t only_other(const GridAnalysis *b, int8_t color) {
    int8_t found = -1;
    for (int8_t c = 0; c < N_COLORS; c++) {
        if (c != b->background && c != color && b->counts[c] > 0) {
            if (found >= 0) {
                return -1;
            }
            found = c;
        }
    }
    return found;
}

int8_t scene_color(const Scene *s, int32_t number, int source) {
    ASSERT(number >= 0 && number < s->count, "object %d of %d", number, s->count);
    const GridAnalysis *b = &s->grid;
    const SceneObject *o = &s->objects[number];
    if (source < N_COLORS) {
        return (int8_t)source;
    }
    if (source >= SOURCE_PARTNER) {
        int32_t other = s->partners[source - SOURCE_PARTNER][number];
        return other >= 0 ? s->objects[other].color : -1;
    }
    switch ((SceneSource)source) {
    case SOURCE_SECOND:
        return s->attributes[ATTRIBUTE_SECOND_COLOR][number];
    case SOURCE_AROUND:
        return s->attributes[ATTRIBUTE_AROUND_COLOR][number];
    case SOURCE_INSIDE:
        return s->attributes[ATTRIBUTE_INSIDE_COLOR][number];
    case SOURCE_RAREST:
        return analysis_rarest(b);
    case SOURCE_MOST:
        return most_frequent_foreground(b);
    case SOURCE_BACKGROUND:
        return b->background;
    case SOURCE_OTHER:
        return only_other(b, o->color);
    case SOURCE_UPPER_LEFT:
        return b->c[0];
    case SOURCE_UPPER_RIGHT:
        return b->c[b->w - 1];
    case SOURCE_LOWER_LEFT:
        return b->c[b->n - b->w];
    case SOURCE_LOWER_RIGHT:
        return b->c[b->n - 1];
    case SOURCE_BEFORE_ROW:
        return b->c[o->top * b->w];
    case SOURCE_BEFORE_COLUMN:
        return b->c[o->left];
    case SOURCE_LEGEND:
        return s->legend[o->color];
    default:
        return o->color;
    }
}

/* ---- cells ---- */

void scene_cells_clear(SceneCells *cells) {
    for (int32_t k = 0; k < cells->n; k++) {
        cells->has[cells->cell[k]] = false;
    }
    cells->n = 0;
}

/* Adds an object's cells, shifted. */
static bool add_shifted(const Scene *s, const SceneObject *o, int32_t di, int32_t dj, SceneCells *to) {
    const GridAnalysis *b = &s->grid;
    bool any = false;
    for (int32_t k = 0; k < o->count; k++) {
        int32_t at = s->cells[o->first + k], i = at / b->w + di, j = at % b->w + dj;
        if (analysis_color(b, i, j) >= 0) {
            scene_cells_add(to, i * b->w + j, b->c[at]);
            any = true;
        }
    }
    return any;
}

static void add_repeated(const Scene *s, const SceneObject *o, int32_t di, int32_t dj, SceneCells *to) {
    for (int32_t k = 1; k <= s->grid.n && add_shifted(s, o, k * di, k * dj, to); k++) {
    }
}

static void add_turned(const Scene *s, const SceneObject *o, unsigned turn, SceneCells *to) {
    const GridAnalysis *b = &s->grid;
    int32_t h = scene_height(o), w = scene_width(o);
    bool across = turn == 1 || turn == 3 || turn >= 6;
    for (int32_t i = 0; i < (across ? w : h); i++) {
        for (int32_t j = 0; j < (across ? h : w); j++) {
            int32_t a, x;
            scene_turned_from(turn, h, w, i, j, &a, &x);
            int32_t from = (o->top + a) * b->w + o->left + x;
            if (&s->objects[s->label[from] >= 0 ? s->label[from] : 0] == o && s->label[from] >= 0 &&
                analysis_color(b, o->top + i, o->left + j) >= 0) {
                scene_cells_add(to, (o->top + i) * b->w + o->left + j, b->c[from]);
            }
        }
    }
}

/* Adds the object as a mirror shows it; false: there is no mirror. */
static bool add_reflected(const Scene *s, int32_t number, const SceneAct *act, SceneCells *to) {
    const GridAnalysis *b = &s->grid;
    const SceneObject *o = &s->objects[number];
    int32_t rows, columns;
    if (!scene_mirror(s, number, act, &rows, &columns)) {
        return false;
    }
    for (int32_t k = 0; k < o->count; k++) {
        int32_t at = s->cells[o->first + k], i = at / b->w, j = at % b->w;
        i = rows != SCENE_NO_MIRROR ? rows - i : i;
        j = columns != SCENE_NO_MIRROR ? columns - j : j;
        if (analysis_color(b, i, j) >= 0) {
            scene_cells_add(to, i * b->w + j, b->c[at]);
        }
    }
    return true;
}

/* Adds the partner, centered on the object; false: there is none, or the middles do not match. */
static bool add_partner(const Scene *s, int32_t number, const SceneAct *act, SceneCells *to) {
    SceneAct there = {.act = ACT_MOVE, .how = VECTOR_MIDDLES, .by = act->by};
    int32_t other = s->partners[act->by][number], di, dj;
    if (!scene_vector(s, number, &there, &di, &dj)) {
        return false;
    }
    const SceneObject *o = &s->objects[number];
    for (int32_t k = 0; k < o->count && act->act == ACT_ADD; k++) {
        int32_t at = s->cells[o->first + k];
        scene_cells_add(to, at, s->grid.c[at]);
    }
    add_shifted(s, &s->objects[other], -di, -dj, to);
    return true;
}

bool scene_act_cells(const Scene *s, int32_t number, const SceneAct *act, SceneCells *to) {
    ASSERT(number >= 0 && number < s->count, "object %d of %d", number, s->count);
    const SceneObject *o = &s->objects[number];
    int32_t di, dj;
    switch ((SceneActId)act->act) {
    case ACT_PAINT:
        return scene_region_cells(s, number, act, to);
    case ACT_MOVE:
    case ACT_COPY:
    case ACT_REPEAT:
        if (!scene_vector(s, number, act, &di, &dj) || (di == 0 && dj == 0)) {
            return false;
        }
        if (act->act == ACT_REPEAT) {
            add_repeated(s, o, di, dj, to);
        } else {
            add_shifted(s, o, di, dj, to);
        }
        return true;
    case ACT_TURN:
        add_turned(s, o, act->how, to);
        return true;
    case ACT_MIRROR:
    case ACT_REFLECT:
        return add_reflected(s, number, act, to);
    case ACT_STAMP:
    case ACT_ADD:
        return add_partner(s, number, act, to);
    case ACT_FIT:
    case ACT_DOCK: {
        int32_t other = s->partners[act->by][number];
        return other >= 0 && scene_add_fitted(s, number, other, to);
    }
    default:
        return true;
    }
}

/* ---- the grid after all acts ---- */

typedef struct Apply {
    const Scene *scene;
    bool under;
    SceneCells *scratch;
    int8_t *to;
} Apply;

static void paint(const Apply *a, int32_t number, const SceneAct *act) {
    const Scene *s = a->scene;
    int8_t color = scene_color(s, number, act->color);
    for (int32_t k = 0; k < a->scratch->n; k++) {
        int32_t cell = a->scratch->cell[k];
        bool free = s->grid.c[cell] == s->grid.background || s->label[cell] == number;
        if (!a->under || free) {
            bool own = act->color == SOURCE_AS_IS && a->scratch->color[k] != SCENE_PAINT;
            a->to[cell] = own ? a->scratch->color[k] : color;
        }
    }
}

/* Whether the act is possible; if so, its cells are in the scratch. */
static bool prepare(const Apply *a, int32_t number, const SceneAct *act) {
    scene_cells_clear(a->scratch);
    return scene_color(a->scene, number, act->color) >= 0 &&
           (act->act == ACT_SLIDE ? scene_slide_direction(a->scene, number, act) >= 0
                                  : scene_act_cells(a->scene, number, act, a->scratch));
}

static bool blocked(const Apply *a, const SceneObject *o, int32_t di, int32_t dj) {
    const GridAnalysis *b = &a->scene->grid;
    for (int32_t k = 0; k < o->count; k++) {
        int32_t at = a->scene->cells[o->first + k], i = at / b->w + di, j = at % b->w + dj;
        if (analysis_color(b, i, j) < 0 || a->to[i * b->w + j] != b->background) {
            return true;
        }
    }
    return false;
}

static void slide(const Apply *a, int32_t number, const SceneAct *act, int direction) {
    const SceneObject *o = &a->scene->objects[number];
    int32_t steps = 0, di = scene_di(direction), dj = scene_dj(direction);
    while (!blocked(a, o, (steps + 1) * di, (steps + 1) * dj)) {
        steps++;
    }
    scene_cells_clear(a->scratch);
    add_shifted(a->scene, o, steps * di, steps * dj, a->scratch);
    paint(&(Apply){a->scene, false, a->scratch, a->to}, number, act);
}

void scene_apply_pairs(Scene *s, const SceneDeed *deeds, int32_t n, const SceneAct *acts, bool under,
                       SceneCells *scratch, int8_t *to) {
    Apply a = {s, under, scratch, to};
    memcpy(to, s->grid.c, (size_t)s->grid.n);
    for (int32_t k = 0; k < n; k++) {
        const SceneAct *act = &acts[deeds[k].act];
        int32_t source = deeds[k].source;
        scene_aim(s, source, deeds[k].anchor);
        bool leaves = scene_act_leaves(act) && prepare(&a, source, act);
        for (int32_t x = 0; leaves && x < s->objects[source].count; x++) {
            to[s->cells[s->objects[source].first + x]] = s->grid.background;
        }
    }
    for (int32_t k = 0; k < n; k++) {
        scene_aim(s, deeds[k].source, deeds[k].anchor);
        if (prepare(&a, deeds[k].source, &acts[deeds[k].act])) {
            paint(&a, deeds[k].source, &acts[deeds[k].act]);
        }
    }
}

/* How far ahead an object lies in a direction. */
static int32_t lead(const SceneObject *o, int direction) {
    int32_t di = scene_di(direction), dj = scene_dj(direction);
    return (di < 0 ? -o->top : di > 0 ? o->bottom : 0) + (dj < 0 ? -o->left : dj > 0 ? o->right : 0);
}

static void slide_all(const Apply *a, const SceneAct *acts, const uint16_t *of, const int8_t *directions) {
    for (int direction = 0; direction < DIRECTION_COUNT; direction++) {
        bool done[SCENE_MAX_OBJECTS] = {false};
        for (;;) {
            int32_t next = -1, best = 0;
            for (int32_t o = 0; o < a->scene->count; o++) {
                int32_t ahead = lead(&a->scene->objects[o], direction);
                if (directions[o] == direction && !done[o] && (next < 0 || ahead > best)) {
                    next = o;
                    best = ahead;
                }
            }
            if (next < 0) {
                break;
            }
            done[next] = true;
            slide(a, next, &acts[of[next]], direction);
        }
    }
}

void scene_apply(const Scene *s, const SceneAct *acts, const uint16_t *of, bool under, SceneCells *scratch,
                 int8_t *to) {
    Apply a = {s, under, scratch, to};
    int8_t directions[SCENE_MAX_OBJECTS];
    bool possible[SCENE_MAX_OBJECTS];
    memcpy(to, s->grid.c, (size_t)s->grid.n);
    for (int32_t o = 0; o < s->count; o++) {
        const SceneAct *act = &acts[of[o]];
        possible[o] = prepare(&a, o, act);
        directions[o] =
            (int8_t)(possible[o] && act->act == ACT_SLIDE ? scene_slide_direction(s, o, act) : -1);
        for (int32_t k = 0; possible[o] && scene_act_leaves(act) && k < s->objects[o].count; k++) {
            to[s->cells[s->objects[o].first + k]] = s->grid.background;
        }
    }
    for (int32_t o = 0; o < s->count; o++) {
        if (possible[o] && acts[of[o]].act != ACT_SLIDE && prepare(&a, o, &acts[of[o]])) {
            paint(&a, o, &acts[of[o]]);
        }
    }
    slide_all(&a, acts, of, directions);
}

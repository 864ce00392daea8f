/* The regions around an object that an act may paint; see scene_acts.def. */
#include "base/check.h"
#include "engine/scenes/scene_acts.h"

#include <stdlib.h>

typedef struct Region {
    const Scene *scene;
    const SceneObject *o;
    int32_t number, h, w; /* of the grid */
    SceneCells *to;
} Region;

static bool own(const Region *r, int32_t i, int32_t j) {
    return (uint32_t)i < (uint32_t)r->h && (uint32_t)j < (uint32_t)r->w &&
           r->scene->label[i * r->w + j] == r->number;
}

static void add(const Region *r, int32_t i, int32_t j) {
    if ((uint32_t)i < (uint32_t)r->h && (uint32_t)j < (uint32_t)r->w) {
        scene_cells_add(r->to, i * r->w + j, SCENE_PAINT);
    }
}

static void add_others(const Region *r, int32_t i, int32_t j) {
    if (!own(r, i, j)) {
        add(r, i, j);
    }
}

/* Adds a rectangle, or its edge, or those of its cells that are not the object's. */
enum { ALL, EDGE_ONLY, NOT_OWN };
static void add_box(const Region *r, int32_t top, int32_t left, int32_t bottom, int32_t right, int which) {
    for (int32_t i = top; i <= bottom; i++) {
        for (int32_t j = left; j <= right; j++) {
            bool edge = i == top || i == bottom || j == left || j == right;
            if (which == ALL || (which == EDGE_ONLY && edge) || (which == NOT_OWN && !own(r, i, j))) {
                add(r, i, j);
            }
        }
    }
}

static int32_t sides_owned(const Region *r, int32_t i, int32_t j) {
    return own(r, i - 1, j) + own(r, i, j + 1) + own(r, i + 1, j) + own(r, i, j - 1);
}

static void add_own(const Region *r, bool edge, bool core) {
    for (int32_t k = 0; k < r->o->count; k++) {
        int32_t at = r->scene->cells[r->o->first + k], i = at / r->w, j = at % r->w;
        if (sides_owned(r, i, j) == 4 ? core : edge) {
            add(r, i, j);
        }
    }
}

static void add_beside(const Region *r, bool sides, bool corners) {
    const SceneObject *o = r->o;
    for (int32_t i = o->top - 1; i <= o->bottom + 1; i++) {
        for (int32_t j = o->left - 1; j <= o->right + 1; j++) {
            bool side = sides_owned(r, i, j) > 0;
            bool corner =
                own(r, i - 1, j - 1) || own(r, i - 1, j + 1) || own(r, i + 1, j - 1) || own(r, i + 1, j + 1);
            if (!own(r, i, j) && (side ? sides : corner && corners)) {
                add(r, i, j);
            }
        }
    }
}

static void add_holes(const Region *r) {
    int32_t h = scene_height(r->o), w = scene_width(r->o);
    bool seen[FEATURE_MAX_CELLS];
    scene_mark_outside(r->scene, r->number, seen);
    for (int32_t k = 0; k < h * w; k++) {
        if (!seen[k]) {
            add(r, r->o->top + k / w, r->o->left + k % w);
        }
    }
}

static void add_mirrored(const Region *r, unsigned turns) {
    const SceneObject *o = r->o;
    int32_t h = scene_height(o), w = scene_width(o);
    for (unsigned turn = 1; turn < SCENE_TURNS; turn++) {
        for (int32_t k = 0; k < h * w && (turns >> turn & 1); k++) {
            int32_t a, x;
            scene_turned_from(turn, h, w, k / w, k % w, &a, &x);
            if (scene_has(r->scene, o, a, x)) {
                add_others(r, o->top + k / w, o->left + k % w);
            }
        }
    }
}

/* ---- rays ---- */

enum { TO_RIM = -1, TO_BACKGROUND_END = -2 }; /* or up to the cells of an object */

/* Adds a ray that begins next to (i, j); one that ends at an object is added only if it meets it. */
static void add_ray(const Region *r, int32_t i, int32_t j, int direction, int32_t until) {
    const GridAnalysis *b = &r->scene->grid;
    int32_t di = scene_di(direction), dj = scene_dj(direction), steps = 0;
    int32_t a = i + di, x = j + dj;
    for (; analysis_color(b, a, x) >= 0; a += di, x += dj, steps++) {
        int32_t k = a * r->w + x;
        if ((until >= 0 && r->scene->label[k] == until) ||
            (until == TO_BACKGROUND_END && b->c[k] != b->background && r->scene->label[k] != r->number)) {
            break;
        }
    }
    if (until >= 0 && analysis_color(b, a, x) < 0) {
        return;
    }
    for (int32_t k = 1; k <= steps; k++) {
        add_others(r, i + k * di, j + k * dj);
    }
}

static void add_rays(const Region *r, unsigned directions, int32_t until) {
    for (int direction = 0; direction < DIRECTION_COUNT; direction++) {
        for (int32_t k = 0; k < r->o->count && (directions >> direction & 1); k++) {
            int32_t at = r->scene->cells[r->o->first + k];
            add_ray(r, at / r->w, at % r->w, direction, until);
        }
    }
}

static void add_corner_rays(const Region *r, unsigned directions, int32_t until) {
    const SceneObject *o = r->o;
    for (int direction = 4; direction < DIRECTION_COUNT; direction++) {
        if (directions >> direction & 1) {
            add_ray(r, scene_di(direction) < 0 ? o->top : o->bottom,
                    scene_dj(direction) < 0 ? o->left : o->right, direction, until);
        }
    }
}

static bool is_one_cell(int32_t first, int32_t last) { /* the middle of an interval */
    return (first + last) % 2 == 0;
}

static int32_t sign(int32_t x) {
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/* Adds the cells from (i, j) on, `steps` of them, without those of the two objects. */
static void add_walk(const Region *r, int32_t other, int32_t i, int32_t j, int32_t di, int32_t dj,
                     int32_t steps) {
    for (int32_t k = 0; k < steps; k++, i += di, j += dj) {
        if (analysis_color(&r->scene->grid, i, j) >= 0 && r->scene->label[i * r->w + j] != other) {
            add_others(r, i, j);
        }
    }
}

/* Adds a line from middle to middle; false: there is none. */
static bool add_line(const Region *r, SceneRegion region, int32_t other) {
    const SceneObject *o = r->o, *p = &r->scene->objects[other];
    int32_t i = (o->top + o->bottom) / 2, j = (o->left + o->right) / 2;
    int32_t rows = (p->top + p->bottom) / 2 - i, columns = (p->left + p->right) / 2 - j;
    int32_t far = abs(rows) > abs(columns) ? abs(rows) : abs(columns);
    if (!is_one_cell(o->top, o->bottom) || !is_one_cell(o->left, o->right) ||
        !is_one_cell(p->top, p->bottom) || !is_one_cell(p->left, p->right) || far == 0) {
        return false;
    }
    if (region == REGION_ELBOW) {
        add_walk(r, other, i, j, 0, sign(columns), abs(columns) + 1);
        add_walk(r, other, i, j + columns, sign(rows), 0, abs(rows) + 1);
        return true;
    }
    if (rows != 0 && columns != 0 && abs(rows) != abs(columns)) {
        return false;
    }
    add_walk(r, other, i, j, sign(rows), sign(columns), region == REGION_THROUGH ? r->h + r->w : far);
    return true;
}

/* Adds what lies about two objects, wherever they are. */
static bool add_about_both(const Region *r, SceneRegion region, int32_t other) {
    const SceneObject *o = r->o, *p = &r->scene->objects[other];
    switch (region) {
    case REGION_CROSSING:
        add_box(r, o->top, p->left, o->bottom, p->right, ALL);
        return true;
    case REGION_OVERLAP:
        add_box(r, o->top > p->top ? o->top : p->top, o->left > p->left ? o->left : p->left,
                o->bottom < p->bottom ? o->bottom : p->bottom, o->right < p->right ? o->right : p->right,
                ALL);
        return true;
    case REGION_SPAN:
        add_box(r, o->top < p->top ? o->top : p->top, o->left < p->left ? o->left : p->left,
                o->bottom > p->bottom ? o->bottom : p->bottom, o->right > p->right ? o->right : p->right,
                NOT_OWN);
        return true;
    default:
        return add_line(r, region, other);
    }
}

static bool add_to_partner(const Region *r, SceneRegion region, int32_t other) {
    if (region >= REGION_CROSSING) {
        return add_about_both(r, region, other);
    }
    const SceneObject *o = r->o, *p = &r->scene->objects[other];
    int direction = scene_direction_to(r->scene, r->number, other);
    if (direction < 0) {
        return false;
    }
    int32_t top = o->top > p->top ? o->top : p->top, bottom = o->bottom < p->bottom ? o->bottom : p->bottom;
    int32_t left = o->left > p->left ? o->left : p->left, right = o->right < p->right ? o->right : p->right;
    switch (region) {
    case REGION_TOWARD:
        add_rays(r, 1u << direction, other);
        return true;
    case REGION_AWAY:
        add_rays(r, 1u << (direction + 2) % 4, TO_BACKGROUND_END);
        return true;
    default: /* the rows and columns that both share; where they share none, those between them */
        add_box(r, top <= bottom ? top : bottom + 1, left <= right ? left : right + 1,
                top <= bottom ? bottom : top - 1, left <= right ? right : left - 1, ALL);
        return true;
    }
}

/* Whether the object has cells on both sides of (i, j) in its row (or column). */
static bool between_own(const Region *r, int32_t i, int32_t j, bool in_row) {
    const SceneObject *o = r->o;
    bool before = false, after = false;
    for (int32_t x = in_row ? o->left : o->top; x <= (in_row ? o->right : o->bottom); x++) {
        bool mine = in_row ? own(r, i, x) : own(r, x, j);
        before |= mine && x < (in_row ? j : i);
        after |= mine && x > (in_row ? j : i);
    }
    return before && after;
}

static void add_inner(const Region *r, bool rows, bool columns) {
    for (int32_t i = r->o->top; i <= r->o->bottom; i++) {
        for (int32_t j = r->o->left; j <= r->o->right; j++) {
            if (!own(r, i, j) && (!rows || between_own(r, i, j, true)) &&
                (!columns || between_own(r, i, j, false))) {
                add(r, i, j);
            }
        }
    }
}

bool scene_region_cells(const Scene *s, int32_t number, const SceneAct *act, SceneCells *to) {
    ASSERT(number >= 0 && number < s->count, "object %d of %d", number, s->count);
    const SceneObject *o = &s->objects[number];
    Region r = {s, o, number, s->grid.h, s->grid.w, to};
    unsigned directions = scene_regions[act->how].by == BY_WAYS ? scene_directions(s, number, act->by) : 0;
    switch ((SceneRegion)act->how) {
    case REGION_OWN:
        add_own(&r, true, true);
        return true;
    case REGION_EDGE:
        add_own(&r, true, false);
        return true;
    case REGION_CORE:
        add_own(&r, false, true);
        return true;
    case REGION_HOLES:
        add_holes(&r);
        return true;
    case REGION_BOX:
        add_box(&r, o->top, o->left, o->bottom, o->right, ALL);
        return true;
    case REGION_BOX_REST:
        add_box(&r, o->top, o->left, o->bottom, o->right, NOT_OWN);
        return true;
    case REGION_BOX_EDGE:
        add_box(&r, o->top, o->left, o->bottom, o->right, EDGE_ONLY);
        return true;
    case REGION_BOX_INSIDE:
        add_box(&r, o->top + 1, o->left + 1, o->bottom - 1, o->right - 1, ALL);
        return true;
    case REGION_FRAME:
        add_box(&r, o->top - 1, o->left - 1, o->bottom + 1, o->right + 1, EDGE_ONLY);
        return true;
    case REGION_SIDES:
        add_beside(&r, true, false);
        return true;
    case REGION_CORNERS:
        add_beside(&r, false, true);
        return true;
    case REGION_HALO:
        add_beside(&r, true, true);
        return true;
    case REGION_ROWS:
    case REGION_COLUMNS:
    case REGION_CROSS:
        if (act->how != REGION_COLUMNS) {
            add_box(&r, o->top, 0, o->bottom, r.w - 1, NOT_OWN);
        }
        if (act->how != REGION_ROWS) {
            add_box(&r, 0, o->left, r.h - 1, o->right, NOT_OWN);
        }
        return true;
    case REGION_MIDDLE:
        add_box(&r, (o->top + o->bottom) / 2, (o->left + o->right) / 2, (o->top + o->bottom + 1) / 2,
                (o->left + o->right + 1) / 2, ALL);
        return true;
    case REGION_BOX_CORNERS:
        add(&r, o->top, o->left);
        add(&r, o->top, o->right);
        add(&r, o->bottom, o->left);
        add(&r, o->bottom, o->right);
        return true;
    case REGION_MIRROR_COLUMNS:
        add_mirrored(&r, 1u << 4);
        return true;
    case REGION_MIRROR_ROWS:
        add_mirrored(&r, 1u << 5);
        return true;
    case REGION_MIRROR_BOTH:
        add_mirrored(&r, 1u << 2 | 1u << 4 | 1u << 5);
        return true;
    case REGION_MIRROR_ALL:
        if (scene_height(o) == scene_width(o)) {
            add_mirrored(&r, 0xfe);
        }
        return scene_height(o) == scene_width(o);
    case REGION_RAYS:
        add_rays(&r, directions, TO_RIM);
        return directions != 0;
    case REGION_REACH:
        add_rays(&r, directions, TO_BACKGROUND_END);
        return directions != 0;
    case REGION_CORNER_RAYS:
        add_corner_rays(&r, directions, TO_RIM);
        return directions != 0;
    case REGION_CORNER_REACH:
        add_corner_rays(&r, directions, TO_BACKGROUND_END);
        return directions != 0;
    case REGION_CENTER: {
        bool whole = scene_height(o) % 2 == 1 && scene_width(o) % 2 == 1;
        if (whole) {
            add(&r, (o->top + o->bottom) / 2, (o->left + o->right) / 2);
        }
        return whole;
    }
    case REGION_BOX_AROUND:
        add_box(&r, o->top - 1, o->left - 1, o->bottom + 1, o->right + 1, NOT_OWN);
        return true;
    case REGION_INNER_ROWS:
    case REGION_INNER_COLUMNS:
    case REGION_INNER:
        add_inner(&r, act->how != REGION_INNER_COLUMNS, act->how != REGION_INNER_ROWS);
        return true;
    default: {
        int32_t other = s->partners[act->by][number];
        return other >= 0 && add_to_partner(&r, (SceneRegion)act->how, other);
    }
    }
}

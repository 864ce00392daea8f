/* Laying an object over another: turned and enlarged so that the cells that both have in color coincide; the
 * rest of it comes along. */
#include "engine/scenes/scene_acts.h"

typedef struct Fit {
    const Scene *scene;
    const SceneObject *o, *p;
    uint16_t colors; /* of p, bits */
    unsigned turn;
    int32_t other, scale, top, left; /* where the turned box begins */
} Fit;

/* Where a cell of the object goes: the upper left cell of a square of `scale`, without the shift. */
static void turned_to(const Fit *f, int32_t at, int32_t *i, int32_t *j) {
    const SceneObject *o = f->o;
    int32_t a = at / f->scene->grid.w - o->top, x = at % f->scene->grid.w - o->left;
    int32_t h = scene_height(o), w = scene_width(o);
    bool across = f->turn == 1 || f->turn == 3 || f->turn >= 6;
    /* a turn back is the turn itself but for the quarters */
    unsigned back = f->turn == 1 ? 3 : f->turn == 3 ? 1 : f->turn;
    scene_turned_from(back, across ? w : h, across ? h : w, a, x, i, j);
    *i *= f->scale;
    *j *= f->scale;
}

static bool is_key(const Fit *f, int32_t at) {
    return f->colors >> f->scene->grid.c[at] & 1;
}

/* Puts the first cell of the key, in reading order, on the partner's first cell. */
static void align(Fit *f) {
    const Scene *s = f->scene;
    int32_t top = INT32_MAX, left = 0;
    for (int32_t k = 0; k < f->o->count; k++) {
        int32_t at = s->cells[f->o->first + k], i, j;
        if (is_key(f, at)) {
            turned_to(f, at, &i, &j);
            if (i < top || (i == top && j < left)) {
                top = i;
                left = j;
            }
        }
    }
    f->top = s->cells[f->p->first] / s->grid.w - top;
    f->left = s->cells[f->p->first] % s->grid.w - left;
}

static bool key_fits(const Fit *f) {
    const Scene *s = f->scene;
    for (int32_t k = 0; k < f->o->count; k++) {
        int32_t at = s->cells[f->o->first + k], i, j;
        if (!is_key(f, at)) {
            continue;
        }
        turned_to(f, at, &i, &j);
        for (int32_t x = 0; x < f->scale * f->scale; x++) {
            int32_t a = f->top + i + x / f->scale, b = f->left + j + x % f->scale;
            if (analysis_color(&s->grid, a, b) != s->grid.c[at] || s->label[a * s->grid.w + b] != f->other) {
                return false;
            }
        }
    }
    return true;
}

static void add_all(const Fit *f, SceneCells *to) {
    const Scene *s = f->scene;
    for (int32_t k = 0; k < f->o->count; k++) {
        int32_t at = s->cells[f->o->first + k], i, j;
        turned_to(f, at, &i, &j);
        for (int32_t x = 0; x < f->scale * f->scale; x++) {
            int32_t a = f->top + i + x / f->scale, b = f->left + j + x % f->scale;
            if (analysis_color(&s->grid, a, b) >= 0) {
                scene_cells_add(to, a * s->grid.w + b, s->grid.c[at]);
            }
        }
    }
}

bool scene_add_fitted(const Scene *s, int32_t number, int32_t other, SceneCells *to) {
    Fit f = {.scene = s, .o = &s->objects[number], .p = &s->objects[other], .other = other, .scale = 1};
    int32_t keys = 0;
    for (int32_t k = 0; k < f.p->count; k++) {
        f.colors |= (uint16_t)(1u << s->grid.c[s->cells[f.p->first + k]]);
    }
    for (int32_t k = 0; k < f.o->count; k++) {
        keys += is_key(&f, s->cells[f.o->first + k]);
    }
    while (f.scale * f.scale * keys < f.p->count && keys > 0) {
        f.scale++;
    }
    if (keys == 0 || keys == f.o->count || f.scale * f.scale * keys != f.p->count) {
        return false;
    }
    for (f.turn = 0; f.turn < SCENE_TURNS; f.turn++) {
        align(&f);
        if (key_fits(&f)) {
            add_all(&f, to);
            return true;
        }
    }
    return false;
}

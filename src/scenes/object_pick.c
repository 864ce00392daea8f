/* Picking one object of a grid by what it is, and cutting it out. */
#include "scenes/scene.h"

#include <string.h>

enum { MOST_CONDITIONS = 4 };
enum { NEGATED = RULE_TESTS }; /* added to a test: the opposite */

typedef struct Condition {
    uint8_t attribute, test;
    int64_t number;
} Condition;

/* A tuple of (attribute, test, number). */
static bool read_conditions(Val v, Condition *to, uint32_t *n) {
    *n = val_is_tuple(v) ? val_len(v) : MOST_CONDITIONS + 1;
    if (*n > MOST_CONDITIONS) {
        return false;
    }
    for (uint32_t k = 0; k < *n; k++) {
        Val item = val_at(v, k);
        if (!val_is_ints(item) || val_len(item) != 3) {
            return false;
        }
        int64_t attribute = val_ints_at(item, 0), test = val_ints_at(item, 1), number = val_ints_at(item, 2);
        if (attribute < 0 || attribute >= ATTRIBUTE_COUNT || test < 0 || test >= 2 * RULE_TESTS ||
            (test % RULE_TESTS == RULE_SAME && (number < 0 || number >= ATTRIBUTE_COUNT))) {
            return false;
        }
        to[k] = (Condition){(uint8_t)attribute, (uint8_t)test, number};
    }
    return true;
}

static bool meets(const Scene *s, int32_t object, const Condition *c) {
    int test = c->test % RULE_TESTS;
    int64_t x = s->attributes[c->attribute][object];
    int64_t y = test == RULE_SAME ? s->attributes[c->number][object] : c->number;
    return (test == RULE_GREATER ? x > y : x == y) != (c->test >= NEGATED);
}

/* The only object that meets all; -1: there is none, or several. */
static int32_t pick(const Scene *s, const Condition *conditions, uint32_t n) {
    int32_t found = -1;
    for (int32_t o = 0; o < s->count; o++) {
        bool all = true;
        for (uint32_t k = 0; k < n && all; k++) {
            all = meets(s, o, &conditions[k]);
        }
        if (all && found >= 0) {
            return -1;
        }
        found = all ? o : found;
    }
    return found;
}

bool scene_cut(const Scene *s, int32_t object, SceneCut how, SceneFrame *frame) {
    const SceneObject *o = &s->objects[object];
    int32_t in = how == CUT_INSIDE;
    *frame = (SceneFrame){o->top + in, o->left + in, scene_height(o) - 2 * in, scene_width(o) - 2 * in};
    return frame->h > 0 && frame->w > 0;
}

int8_t scene_cut_color(const Scene *s, int32_t object, SceneCut how, int32_t cell) {
    return how == CUT_OWN && s->label[cell] != object ? s->board.ground : s->board.c[cell];
}

Val prim_object_pick(Ctx *ctx, const Val *a) {
    SceneWay way;
    int ground;
    Reason why;
    Condition conditions[MOST_CONDITIONS];
    uint32_t n;
    if (!scene_read_division(a[1], &way, &ground) || !read_conditions(a[2], conditions, &n) ||
        !val_is_int(a[3]) || a[3].i < 0 || a[3].i >= CUT_COUNT) {
        return val_fail(FAIL_TYPE);
    }
    Scene *s = scene_of(ctx, a[0], way, ground, &why);
    if (s == NULL) {
        return val_fail(why);
    }
    int32_t object = pick(s, conditions, n);
    SceneFrame frame;
    SceneCut how = (SceneCut)a[3].i;
    if (object < 0 || !scene_cut(s, object, how, &frame)) {
        return val_fail(FAIL_EMPTY);
    }
    int8_t *to = grid_buffer(ctx, frame.h, frame.w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    for (int32_t k = 0; k < frame.h * frame.w; k++) {
        int32_t cell = (frame.top + k / frame.w) * s->board.w + frame.left + k % frame.w;
        to[k] = scene_cut_color(s, object, how, cell);
    }
    return val_grid8(to, (uint32_t)frame.h, (uint32_t)frame.w);
}

/* Picking one object of a grid by its attributes, and cutting it out. */
#include "core/check.h"
#include "scenes/scene_conditions.h"

/* The only object that meets all conditions; -1: there is none, or more than one. */
static int32_t pick(const Scene *s, const SceneCondition *conditions, uint32_t n) {
    int32_t found = -1;
    for (int32_t o = 0; o < s->count; o++) {
        bool all = scene_meets(s, o, conditions, n);
        if (all && found >= 0) {
            return -1;
        }
        found = all ? o : found;
    }
    return found;
}

bool scene_cut(const Scene *s, int32_t object, SceneCut how, SceneFrame *frame) {
    ASSERT(object >= 0 && object < s->count, "object %d of %d", object, s->count);
    const SceneObject *o = &s->objects[object];
    int32_t in = how == CUT_INSIDE;
    *frame = (SceneFrame){o->top + in, o->left + in, scene_height(o) - 2 * in, scene_width(o) - 2 * in};
    return frame->h > 0 && frame->w > 0;
}

int8_t scene_cut_color(const Scene *s, int32_t object, SceneCut how, int32_t cell) {
    return how == CUT_OWN && s->label[cell] != object ? s->board.ground : s->board.c[cell];
}

Val scene_cut_grid(Ctx *ctx, const Scene *s, int32_t object, SceneCut how) {
    SceneFrame frame;
    Reason why;
    if (!scene_cut(s, object, how, &frame)) {
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

Val prim_object_pick(Ctx *ctx, const Val *a) {
    SceneWay way;
    int ground;
    Reason why;
    SceneCondition conditions[SCENE_MOST_CONDITIONS];
    uint32_t n;
    if (!scene_read_division(a[1], &way, &ground) || !scene_read_conditions(a[2], conditions, &n) ||
        !val_is_int(a[3]) || a[3].i < 0 || a[3].i >= CUT_COUNT) {
        return val_fail(FAIL_TYPE);
    }
    Scene *s = scene_of(ctx, a[0], way, ground, &why);
    if (s == NULL) {
        return val_fail(why);
    }
    int32_t object = pick(s, conditions, n);
    return object >= 0 ? scene_cut_grid(ctx, s, object, (SceneCut)a[3].i) : val_fail(FAIL_EMPTY);
}

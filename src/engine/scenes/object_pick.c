/* Picking one object of a grid by its attributes, and cutting it out. Copies of one thing count as one: "the
 * most frequent" cannot mean anything else. */
#include "base/check.h"
#include "engine/scenes/scene_conditions.h"

bool scene_cut(const Scene *s, int32_t object, SceneCut how, SceneFrame *frame) {
    ASSERT(object >= 0 && object < s->count, "object %d of %d", object, s->count);
    const SceneObject *o = &s->objects[object];
    int32_t in = how == CUT_INSIDE ? 1 : how == CUT_AROUND ? -1 : 0;
    *frame = (SceneFrame){o->top + in, o->left + in, scene_height(o) - 2 * in, scene_width(o) - 2 * in};
    return frame->h > 0 && frame->w > 0;
}

int8_t scene_cut_color(const Scene *s, int32_t object, SceneCut how, int32_t i, int32_t j) {
    int8_t color = analysis_color(&s->grid, i, j);
    bool other = color < 0 || (how == CUT_OWN && s->label[i * s->grid.w + j] != object);
    return other ? s->grid.background : color;
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
        to[k] = scene_cut_color(s, object, how, frame.top + k / frame.w, frame.left + k % frame.w);
    }
    return val_grid8(to, (uint32_t)frame.h, (uint32_t)frame.w);
}

bool scene_cut_same(const Scene *s, int32_t a, int32_t b, SceneCut how) {
    SceneFrame x, y;
    if (!scene_cut(s, a, how, &x) || !scene_cut(s, b, how, &y) || x.h != y.h || x.w != y.w) {
        return false;
    }
    for (int32_t k = 0; k < x.h * x.w; k++) {
        int32_t i = k / x.w, j = k % x.w;
        if (scene_cut_color(s, a, how, x.top + i, x.left + j) !=
            scene_cut_color(s, b, how, y.top + i, y.left + j)) {
            return false;
        }
    }
    return true;
}

/* The object that meets all conditions, the first of those that look the same when they are cut out; -1:
 * there is none, or others that look different. */
static int32_t pick(const Scene *s, const SceneCondition *conditions, uint32_t n, SceneCut how) {
    int32_t found = -1;
    for (int32_t o = 0; o < s->count; o++) {
        if (!scene_meets(s, o, conditions, n)) {
            continue;
        }
        if (found >= 0 && !scene_cut_same(s, found, o, how)) {
            return -1;
        }
        found = found < 0 ? o : found;
    }
    return found;
}

Val prim_object_pick(Ctx *ctx, const Val *a) {
    SceneSegmentation segmentation;
    int background;
    Reason why;
    SceneCondition conditions[SCENE_MAX_CONDITIONS];
    uint32_t n;
    if (!scene_read_segmentation(a[1], &segmentation, &background) ||
        !scene_read_conditions(a[2], conditions, &n) || !val_is_int(a[3]) || a[3].i < 0 ||
        a[3].i >= CUT_COUNT) {
        return val_fail(FAIL_TYPE);
    }
    Scene *s = scene_described(ctx, a[0], segmentation, background, &why);
    if (s == NULL) {
        return val_fail(why);
    }
    if (!ctx_charge(ctx, (uint64_t)s->grid.n)) {
        return val_fail_budget(ctx);
    }
    int32_t object = pick(s, conditions, n, (SceneCut)a[3].i);
    return object >= 0 ? scene_cut_grid(ctx, s, object, (SceneCut)a[3].i) : val_fail(FAIL_EMPTY);
}

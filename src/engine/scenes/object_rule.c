/* Rules over objects: a decision tree over attributes says what is done with each object of a grid. */
#include "engine/scenes/object_rule.h"

#include "engine/features/decision.h"

#include <string.h>

typedef struct ObjectRule {
    Decision tree;
    SceneAct acts[DECISION_MAX_NODES]; /* of leaves */
} ObjectRule;

bool object_rule_read_act(Val v, SceneAct *act) {
    enum { FAR = 1000 };
    if (val_len(v) != 4) {
        return false;
    }
    Val by = val_at(v, 2), how = val_at(v, 1), what = val_at(v, 0), color = val_at(v, 3);
    if (!val_int_within(what, 0, ACT_COUNT) || !val_int_within(how, 0, 128) ||
        !val_int_within(color, 0, SOURCE_LIMIT)) {
        return false;
    }
    *act = (SceneAct){.act = (uint8_t)what.i, .how = (uint8_t)how.i, .color = (int16_t)color.i};
    bool pair = by.kind == VAL_PAIR;
    if (pair ? by.a < -FAR || by.a > FAR || by.b < -FAR || by.b > FAR : !val_int_within(by, 0, 128)) {
        return false;
    }
    act->by = (int16_t)(pair ? by.a : by.i);
    act->by2 = (int16_t)(pair ? by.b : 0);
    if (!scene_act_is_good(act)) {
        return false;
    }
    const SceneHow *row = scene_how(act);
    return (row != NULL && row->by == BY_PAIR) == pair;
}

static bool read_leaf(void *user, int16_t node, Val leaf) {
    return object_rule_read_act(leaf, &((ObjectRule *)user)->acts[node]);
}

static bool read_rule(ObjectRule *rule, Val v) {
    const DecisionReader reader = {RULE_TESTS, scene_is_attribute, read_leaf, rule};
    return decision_read(&rule->tree, &reader, v);
}

static int64_t attribute_of(const void *scene, int64_t attribute, int32_t object) {
    return scene_attribute(scene, attribute, object);
}

bool scene_read_segmentation(Val pair, SceneSegmentation *segmentation, int *background) {
    if (pair.kind != VAL_PAIR || pair.a < 0 || pair.a >= SEGMENT_COUNT ||
        pair.b < SCENE_BACKGROUND_MOST_FREQUENT || pair.b >= N_COLORS) {
        return false;
    }
    *segmentation = (SceneSegmentation)pair.a;
    *background = pair.b;
    return true;
}

Val prim_object_rule(Ctx *ctx, const Val *a) {
    ObjectRule rule = {.tree.count = 0};
    SceneSegmentation segmentation;
    int background;
    Reason why;
    if (!scene_read_segmentation(a[1], &segmentation, &background) || !val_int_within(a[2], 0, 2) ||
        !read_rule(&rule, a[3])) {
        return val_fail(FAIL_TYPE);
    }
    int8_t *to = grid_buffer_like(ctx, a[0], &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Scene *s = scene_of(ctx, a[0], segmentation, background, &why);
    SceneCells *scratch = s != NULL ? ctx_alloc(ctx, sizeof *scratch) : NULL;
    if (scratch == NULL) {
        return val_fail(s != NULL ? val_fail_budget(ctx).w : why);
    }
    memset(scratch, 0, sizeof *scratch);
    uint16_t of[SCENE_MAX_OBJECTS];
    for (int32_t o = 0; o < s->count; o++) {
        of[o] = (uint16_t)decision_of(&rule.tree, attribute_of, s, o);
    }
    if (!ctx_charge(ctx, (uint64_t)(s->grid.n + s->count * 8))) {
        return val_fail_budget(ctx);
    }
    scene_apply(s, rule.acts, of, a[2].i != 0, scratch, to);
    ctx_release(ctx, mark);
    return val_grid8(to, a[0].n, a[0].w);
}

Val prim_object_attribute(Ctx *ctx, const Val *a) {
    SceneSegmentation segmentation;
    int background;
    Reason why;
    if (!scene_read_segmentation(a[1], &segmentation, &background) ||
        !val_int_within(a[2], 0, ATTRIBUTE_COUNT)) {
        return val_fail(FAIL_TYPE);
    }
    int8_t *to = grid_buffer_like(ctx, a[0], &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Scene *s = scene_described(ctx, a[0], segmentation, background, &why);
    if (s == NULL) {
        return val_fail(why);
    }
    for (int32_t k = 0; k < s->grid.n; k++) {
        to[k] = s->label[k] < 0 ? -1 : s->attributes[a[2].i][s->label[k]];
    }
    ctx_release(ctx, mark);
    return val_grid8(to, a[0].n, a[0].w);
}

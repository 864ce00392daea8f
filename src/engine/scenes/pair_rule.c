/* Rules over pairs of objects: a decision tree over attributes of both says what the first does with the
 * second. */
#include "engine/features/decision.h"
#include "engine/scenes/object_rule.h"
#include "engine/scenes/scene_pairs.h"

#include <string.h>

typedef struct PairRule {
    Decision tree;
    SceneAct acts[DECISION_MAX_NODES]; /* of leaves */
} PairRule;

static bool read_leaf(void *user, int16_t node, Val leaf) {
    SceneAct *act = &((PairRule *)user)->acts[node];
    return object_rule_read_act(leaf, act) && pair_may_do(act);
}

typedef struct PairAsked {
    const Scene *scene;
    int32_t source;
} PairAsked;

static int64_t attribute_of(const void *all, int64_t attribute, int32_t anchor) {
    const PairAsked *asked = all;
    return pair_attribute(asked->scene, attribute, asked->source, anchor);
}

/* Lists what is done, leaving out pairs with which nothing is done; false: no memory. */
static bool decide(Ctx *ctx, const Scene *s, const PairRule *rule, SceneDeed **deeds, int32_t *n) {
    SceneDeed *list = ctx_alloc(ctx, (size_t)s->count * (size_t)s->count * sizeof *list);
    *n = 0;
    for (int32_t a = 0; a < s->count && list != NULL; a++) {
        PairAsked asked = {s, a};
        for (int32_t b = 0; b < s->count; b++) {
            int16_t leaf = a != b ? decision_of(&rule->tree, attribute_of, &asked, b) : -1;
            if (leaf >= 0 && rule->acts[leaf].act != ACT_KEEP) {
                list[(*n)++] = (SceneDeed){(uint8_t)a, (uint8_t)b, (uint16_t)leaf};
            }
        }
        if (!ctx_charge(ctx, (uint64_t)(s->count * (4 + s->count / 8)))) {
            return false;
        }
    }
    *deeds = list;
    return list != NULL;
}

Val prim_pair_rule(Ctx *ctx, const Val *a) {
    PairRule rule = {.tree.count = 0};
    const DecisionReader reader = {RULE_TESTS, pair_is_attribute, read_leaf, &rule};
    SceneSegmentation segmentation;
    int background;
    Reason why;
    if (!scene_read_segmentation(a[1], &segmentation, &background) || !val_int_within(a[2], 0, 2) ||
        !decision_read(&rule.tree, &reader, a[3])) {
        return val_fail(FAIL_TYPE);
    }
    int8_t *to = grid_buffer_like(ctx, a[0], &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Scene *s = scene_of(ctx, a[0], segmentation, background, &why);
    if (s == NULL) {
        return val_fail(why);
    }
    SceneCells *scratch = ctx_alloc(ctx, sizeof *scratch);
    SceneDeed *deeds;
    int32_t n;
    if (scratch == NULL || !decide(ctx, s, &rule, &deeds, &n) ||
        !ctx_charge(ctx, (uint64_t)(s->grid.n + n * 16))) {
        return val_fail_budget(ctx);
    }
    memset(scratch, 0, sizeof *scratch);
    scene_apply_pairs(s, deeds, n, rule.acts, a[2].i != 0, scratch, to);
    ctx_release(ctx, mark);
    return val_grid8(to, a[0].n, a[0].w);
}

/* Rules over beams: a decision tree says which beams of a grid are drawn, and how. */
#include "engine/features/decision.h"
#include "engine/patterns/beams.h"

#include <string.h>

enum { LOOKS_PER_STEP = 16 };

typedef struct BeamRule {
    Decision tree;
    BeamAct acts[DECISION_MAX_NODES]; /* of leaves */
} BeamRule;

/* ((place, action), ..) */
static bool read_exceptions(Val v, BeamAct *act) {
    if (!val_is_tuple(v) || val_len(v) > BEAM_MAX_EXCEPTIONS) {
        return false;
    }
    for (uint32_t k = 0; k < val_len(v); k++) {
        Val x = val_at(v, k);
        if (!val_is_ints(x) || val_len(x) != 2 || val_ints_at(x, 0) < 0 || val_ints_at(x, 0) >= BEAM_PLACES ||
            val_ints_at(x, 1) < 0 || val_ints_at(x, 1) >= BEAM_ACTIONS) {
            return false;
        }
        act->at[k] = (uint8_t)val_ints_at(x, 0);
        act->does[k] = (uint8_t)val_ints_at(x, 1);
        act->n++;
    }
    return true;
}

/* (0, color) or (1, attribute) */
static bool read_color(Val v, BeamAct *act) {
    if (v.kind != VAL_PAIR || v.a < 0 || v.a > 1 || v.b < 0 ||
        v.b >= (v.a == 0 ? N_COLORS : BEAM_ATTRIBUTES) ||
        (v.a == 1 && beam_attributes[v.b].kind != FEATURE_IS_COLOR)) {
        return false;
    }
    act->color = (int16_t)(v.a == 0 ? v.b : BEAM_SOURCE + v.b);
    return true;
}

/* (color, every, length, exceptions), or one number: nothing is drawn */
static bool read_act(Val v, BeamAct *act) {
    *act = (BeamAct){.every = 1};
    if (val_len(v) != 4) {
        return val_len(v) == 1 && val_int_within(val_at(v, 0), 0, 1);
    }
    Val every = val_at(v, 1), length = val_at(v, 2);
    if (!read_color(val_at(v, 0), act) || !val_int_within(every, -2, BEAM_MAX_EVERY + 1) || every.i == 0 ||
        every.i == -1 || !val_int_within(length, 0, BEAM_MAX_LENGTH + 1)) {
        return false;
    }
    act->draws = true;
    act->every = (int8_t)every.i;
    act->length = (int8_t)length.i;
    return read_exceptions(val_at(v, 3), act);
}

static bool is_attribute(int64_t number) {
    return number >= 0 && number < BEAM_ATTRIBUTES;
}

static bool read_leaf(void *user, int16_t node, Val leaf) {
    return read_act(leaf, &((BeamRule *)user)->acts[node]);
}

static bool read_rule(BeamRule *rule, Val v) {
    const DecisionReader reader = {RULE_TESTS, is_attribute, read_leaf, rule};
    return decision_read(&rule->tree, &reader, v);
}

static int64_t attribute_of(const void *beams, int64_t attribute, int32_t beam) {
    return beam_attribute(beams, (BeamAttribute)attribute, beam);
}

static bool draw(const Beams *beams, const BeamRule *rule, BeamPath *path, int8_t *to) {
    for (int32_t k = 0; k < beams->count; k++) {
        const BeamAct *act = &rule->acts[decision_of(&rule->tree, attribute_of, beams, k)];
        int8_t color = act->draws ? beam_color(beams, k, act->color) : -1;
        if (color < 0) {
            continue;
        }
        if (!beam_follow(beams, k, act, path)) {
            return false;
        }
        for (int32_t x = 0; x < path->n; x++) {
            to[path->cell[x]] = path->color[x] == BEAM_PAINT ? color : path->color[x];
        }
    }
    return true;
}

Val prim_beam_rule(Ctx *ctx, const Val *a) {
    BeamRule rule = {.tree.count = 0};
    Reason why;
    if (!val_int_within(a[1], -2, N_COLORS) || !read_rule(&rule, a[2]) || a[0].kind != VAL_GRID8) {
        return val_fail(FAIL_TYPE);
    }
    int8_t *to = grid_buffer(ctx, a[0].n, a[0].w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Beams *beams = beams_of(ctx, a[0], (int)a[1].i, &why);
    BeamPath *path = beams != NULL ? ctx_alloc(ctx, sizeof *path) : NULL;
    if (path == NULL) {
        return val_fail(beams != NULL ? val_fail_budget(ctx).w : why);
    }
    beam_path_open(path);
    memcpy(to, beams->grid.c, (size_t)beams->grid.n);
    bool good = draw(beams, &rule, path, to);
    uint64_t steps = path->looks / LOOKS_PER_STEP;
    ctx_release(ctx, mark);
    if (!ctx_charge(ctx, steps)) {
        return val_fail_budget(ctx);
    }
    return good ? val_grid8(to, a[0].n, a[0].w) : val_fail(FAIL_LIMIT);
}

Val prim_beam_attribute(Ctx *ctx, const Val *a) {
    Reason why;
    if (!val_int_within(a[1], -2, N_COLORS) || !val_int_within(a[2], 0, BEAM_HEADINGS) ||
        !val_int_within(a[3], 0, BEAM_ATTRIBUTES) || a[0].kind != VAL_GRID8) {
        return val_fail(FAIL_TYPE);
    }
    int8_t *to = grid_buffer(ctx, a[0].n, a[0].w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Beams *beams = beams_of(ctx, a[0], (int)a[1].i, &why);
    if (beams == NULL) {
        return val_fail(why);
    }
    memset(to, -2, (size_t)beams->grid.n);
    for (int32_t k = 0; k < beams->count; k++) {
        if (beams->list[k].heading == a[2].i) {
            to[beams->list[k].cell] = beam_attribute(beams, (BeamAttribute)a[3].i, k);
        }
    }
    ctx_release(ctx, mark);
    return val_grid8(to, a[0].n, a[0].w);
}

/* Rules whose output is larger than the input by whole factors; see cell_grow in engine/primitives/rules.def.
 */
#include "engine/features/larger.h"

#include "engine/features/grid_analysis.h"
#include "engine/features/rule.h"

#include <string.h>

void larger_see(const GridAnalysis *b, int32_t tall, int32_t wide, int32_t i, int32_t j, int8_t *to) {
    int32_t row = i % b->h, column = j % b->w;
    int32_t mirrored_row = i / b->h % 2 ? b->h - 1 - row : row;
    int32_t mirrored_column = j / b->w % 2 ? b->w - 1 - column : column;
    to[0] = b->c[row * b->w + column];
    to[1] = b->c[row * b->w + mirrored_column];
    to[2] = b->c[mirrored_row * b->w + column];
    to[3] = b->c[mirrored_row * b->w + mirrored_column];
    to[4] = analysis_clip(i / b->h);
    to[5] = analysis_clip(j / b->w);
    to[6] = analysis_clip(i % tall);
    to[7] = analysis_clip(j % wide);
    to[8] = analysis_clip(tall - 1 - i % tall);
    to[9] = analysis_clip(wide - 1 - j % wide);
    _Static_assert(GROW_FEATURES == 10, "one value for each of them");
}

bool features_fill_grow(Ctx *ctx, const GridAnalysis *b) {
    int8_t values[GROW_FEATURES];
    (void)ctx;
    for (int32_t k = 0; k < b->n; k++) {
        larger_see(b, 1, 1, k / b->w, k % b->w, values);
        for (int f = 0; f < GROW_FEATURES; f++) {
            analysis_plane(b, feature_of_run(FEATURE_RUN_GROW, f))[k] = values[f];
        }
    }
    return true;
}

Val prim_cell_grow(Ctx *ctx, const Val *a) {
    Rule rule;
    Reason why;
    if (a[0].kind != VAL_GRID8 || a[2].kind != VAL_PAIR || !rule_read(&rule, a[1])) {
        return val_fail(FAIL_TYPE);
    }
    int32_t tall = a[2].a, wide = a[2].b;
    if (tall < 1 || wide < 1 || tall > GROW_MAX || wide > GROW_MAX) {
        return val_fail(FAIL_RANGE);
    }
    GridAnalysis analysis;
    if (!analysis_of(a[0], &analysis, &why)) {
        return val_fail(why);
    }
    int32_t h = analysis.h * tall, w = analysis.w * wide;
    int8_t *to = grid_buffer(ctx, (uint32_t)h, (uint32_t)w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    FeatureSet used = rule_features(&rule);
    int8_t *planes = features_of(ctx, a[0], &used, &why);
    if (planes == NULL || !ctx_charge(ctx, (uint64_t)h * (uint64_t)w)) {
        return planes == NULL ? val_fail(why) : val_fail_budget(ctx);
    }
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            int8_t values[GROW_FEATURES];
            int32_t source = i / tall * analysis.w + j / wide;
            larger_see(&analysis, tall, wide, i, j, values);
            for (int f = 0; f < GROW_FEATURES; f++) {
                planes[(int32_t)feature_of_run(FEATURE_RUN_GROW, f) * analysis.n + source] = values[f];
            }
            to[i * w + j] = rule_color(&rule, planes, analysis.n, source);
        }
    }
    ctx_release(ctx, mark);
    return val_grid8(to, (uint32_t)h, (uint32_t)w);
}

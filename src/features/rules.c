/* Rules cell by cell: a decision tree over features decides every cell's new color. */
#include "features/features.h"

enum { MOST_NODES = 64, MOST_DEPTH = 8 };

typedef struct RuleNode {
    int16_t feature; /* of a branch, or copied by a leaf; negative: a leaf with a color */
    uint8_t test;    /* RULE_EQUAL.. */
    bool leaf;
    int64_t number;  /* compared with, or the feature compared with; color of a leaf */
    int16_t yes, no; /* nodes */
} RuleNode;

typedef struct Rule {
    RuleNode nodes[MOST_NODES];
    int16_t count;
} Rule;

/* The features a rule asks for or copies. */
static FeatureSet features_used(const Rule *rule) {
    FeatureSet set = {{false}};
    for (int16_t k = 0; k < rule->count; k++) {
        const RuleNode *node = &rule->nodes[k];
        if (node->feature >= 0) {
            set.has[node->feature] = true;
        }
        if (!node->leaf && node->test == RULE_SAME) {
            set.has[node->number] = true;
        }
    }
    return set;
}

static bool is_feature(Val v) {
    return val_is_int(v) && v.i >= 0 && v.i < FEATURE_COUNT;
}

/* Node of a rule value; -1: it is not one. */
static int16_t read_rule(Rule *rule, Val v, int depth) {
    if (rule->count == MOST_NODES || depth > MOST_DEPTH || !val_is_tuple(v)) {
        return -1;
    }
    int16_t at = rule->count++;
    RuleNode *node = &rule->nodes[at];
    if (v.kind == VAL_PAIR) {
        *node = (RuleNode){.leaf = true,
                           .feature = v.a == 1 ? (int16_t)(is_feature(val_int(v.b)) ? v.b : -2) : -1,
                           .number = v.b};
        bool good = v.a == 0 ? v.b == (int8_t)v.b : v.a == 1 && node->feature >= 0;
        return good ? at : -1;
    }
    if (val_len(v) != 5) {
        return -1;
    }
    Val feature = val_at(v, 0), test = val_at(v, 1), number = val_at(v, 2);
    if (!is_feature(feature) || !val_is_int(test) || test.i < 0 || test.i >= RULE_TESTS ||
        !val_is_int(number) || (test.i == RULE_SAME && !is_feature(number))) {
        return -1;
    }
    *node = (RuleNode){.feature = (int16_t)feature.i, .test = (uint8_t)test.i, .number = number.i};
    int16_t yes = read_rule(rule, val_at(v, 3), depth + 1);
    int16_t no = yes >= 0 ? read_rule(rule, val_at(v, 4), depth + 1) : -1;
    node->yes = yes;
    node->no = no;
    return no >= 0 ? at : -1;
}

Val prim_cell_rule(Ctx *ctx, const Val *a) {
    Rule rule = {.count = 0};
    Reason why;
    if (read_rule(&rule, a[1], 0) < 0) {
        return val_fail(FAIL_TYPE);
    }
    Reason no_grid;
    int8_t *to = a[0].kind == VAL_GRID8 ? grid_buffer(ctx, a[0].n, a[0].w, &no_grid) : NULL;
    if (to == NULL) {
        return val_fail(a[0].kind == VAL_GRID8 ? no_grid : FAIL_TYPE);
    }
    CtxMark mark = ctx_mark(ctx);
    FeatureSet used = features_used(&rule);
    const int8_t *planes = features_of(ctx, a[0], &used, &why);
    if (planes == NULL) {
        return val_fail(why);
    }
    int32_t n = (int32_t)(a[0].n * a[0].w);
    for (int32_t k = 0; k < n; k++) {
        const RuleNode *node = &rule.nodes[0];
        while (!node->leaf) {
            int64_t x = planes[node->feature * n + k];
            int64_t y = node->test == RULE_SAME ? planes[node->number * n + k] : node->number;
            node = &rule.nodes[(node->test == RULE_GREATER ? x > y : x == y) ? node->yes : node->no];
        }
        to[k] = node->feature >= 0 ? planes[node->feature * n + k] : (int8_t)node->number;
    }
    ctx_release(ctx, mark);
    return val_grid8(to, a[0].n, a[0].w);
}

Val prim_cell_feature(Ctx *ctx, const Val *a) {
    Reason why;
    if (!is_feature(a[1])) {
        return val_fail(val_is_int(a[1]) ? FAIL_RANGE : FAIL_TYPE);
    }
    FeatureSet wanted = {{false}};
    wanted.has[a[1].i] = true;
    const int8_t *planes = features_of(ctx, a[0], &wanted, &why);
    return planes != NULL ? val_grid8(planes + a[1].i * (int64_t)(a[0].n * a[0].w), a[0].n, a[0].w)
                          : val_fail(why);
}

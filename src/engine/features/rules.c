/* Rules cell by cell: a decision tree over features decides every cell's new color. */
#include "engine/features/rule.h"

#include <string.h>

FeatureSet rule_features(const Rule *rule) {
    FeatureSet set = {{false}};
    for (int16_t k = 0; k < rule->tree.count; k++) {
        const DecisionNode *node = &rule->tree.nodes[k];
        if (!node->leaf) {
            set.has[node->attribute] = true;
        } else if (rule->leaves[k].feature >= 0) {
            set.has[rule->leaves[k].feature] = true;
        }
        if (!node->leaf && decision_compares(node->test)) {
            set.has[node->number] = true;
        }
        for (int d = 0; !node->leaf && node->test == RULE_AMONG && d < AMONG_DIRECTIONS; d++) {
            set.has[feature_in_direction(node->attribute, d)] = true;
        }
    }
    return set;
}

static bool is_feature(int64_t number) {
    return number >= 0 && number < FEATURE_COUNT;
}

static bool is_small(Val v) {
    return val_is_int(v) && v.i == (int8_t)v.i;
}

/* (MAP, feature, table): the rows of the table are pairs (from, to); other values stay as they are. */
static bool read_map(Val v, RuleLeaf *leaf, int8_t *map) {
    enum { MAX_ROWS = 16 };
    Val how = val_at(v, 0), feature = val_at(v, 1), table = val_at(v, 2);
    if (!val_is_int(how) || how.i != 2 || !val_is_int(feature) || !is_feature(feature.i) ||
        !val_is_tuple(table) || val_len(table) == 0 || val_len(table) > MAX_ROWS) {
        return false;
    }
    for (int value = 0; value < RULE_VALUES; value++) {
        map[value] = (int8_t)value;
    }
    for (uint32_t k = val_len(table); k-- > 0;) { /* backwards, so that the first row for a value counts */
        Val row = val_at(table, k);
        if (!val_is_tuple(row) || val_len(row) != 2 || !is_small(val_at(row, 0)) ||
            !is_small(val_at(row, 1))) {
            return false;
        }
        map[(uint8_t)val_at(row, 0).i] = (int8_t)val_at(row, 1).i;
    }
    *leaf = (RuleLeaf){.feature = (int16_t)feature.i, .mapped = true};
    return true;
}

/* (COLOR, color), (COPY, feature), or a map */
static bool read_leaf(void *user, int16_t node, Val v) {
    Rule *rule = user;
    RuleLeaf *leaf = &rule->leaves[node];
    if (v.kind != VAL_PAIR) {
        return val_len(v) == 3 && read_map(v, leaf, rule->maps[node]);
    }
    *leaf = v.a == 0 ? (RuleLeaf){.feature = -1, .color = (int8_t)v.b} : (RuleLeaf){.feature = (int16_t)v.b};
    return v.a == 0 ? v.b == (int8_t)v.b : v.a == 1 && is_feature(v.b);
}

bool rule_read(Rule *rule, Val value) {
    const DecisionReader reader = {RULE_CELL_TESTS, is_feature, read_leaf, rule};
    return decision_read(&rule->tree, &reader, value);
}

typedef struct Planes {
    const int8_t *values; /* [feature * n + cell] */
    int32_t n;
} Planes;

static inline int64_t value_of(const void *planes, int64_t feature, int32_t cell) {
    const Planes *p = planes;
    return p->values[feature * p->n + cell];
}

int8_t rule_color(const Rule *rule, const int8_t *planes, int32_t n, int32_t cell) {
    const Planes all = {planes, n};
    int16_t at = decision_of(&rule->tree, value_of, &all, cell);
    const RuleLeaf *leaf = &rule->leaves[at];
    int8_t color = leaf->feature >= 0 ? planes[leaf->feature * n + cell] : leaf->color;
    return leaf->mapped ? rule->maps[at][(uint8_t)color] : color;
}

FeatureSet process_features(const Rule *rules, uint32_t n) {
    FeatureSet used = {{false}};
    for (uint32_t k = 0; k < n; k++) {
        FeatureSet more = rule_features(&rules[k]);
        for (int f = 0; f < FEATURE_COUNT; f++) {
            used.has[f] |= more.has[f];
        }
    }
    return used;
}

bool process_round(Ctx *ctx, const RuleProcess *p, Val grid, int8_t *to, Reason *why) {
    CtxMark mark = ctx_mark(ctx);
    const int8_t *planes = features_of(ctx, grid, &p->used, why);
    int32_t n = (int32_t)(grid.n * grid.w);
    for (int32_t cell = 0; cell < n && planes != NULL; cell++) {
        to[cell] = grid.b8[cell];
        for (uint32_t k = 0; k < p->n && to[cell] == grid.b8[cell]; k++) {
            to[cell] = rule_color(&p->rules[k], planes, n, cell);
        }
    }
    ctx_release(ctx, mark);
    return planes != NULL;
}

Val prim_cell_rule(Ctx *ctx, const Val *a) {
    Rule rule;
    Reason why;
    if (!rule_read(&rule, a[1])) {
        return val_fail(FAIL_TYPE);
    }
    RuleProcess once = {&rule, 1, rule_features(&rule)};
    int8_t *to = grid_buffer_like(ctx, a[0], &why);
    return to != NULL && process_round(ctx, &once, a[0], to, &why) ? val_grid8(to, a[0].n, a[0].w)
                                                                   : val_fail(why);
}

/* Rules in executable form; NULL: the value is none (*why). */
static Rule *read_rules(Ctx *ctx, Val value, Reason *why) {
    uint32_t n = val_is_tuple(value) ? val_len(value) : 0;
    Rule *rules = n > 0 && n <= PROCESS_MAX_RULES ? ctx_alloc(ctx, n * sizeof *rules) : NULL;
    *why = n == 0 || n > PROCESS_MAX_RULES ? FAIL_TYPE : (Reason)val_fail_budget(ctx).w;
    for (uint32_t k = 0; k < n && rules != NULL; k++) {
        if (!rule_read(&rules[k], val_at(value, k))) {
            *why = FAIL_TYPE;
            return NULL;
        }
    }
    return rules;
}

Val prim_cell_process(Ctx *ctx, const Val *a) {
    Reason why;
    int8_t *now = grid_buffer_like(ctx, a[0], &why);
    int8_t *next = now != NULL ? grid_buffer_like(ctx, a[0], &why) : NULL;
    CtxMark mark = ctx_mark(ctx);
    const Rule *rules = next != NULL ? read_rules(ctx, a[1], &why) : NULL;
    if (rules == NULL) {
        return val_fail(why);
    }
    RuleProcess p = {rules, val_len(a[1]), process_features(rules, val_len(a[1]))};
    Val grid = a[0];
    for (int round = 0; round < PROCESS_MAX_ROUNDS; round++) {
        if (!process_round(ctx, &p, grid, next, &why)) {
            return val_fail(why);
        }
        int8_t *was = now;
        now = next;
        next = was;
        bool same = memcmp(now, grid.b8, (size_t)grid.n * grid.w) == 0;
        grid = val_grid8(now, a[0].n, a[0].w);
        if (same) {
            ctx_release(ctx, mark);
            return grid;
        }
    }
    return val_fail(FAIL_RANGE);
}

Val prim_cell_feature(Ctx *ctx, const Val *a) {
    Reason why;
    if (!val_is_int(a[1]) || !is_feature(a[1].i)) {
        return val_fail(val_is_int(a[1]) ? FAIL_RANGE : FAIL_TYPE);
    }
    FeatureSet wanted = {{false}};
    wanted.has[a[1].i] = true;
    const int8_t *planes = features_of(ctx, a[0], &wanted, &why);
    return planes != NULL ? val_grid8(planes + a[1].i * (int64_t)(a[0].n * a[0].w), a[0].n, a[0].w)
                          : val_fail(why);
}

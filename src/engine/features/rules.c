/* Rules cell by cell: a decision tree over features decides every cell's new color. */
#include "engine/features/rule.h"

enum { MAX_DEPTH = 8, MAX_ROWS = 16 };

static bool compares_features(unsigned test) {
    return test == RULE_SAME || test == RULE_MORE;
}

FeatureSet rule_features(const Rule *rule) {
    FeatureSet set = {{false}};
    for (int16_t k = 0; k < rule->count; k++) {
        const RuleNode *node = &rule->nodes[k];
        if (node->feature >= 0) {
            set.has[node->feature] = true;
        }
        if (!node->leaf && compares_features(node->test)) {
            set.has[node->number] = true;
        }
    }
    return set;
}

static bool is_feature(Val v) {
    return val_int_within(v, 0, FEATURE_COUNT);
}

static bool is_small(Val v) {
    return val_is_int(v) && v.i == (int8_t)v.i;
}

/* (MAP, feature, table): the rows of the table are pairs (from, to); other values stay as they are. */
static bool read_map(Rule *rule, int16_t at, Val v) {
    Val how = val_at(v, 0), feature = val_at(v, 1), table = val_at(v, 2);
    if (!val_is_int(how) || how.i != 2 || !is_feature(feature) || !val_is_tuple(table) ||
        val_len(table) == 0 || val_len(table) > MAX_ROWS) {
        return false;
    }
    int8_t *map = rule->maps[at];
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
    rule->nodes[at] = (RuleNode){.leaf = true, .mapped = true, .feature = (int16_t)feature.i};
    return true;
}

/* Adds the node of a rule value and those below it; -1: it is not a rule. */
static int16_t read_rule(Rule *rule, Val v, int depth) {
    if (rule->count == RULE_MAX_NODES || depth > MAX_DEPTH || !val_is_tuple(v)) {
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
    if (val_len(v) == 3) {
        return read_map(rule, at, v) ? at : -1;
    }
    if (val_len(v) != 5) {
        return -1;
    }
    Val feature = val_at(v, 0), test = val_at(v, 1), number = val_at(v, 2);
    if (!is_feature(feature) || !val_is_int(test) || test.i < 0 || test.i >= RULE_CELL_TESTS ||
        !val_is_int(number) || (compares_features((unsigned)test.i) && !is_feature(number))) {
        return -1;
    }
    *node = (RuleNode){.feature = (int16_t)feature.i, .test = (uint8_t)test.i, .number = number.i};
    int16_t yes = read_rule(rule, val_at(v, 3), depth + 1);
    int16_t no = yes >= 0 ? read_rule(rule, val_at(v, 4), depth + 1) : -1;
    node->yes = yes;
    node->no = no;
    return no >= 0 ? at : -1;
}

bool rule_read(Rule *rule, Val value) {
    rule->count = 0;
    return read_rule(rule, value, 0) >= 0;
}

int8_t rule_color(const Rule *rule, const int8_t *planes, int32_t n, int32_t cell) {
    const RuleNode *node = &rule->nodes[0];
    while (!node->leaf) {
        ASSERT(node->yes > node - rule->nodes && node->yes < rule->count && node->no > node - rule->nodes &&
                   node->no < rule->count,
               "branch %td of %d leads to %d and %d", node - rule->nodes, rule->count, node->yes, node->no);
        int64_t x = planes[node->feature * n + cell];
        int64_t y = compares_features(node->test) ? planes[node->number * n + cell] : node->number;
        bool more = node->test == RULE_GREATER || node->test == RULE_MORE;
        node = &rule->nodes[(more ? x > y : x == y) ? node->yes : node->no];
    }
    int8_t copied = node->feature >= 0 ? planes[node->feature * n + cell] : (int8_t)node->number;
    return node->mapped ? rule->maps[node - rule->nodes][(uint8_t)copied] : copied;
}

Val prim_cell_rule(Ctx *ctx, const Val *a) {
    Rule rule;
    Reason why;
    if (!rule_read(&rule, a[1])) {
        return val_fail(FAIL_TYPE);
    }
    int8_t *to = grid_buffer_like(ctx, a[0], &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    FeatureSet used = rule_features(&rule);
    const int8_t *planes = features_of(ctx, a[0], &used, &why);
    if (planes == NULL) {
        return val_fail(why);
    }
    int32_t n = (int32_t)(a[0].n * a[0].w);
    for (int32_t k = 0; k < n; k++) {
        to[k] = rule_color(&rule, planes, n, k);
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

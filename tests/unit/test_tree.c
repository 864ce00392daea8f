/* Learning decision trees: which questions are kept and what they cost, and trees as rules. */
#include "search/learning/tree.h"
#include "search_fixture.h"

enum { ITEMS = 70 };

/* A count, the same plus a constant, a color, and a copy of it; more items than a word has bits. */
typedef struct Sample {
    int8_t values[4][ITEMS];
    TreeAttribute attributes[4];
    Search search;
    TreeQuestions questions;
} Sample;

static void open_sample(Sample *s, Bench *bench, bool cheapest, uint32_t max) {
    static const double costs[4] = {1, 2, 1.5, 3};
    memset(s, 0, sizeof *s);
    for (int k = 0; k < ITEMS; k++) {
        s->values[0][k] = (int8_t)(k % 12);
        s->values[1][k] = (int8_t)(k % 12 + 1);
        s->values[2][k] = s->values[3][k] = (int8_t)(k / 7 % 3);
    }
    for (int16_t a = 0; a < 4; a++) {
        s->attributes[a] = (TreeAttribute){(int16_t)(a + 20), a < 2, costs[a], s->values[a]};
    }
    s->search.ctx = &bench->ctx;
    s->questions = (TreeQuestions){
        .search = &s->search,
        .attributes = s->attributes,
        .prices = {.question = 2, .greater = 0.5, .color = 4, .large = 8, .larger = 16, .same_scale = 0.25},
        .n = ITEMS,
        .words = (ITEMS + 63) / 64,
        .apart = ITEMS,
        .cheapest = cheapest,
        .max = max};
    assert_true(tree_questions_open(&s->questions));
}

static void test_bits(void **state) {
    (void)state;
    uint64_t set[2] = {~(uint64_t)0, 7}, by[2] = {~(uint64_t)0, 1}, yes[2], no[2];
    assert_true(bits_below(64, 0) == ~(uint64_t)0 && bits_below(64, 1) == 0 && bits_below(70, 1) == 63);
    assert_true(bits_split(set, by, 2, yes, no));
    assert_true(bits_count(yes, 2) == 65 && bits_count(no, 2) == 2 && bits_has(no, 66) && !bits_has(no, 64));
    assert_true(bits_inside(no, set, 2) && !bits_inside(set, by, 2));
    assert_false(bits_split(no, by, 2, yes, no));
}

static void test_prices(void **state) {
    Sample s;
    open_sample(&s, *state, false, 100);
    const struct {
        uint32_t attribute;
        RuleTest test;
        int number;
        double cost;
    } rows[] = {{0, RULE_EQUAL, 3, 3},     {0, RULE_EQUAL, 4, 11},     {0, RULE_EQUAL, 10, 19},
                {0, RULE_GREATER, 2, 3.5}, {0, RULE_GREATER, 5, 11.5}, {2, RULE_EQUAL, 1, 7.5},
                {0, RULE_MORE, 2, 3.375},  {0, RULE_SAME, 2, 3.375}};
    for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_true(tree_ask(&s.questions, rows[k].attribute, rows[k].test, rows[k].number));
        assert_int_equal(s.questions.count, k + 1);
        assert_true(s.questions.list[k].cost == rows[k].cost);
    }
}

/* Of questions that split the items alike, also the other way round, one is kept; those with one answer for
 * all are not. */
static void test_alike(void **state) {
    for (int cheapest = 0; cheapest < 2; cheapest++) {
        Sample s;
        open_sample(&s, *state, cheapest, 2);
        TreeQuestions *q = &s.questions;
        assert_true(tree_ask(q, 1, RULE_EQUAL, 1) && tree_ask(q, 0, RULE_GREATER, 0)); /* for 4 and 3.5 */
        assert_true(q->count == 1 && q->list[0].attribute == (cheapest ? 0 : 1));
        assert_true(tree_ask(q, 0, RULE_EQUAL, 0) && q->count == 1);
        assert_true(q->list[0].cost == (cheapest ? 3 : 4));
        assert_true(tree_ask(q, 0, RULE_GREATER, 50) && tree_ask(q, 1, RULE_MORE, 0) && q->count == 1);
        assert_true(tree_ask(q, 2, RULE_EQUAL, 0) && q->count == 2);
        assert_true(tree_ask(q, 0, RULE_EQUAL, 0) == cheapest); /* full, but this one is known */
        assert_false(tree_ask(q, 2, RULE_EQUAL, 1));
        assert_int_equal(q->count, 2);
    }
}

/* Only the first items need be told apart. */
static void test_apart(void **state) {
    Sample s;
    open_sample(&s, *state, true, 100);
    s.questions.apart = 3;
    assert_true(tree_ask(&s.questions, 0, RULE_GREATER, 2) && s.questions.count == 0);
    assert_true(tree_ask(&s.questions, 0, RULE_GREATER, 1) && s.questions.count == 1);
}

static void test_values(void **state) {
    Sample s;
    open_sample(&s, *state, false, 100);
    assert_true(tree_ask_values(&s.questions, 0, 11) && s.questions.count == 0);
    assert_true(tree_ask_values(&s.questions, 2, 11) && s.questions.count == 3);
    /* each of twelve values, and more than it: not more than the first, which is the opposite, nor the last
     * itself, which is more than the one before, nor more than the last */
    assert_true(tree_ask_values(&s.questions, 0, 12));
    assert_int_equal(s.questions.count, 3 + 12 + 12 - 3);
}

typedef struct Read {
    Decision tree;
    int64_t leaves[DECISION_MAX_NODES];
} Read;

static bool is_attribute(int64_t number) {
    return number >= 20 && number < 24;
}

static bool read_leaf(void *user, int16_t node, Val leaf) {
    ((Read *)user)->leaves[node] = leaf.b;
    return leaf.kind == VAL_PAIR;
}

static int64_t value_of(const void *sample, int64_t attribute, int32_t item) {
    return ((const Sample *)sample)->values[attribute - 20][item];
}

static Val leaf_value(void *owner, int16_t leaf) {
    (void)owner;
    return val_pair32(0, leaf);
}

/* A list of two questions above a fork decides as the rule does that is read from its value. */
static void test_rule(void **state) {
    Sample s;
    Tree tree = {.cost = 0};
    TreeList list = {.asked = {{0, 1, true}, {1, 2, false}}, .n = 2};
    Read read;
    DecisionReader reader = {RULE_CELL_TESTS, is_attribute, read_leaf, &read};
    open_sample(&s, *state, false, 100);
    TreeQuestions *q = &s.questions;
    assert_true(tree_ask(q, 0, RULE_GREATER, 8) && tree_ask(q, 0, RULE_MORE, 2) &&
                tree_ask(q, 0, RULE_EQUAL, 5) && tree_ask(q, 0, RULE_SAME, 3) && q->count == 4);
    tree_close(&tree, &list, tree_add_fork(&tree, 2, 3, 4));
    assert_int_equal(tree.count, 7);
    Val rule = tree_value(&tree, q, leaf_value, NULL);
    assert_true(decision_read(&read.tree, &reader, rule));
    for (uint32_t k = 0; k < ITEMS; k++) {
        int8_t x = s.values[0][k];
        int wanted = x > 8 ? 1 : x <= s.values[2][k] ? 2 : x == 5 ? 3 : 4;
        assert_int_equal(tree_decide(&tree, q, k), wanted);
        assert_int_equal(read.leaves[decision_of(&read.tree, value_of, &s, (int32_t)k)], wanted);
    }
    reader.tests = RULE_TESTS;
    assert_false(decision_read(&read.tree, &reader, rule));
}

static int64_t plane_of(const void *planes, int64_t attribute, int32_t item) {
    return ((const int8_t(*)[ITEMS])planes)[attribute][item];
}

static bool is_feature(int64_t number) {
    return number >= 0 && number < FEATURE_COUNT;
}

/* Asks about the sides, not about the corners between them; and along a run about all of it. */
static void test_among(void **state) {
    static const struct {
        FeatureId first, others[3], beside;
    } rows[] = {
        {FEATURE_ABOVE, {FEATURE_RIGHT, FEATURE_BELOW, FEATURE_LEFT}, FEATURE_ABOVE_RIGHT},
        {FEATURE_ABOVE_RIGHT, {FEATURE_BELOW_RIGHT, FEATURE_BELOW_LEFT, FEATURE_ABOVE_LEFT}, FEATURE_RIGHT},
        {FEATURE_SEEN_UP, {FEATURE_SEEN_RIGHT, FEATURE_SEEN_DOWN, FEATURE_SEEN_LEFT}, FEATURE_ROW_COLOR},
        {FEATURE_SEEN_UP_RIGHT,
         {FEATURE_SEEN_DOWN_RIGHT, FEATURE_SEEN_DOWN_LEFT, FEATURE_SEEN_UP_LEFT},
         FEATURE_MULTICOLOR_RAREST},
    };
    static int8_t planes[FEATURE_COUNT][ITEMS];
    static TreeAttribute attributes[FEATURE_COUNT];
    DecisionReader reader = {RULE_CELL_TESTS, is_feature, read_leaf, NULL};
    for (int16_t f = 0; f < FEATURE_COUNT; f++) {
        attributes[f] = (TreeAttribute){f, false, 1, planes[f]};
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        Sample s;
        Read read;
        Tree tree = {.cost = 0};
        reader.user = &read;
        memset(planes, 0, sizeof planes);
        planes[rows[r].first][0] = planes[rows[r].beside][4] = 7;
        for (int k = 0; k < 3; k++) {
            planes[rows[r].others[k]][k + 1] = 7;
        }
        open_sample(&s, *state, false, 100);
        s.questions.attributes = attributes;
        assert_true(tree_ask_among(&s.questions, rows[r].first, 7) && s.questions.count == 1);
        assert_true(s.questions.list[0].cost == 7); /* as for one direction */
        tree.root = tree_add_fork(&tree, 0, 1, 2);
        assert_true(decision_read(&read.tree, &reader, tree_value(&tree, &s.questions, leaf_value, NULL)));
        for (int32_t k = 0; k < ITEMS; k++) {
            assert_int_equal(tree_decide(&tree, &s.questions, (uint32_t)k), k < 4 ? 1 : 2);
            assert_int_equal(read.leaves[decision_of(&read.tree, plane_of, planes, k)], k < 4 ? 1 : 2);
        }
    }
}

static void test_keep(void **state) {
    (void)state;
    static const double costs[] = {3, 1, 3, 2, 1, 9};
    static const int16_t kept[] = {1, 4, 3};
    Tree trees[3];
    uint32_t count = 0;
    for (int16_t k = 0; k < 6; k++) {
        Tree tree = {.cost = costs[k]};
        tree.root = tree_add_leaf(&tree, k);
        tree_keep(trees, &count, 3, &tree);
        tree_keep(NULL, &(uint32_t){0}, 0, &tree);
    }
    assert_int_equal(count, 3);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(trees[k].nodes[0].leaf, kept[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits),   cmocka_unit_test(test_prices),
                                       cmocka_unit_test(test_alike),  cmocka_unit_test(test_apart),
                                       cmocka_unit_test(test_values), cmocka_unit_test(test_rule),
                                       cmocka_unit_test(test_keep),   cmocka_unit_test(test_among)};
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}

/* Questions about attributes: their answers item by item, and of those that split the items alike one. */
#include "base/rng.h"
#include "search/learning/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_ITEMS = 200, ATTRIBUTES = 5, MAX_QUESTIONS = 300 };

static bool says(const TreeQuestions *q, unsigned attribute, unsigned test, int number, uint32_t item) {
    int x = q->attributes[attribute].values[item];
    return test == RULE_GREATER ? x > number
           : test == RULE_EQUAL ? x == number
                                : x == q->attributes[number].values[item];
}

/* Whether a question says the same as another for all items, or the opposite. */
static bool alike(const TreeQuestions *q, const TreeQuestion *a, unsigned attribute, unsigned test,
                  int number) {
    uint32_t same = 0;
    for (uint32_t k = 0; k < q->n; k++) {
        same += bits_has(a->yes, k) == says(q, attribute, test, number, k);
    }
    return same == 0 || same == q->n;
}

static bool splits(const TreeQuestions *q, unsigned attribute, unsigned test, int number) {
    uint32_t yes = 0;
    for (uint32_t k = 0; k < q->n; k++) {
        yes += says(q, attribute, test, number, k);
    }
    return yes > 0 && yes < q->n;
}

/* Asks, and looks whether the new question is the plain one; it is new unless one like it is known. */
static void ask(TreeQuestions *q, unsigned attribute, RuleTest test, int number) {
    bool new = splits(q, attribute, test, number);
    uint32_t before = q->count;
    for (uint32_t k = 0; k < q->count && new; k++) {
        new = !alike(q, &q->list[k], attribute, test, number);
    }
    assert_true(tree_ask(q, attribute, test, number));
    assert_int_equal(q->count, before + new);
    for (uint32_t k = 0; k < q->n && new; k++) {
        assert_int_equal(bits_has(q->list[before].yes, k), says(q, attribute, test, number, k));
    }
    if (new) {
        assert_true((q->list[before].yes[q->words - 1] & ~bits_below(q->n, q->words - 1)) == 0);
    }
}

static void test_answers(void **state) {
    (void)state;
    Budget budget = {.steps = 1000000, .bytes = 1 << 20, .depth = 10};
    Ctx ctx;
    Rng rng = {3};
    assert_true(ctx_open(&ctx, &budget));
    for (unsigned round = 0; round < 200; round++) {
        int8_t values[ATTRIBUTES][MAX_ITEMS];
        TreeAttribute attributes[ATTRIBUTES];
        Search search = {.ctx = &ctx};
        uint32_t n = 2 + rng_below(&rng, MAX_ITEMS - 2), wide = round % 3 == 0 ? 256 : 4;
        for (unsigned a = 0; a < ATTRIBUTES; a++) {
            attributes[a] = (TreeAttribute){.number = (int16_t)a, .counts = true, .values = values[a]};
            for (uint32_t k = 0; k < n; k++) {
                int value = (int)rng_below(&rng, wide) - (wide == 256 ? 128 : 1);
                values[a][k] = (int8_t)(a == 4 ? values[0][k] / 2 : value);
            }
        }
        TreeQuestions q = {.search = &search,
                           .attributes = attributes,
                           .n = n,
                           .words = n / 64 + 1,
                           .apart = n,
                           .max = MAX_QUESTIONS};
        ctx_reset(&ctx);
        assert_true(tree_questions_open(&q));
        for (unsigned k = 0; k < 100; k++) {
            unsigned attribute = rng_below(&rng, ATTRIBUTES);
            int number = wide == 256 ? (int)rng_below(&rng, 255) - 128 : (int)rng_below(&rng, 5) - 1;
            ask(&q, attribute, rng_below(&rng, 2) ? RULE_EQUAL : RULE_GREATER, number);
            ask(&q, attribute, RULE_SAME, (int)rng_below(&rng, ATTRIBUTES));
        }
        assert_true(q.count > 0);
    }
    ctx_close(&ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

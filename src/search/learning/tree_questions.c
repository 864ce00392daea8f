/* Questions that trees are made of; see tree.h. Of those with the same answers for all items, those of the
 * tests too, one is kept. */
#include "search/learning/tree.h"

#include <string.h>

bool tree_questions_open(TreeQuestions *q) {
    q->count = 0;
    q->list = ctx_alloc(q->search->ctx, q->max * sizeof *q->list);
    q->asked = ctx_alloc(q->search->ctx, q->words * sizeof *q->asked);
    return q->list != NULL && q->asked != NULL;
}

/* The question that splits the items like the one asked, or the other way round; NULL: there is none. */
static TreeQuestion *find_alike(const TreeQuestions *q) {
    for (uint32_t k = 0; k < q->count; k++) {
        const uint64_t *yes = q->list[k].yes;
        bool same = true, opposite = true;
        for (uint32_t w = 0; w < q->words && (same || opposite); w++) {
            uint64_t differ = yes[w] ^ q->asked[w];
            same &= differ == 0;
            opposite &= differ == bits_below(q->n, w);
        }
        if (same || opposite) {
            return &q->list[k];
        }
    }
    return NULL;
}

/* Whether the answer is the same for all items that it should tell apart. */
static bool tells_nothing(const TreeQuestions *q) {
    bool all = true, none = true;
    for (uint32_t w = 0; w <= q->apart / 64 && w < q->words && (all || none); w++) {
        uint64_t items = bits_below(q->apart, w);
        none &= (q->asked[w] & items) == 0;
        all &= (~q->asked[w] & items) == 0;
    }
    return all || none;
}

bool tree_ask_further(TreeQuestions *q, TreeQuestion question) {
    if (tells_nothing(q)) {
        return true;
    }
    TreeQuestion *alike = find_alike(q);
    if (alike == NULL || (q->cheapest && question.cost < alike->cost)) {
        question.yes = ctx_alloc(q->search->ctx, q->words * sizeof *question.yes);
        if (question.yes == NULL || (alike == NULL && q->count == q->max)) {
            return false;
        }
        memcpy(question.yes, q->asked, q->words * sizeof *question.yes);
        *(alike == NULL ? &q->list[q->count++] : alike) = question;
    }
    uint64_t steps = q->asked_steps + (alike == NULL ? q->kept_steps : 0);
    return steps == 0 || search_spend(q->search, steps);
}

static double price(const TreeQuestions *q, uint32_t attribute, RuleTest test, int number) {
    const TreePrices *prices = &q->prices;
    double cost = prices->question + q->attributes[attribute].cost;
    if (decision_compares(test)) {
        return cost + q->attributes[number].cost * prices->same_scale;
    }
    cost += !q->attributes[attribute].counts ? prices->color
            : number > 9                     ? prices->larger
            : number > 3                     ? prices->large
                                             : 0;
    return cost + (decision_exceeds(test) ? prices->greater : 0);
}

bool tree_ask(TreeQuestions *q, uint32_t attribute, RuleTest test, int number) {
    const int8_t *x = q->attributes[attribute].values;
    const int8_t *y = decision_compares(test) ? q->attributes[number].values : NULL;
    bool exceeds = decision_exceeds(test);
    if (q->count == q->max && !q->cheapest) {
        return false;
    }
    memset(q->asked, 0, q->words * sizeof *q->asked);
    for (uint32_t k = 0; k < q->n; k++) {
        int than = y != NULL ? y[k] : number;
        q->asked[k / 64] |= (uint64_t)(exceeds ? x[k] > than : x[k] == than) << k % 64;
    }
    return tree_ask_further(q, (TreeQuestion){.attribute = (uint16_t)attribute,
                                              .test = (uint8_t)test,
                                              .number = (int16_t)number,
                                              .cost = price(q, attribute, test, number)});
}

bool tree_ask_among(TreeQuestions *q, uint32_t first, int number) {
    if (q->count == q->max && !q->cheapest) {
        return false;
    }
    memset(q->asked, 0, q->words * sizeof *q->asked);
    for (int d = 0; d < AMONG_DIRECTIONS; d++) {
        const int8_t *x = q->attributes[feature_in_direction(first, d)].values;
        for (uint32_t k = 0; k < q->n; k++) {
            q->asked[k / 64] |= (uint64_t)(x[k] == number) << k % 64;
        }
    }
    return tree_ask_further(q, (TreeQuestion){.attribute = (uint16_t)first,
                                              .test = RULE_AMONG,
                                              .number = (int16_t)number,
                                              .cost = price(q, first, RULE_EQUAL, number)});
}

bool tree_ask_values(TreeQuestions *q, uint32_t attribute, uint32_t max) {
    const TreeAttribute *a = &q->attributes[attribute];
    bool seen[256] = {false};
    uint32_t distinct = 0;
    for (uint32_t k = 0; k < q->n; k++) {
        distinct += !seen[(uint8_t)a->values[k]];
        seen[(uint8_t)a->values[k]] = true;
    }
    for (int number = -1; number < INT8_MAX && distinct <= max; number++) {
        if (seen[(uint8_t)number] && (!tree_ask(q, attribute, RULE_EQUAL, number) ||
                                      (a->counts && !tree_ask(q, attribute, RULE_GREATER, number)))) {
            return false;
        }
    }
    return true;
}

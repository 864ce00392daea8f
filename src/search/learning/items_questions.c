/* Questions about items; see items.h. Of questions with the same answers for all items, those of the tests
 * too, the cheapest is kept. */
#include "base/check.h"
#include "search/learning/items.h"

#include <string.h>

/* The question that divides the items alike; NULL: there is none. */
static ItemQuestion *same_question(const Items *items, const uint64_t *yes) {
    uint64_t tail = items->n % 64 ? ((uint64_t)1 << items->n % 64) - 1 : ~(uint64_t)0;
    for (uint32_t k = 0; k < items->n_questions; k++) {
        bool same = true, opposite = true;
        for (uint32_t w = 0; w < items->words && (same || opposite); w++) {
            uint64_t other = items->questions[k].yes[w];
            same &= other == yes[w];
            opposite &= other == (~yes[w] & (w + 1 == items->words ? tail : ~(uint64_t)0));
        }
        if (same || opposite) {
            return &items->questions[k];
        }
    }
    return NULL;
}

static uint32_t count_trained(const Items *items, const uint64_t *yes) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < items->n_train; k++) {
        n += items_in(yes, k);
    }
    return n;
}

bool items_ask(Items *items, ItemQuestion asked) {
    uint32_t n = count_trained(items, asked.yes);
    if (n == 0 || n == items->n_train) {
        return true;
    }
    ItemQuestion *same = same_question(items, asked.yes);
    if (same == NULL || asked.cost < same->cost) {
        uint64_t *yes = ctx_alloc(items->search->ctx, items->words * sizeof *yes);
        if (yes == NULL || (same == NULL && items->n_questions == ITEMS_MAX_QUESTIONS)) {
            return false;
        }
        memcpy(yes, asked.yes, items->words * sizeof *yes);
        asked.yes = yes;
        *(same == NULL ? &items->questions[items->n_questions++] : same) = asked; /* or its opposite */
    }
    return search_spend(items->search, 1 + items->n / 16);
}

static double question_cost(const Items *items, uint32_t attribute, RuleTest test, int number) {
    const ItemAttribute *a = &items->attributes[attribute];
    double cost = items->question_cost + a->cost + (test == RULE_GREATER ? 0.5 : 0);
    return cost + (test == RULE_SAME ? items->attributes[number].cost / 2
                   : !a->counts      ? 1
                   : number > 3      ? (number > 9 ? 2.5 : 1)
                                     : 0);
}

static bool ask(Items *items, uint32_t attribute, RuleTest test, int number) {
    uint64_t *yes = items->asked;
    const int8_t *x = items->attributes[attribute].values;
    const int8_t *y = test == RULE_SAME ? items->attributes[number].values : NULL;
    memset(yes, 0, items->words * sizeof *yes);
    for (uint32_t k = 0; k < items->n; k++) {
        int than = y != NULL ? y[k] : number;
        bool says = test == RULE_GREATER ? x[k] > than : x[k] == than;
        yes[k / 64] |= (uint64_t)says << k % 64;
    }
    return items_ask(items, (ItemQuestion){(uint16_t)attribute, (uint8_t)test, (int16_t)number,
                                           question_cost(items, attribute, test, number), yes});
}

static bool ask_numbers(Items *items, uint32_t attribute) {
    bool seen[256] = {false};
    const ItemAttribute *a = &items->attributes[attribute];
    for (uint32_t k = 0; k < items->n; k++) {
        seen[(uint8_t)a->values[k]] = true;
    }
    for (int number = -1; number < 127; number++) {
        if (seen[(uint8_t)number] && (!ask(items, attribute, RULE_EQUAL, number) ||
                                      (a->counts && !ask(items, attribute, RULE_GREATER, number)))) {
            return false;
        }
    }
    return true;
}

bool items_make_questions(Items *items) {
    enum { ALIKE_AT = 3, HALVES = 2 }; /* costs are multiples of a half */
    items->questions = ctx_alloc(items->search->ctx, ITEMS_MAX_QUESTIONS * sizeof *items->questions);
    items->asked = ctx_alloc(items->search->ctx, items->words * sizeof *items->asked);
    items->n_questions = 0;
    if (items->questions == NULL || items->asked == NULL) {
        return false;
    }
    double max = 0;
    for (uint32_t a = 0; a < items->n_attributes; a++) {
        max = items->attributes[a].cost > max ? items->attributes[a].cost : max;
    }
    bool go_on = true;
    uint32_t asked = 0;
    for (int halves = 1; halves <= HALVES * max && go_on; halves++) { /* of equal ones the cheapest is kept */
        for (uint32_t a = 0; a < items->n_attributes && go_on; a++) {
            bool now = items->attributes[a].cost * HALVES == halves;
            asked += now;
            go_on = !now || ask_numbers(items, a);
        }
        for (uint32_t k = 0; k < items->n_alike && go_on && halves == HALVES * ALIKE_AT; k++) {
            go_on = ask(items, items->alike[k].a, RULE_SAME, items->alike[k].b);
        }
    }
    ASSERT(!go_on || asked == items->n_attributes, "%u of %u attributes have a cost of whole halves", asked,
           items->n_attributes);
    return !items->search->slice_over;
}

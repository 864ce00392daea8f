/* Questions that trees are made of; see tree.h. Of those with the same answers for all items, those of the
 * tests too, one is kept. */
#include "base/mix.h"
#include "search/learning/tree.h"

#include <endian.h>
#include <string.h>

bool tree_questions_open(TreeQuestions *q) {
    Ctx *ctx = q->search->ctx;
    ASSERT(q->max < UINT16_MAX, "%u questions", q->max);
    for (q->n_slots = 64; q->n_slots < 2 * q->max; q->n_slots *= 2) {
    }
    q->count = 0;
    q->list = ctx_alloc(ctx, q->max * sizeof *q->list);
    q->asked = ctx_alloc(ctx, q->words * sizeof *q->asked);
    q->hashes = ctx_alloc(ctx, q->max * sizeof *q->hashes);
    q->slots = ctx_alloc(ctx, q->n_slots * sizeof *q->slots);
    if (q->list == NULL || q->asked == NULL || q->hashes == NULL || q->slots == NULL) {
        return false;
    }
    memset(q->slots, 0, q->n_slots * sizeof *q->slots);
    return true;
}

/* The same for a question and its opposite: of the two, what does not hold for the first item. */
static uint64_t hash_asked(const TreeQuestions *q) {
    uint64_t flip = -(q->asked[0] & 1), hash = 0;
    for (uint32_t w = 0; w < q->words; w++) {
        hash = mix64(hash, (q->asked[w] ^ flip) & bits_below(q->n, w));
    }
    return hash;
}

static bool is_alike(const TreeQuestions *q, const uint64_t *yes) {
    uint64_t flip = -((q->asked[0] ^ yes[0]) & 1), differ = 0;
    for (uint32_t w = 0; w < q->words; w++) {
        differ |= (yes[w] ^ q->asked[w] ^ flip) & bits_below(q->n, w);
    }
    return differ == 0;
}

/* The question that splits the items like the one asked, or the other way round; NULL: there is none, and
 * `slot` is where it belongs. */
static TreeQuestion *find_alike(const TreeQuestions *q, uint64_t hash, uint32_t *slot) {
    uint32_t at = (uint32_t)hash & (q->n_slots - 1);
    for (; q->slots[at] != 0; at = (at + 1) & (q->n_slots - 1)) {
        uint32_t k = q->slots[at] - 1u;
        if (q->hashes[k] == hash && is_alike(q, q->list[k].yes)) {
            return &q->list[k];
        }
    }
    *slot = at;
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
    uint32_t slot = 0;
    uint64_t hash = hash_asked(q);
    TreeQuestion *alike = find_alike(q, hash, &slot);
    if (alike == NULL || (q->cheapest && question.cost < alike->cost)) {
        question.yes = ctx_alloc(q->search->ctx, q->words * sizeof *question.yes);
        if (question.yes == NULL || (alike == NULL && q->count == q->max)) {
            return false;
        }
        memcpy(question.yes, q->asked, q->words * sizeof *question.yes);
        if (alike == NULL) {
            q->hashes[q->count] = hash;
            q->slots[slot] = (uint16_t)(q->count + 1);
        }
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

/* Eight items at a time: a bit for each byte that is not `number`, or not more than it. */
static uint64_t other_bytes(uint64_t x, int8_t number, bool exceeds) {
    const uint64_t ones = 0x0101010101010101u, high = ones << 7;
    if (!exceeds) {
        x ^= ones * (uint8_t)number;
        return (((x & ~high) + ~high) | x) & high;
    }
    /* more by one than `number`, both from 0: the high bit of a difference is lost if x is less */
    uint64_t a = x ^ high, b = ones * (uint8_t)((number ^ INT8_MIN) + 1);
    uint64_t low = (a | high) - (b & ~high);
    return ~((a & ~b) | (~(a ^ b) & low)) & high;
}

/* Notes for which items an attribute is, or exceeds, a number below 127. */
static void answer_alone(TreeQuestions *q, const int8_t *x, int8_t number, bool exceeds) {
    const uint64_t side_by_side = 0x0102040810204080u;
    ASSERT(number < INT8_MAX, "%d is asked for", number);
    for (uint32_t k = 0; k < q->n; k += 8) {
        uint64_t eight = 0;
        uint32_t some = q->n - k < 8 ? q->n - k : 8;
        if (some == 8) { /* a length that the compiler knows */
            memcpy(&eight, x + k, 8);
        } else {
            memcpy(&eight, x + k, some);
        }
        uint64_t others = other_bytes(le64toh(eight), number, exceeds) >> 7;
        uint64_t bits = ~(others * side_by_side >> 56) & ((1u << some) - 1);
        q->asked[k / 64] |= bits << k % 64;
    }
}

bool tree_ask(TreeQuestions *q, uint32_t attribute, RuleTest test, int number) {
    const int8_t *x = q->attributes[attribute].values;
    const int8_t *y = decision_compares(test) ? q->attributes[number].values : NULL;
    bool exceeds = decision_exceeds(test);
    if (q->count == q->max && !q->cheapest) {
        return false;
    }
    memset(q->asked, 0, q->words * sizeof *q->asked);
    if (y == NULL) {
        answer_alone(q, x, (int8_t)number, exceeds);
    } else {
        for (uint32_t k = 0; k < q->n; k++) {
            q->asked[k / 64] |= (uint64_t)(exceeds ? x[k] > y[k] : x[k] == y[k]) << k % 64;
        }
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
        answer_alone(q, q->attributes[feature_in_direction(first, d)].values, (int8_t)number, false);
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

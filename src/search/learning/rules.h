/* Rules over cells, batched: given many sets of cells, the cheapest rule for each.
 *
 * A table has questions and leaves as bit sets over cells. A rule is a leaf that is right on all of a set, or
 * a question with a leaf right on each of its sides (`rules`), or a question with such a rule on each side
 * (`trees`). A set is what a literal, one side of a question, leaves of a given set. So asking `rules` about
 * both sides of every question looks at all pairs of questions, complete trees of depth two, and `trees`
 * likewise at all triples.
 *
 * The answer is the smallest key: cost << 16 | which question + 1, 0 for a leaf alone; of equal costs the
 * first. Costs are integers, in RULES_UNIT of a bit. */
#ifndef BATT_SEARCH_LEARNING_RULES_H
#define BATT_SEARCH_LEARNING_RULES_H

#include "backends/devices/backend.h"

enum { RULES_UNIT = 1024, RULES_MAX_TESTS = 0xfff0, RULES_MAX_LEAVES = 128 };
#define RULES_NONE UINT64_MAX
#define RULES_WHOLE UINT32_MAX /* the literal that leaves everything */

typedef struct RulesTable {
    uint32_t tests, leaves, words, cells;
    uint64_t *yes, *right; /* by test or leaf, `words` words each: cells it says yes to, or is right on */
    uint64_t *leaves_at;   /* by cell, two words: the leaves that are right there */
    uint32_t *test_cost, *leaf_cost; /* leaves by ascending cost */
    uint64_t *answers; /* by cell, test_words words: the tests that say yes; rules_index_table */
    uint32_t test_words;
    BackendBlock block; /* all but the answers, which devices do not need */
} RulesTable;

/* Lays a table out in rules_table_bytes() bytes, aligned to 8; its arrays are the caller's to fill. */
size_t rules_table_bytes(uint32_t tests, uint32_t leaves, uint32_t words, uint32_t cells);
void rules_table_lay(RulesTable *table, void *memory, uint32_t tests, uint32_t leaves, uint32_t words,
                     uint32_t cells);
/* Fills in the answers by cell; after `yes`. */
void rules_index_table(RulesTable *table);

typedef struct RulesAsk {
    RulesTable *table;
    uint64_t *args; /* rules_ask_bytes: the given set, `words` words, then the literals, uint32_t each */
    uint64_t *best; /* by literal: the answer */
    uint32_t count; /* of literals: test << 1, + 1 for its "no" side; RULES_WHOLE */
    bool leaf;      /* a leaf alone counts, too */
    bool trees;     /* of at most three questions; then a leaf alone counts */
} RulesAsk;

size_t rules_ask_bytes(const RulesTable *table, uint32_t count);
uint32_t *rules_ask_literals(const RulesAsk *ask);
/* False: see backend_run. `waited` (may be NULL) grows by the nanoseconds that passed without the caller's
 * work. */
bool rules_ask(Backend *backend, Ctx *ctx, const RulesAsk *ask, uint64_t *waited);
void rules_job(const RulesAsk *ask,
               BackendJob *job); /* the job alone; of more than 512 words without `room` */

/* A few cells of a set, chosen so that they want different leaves. If a question puts some of them on the
 * same side and no leaf is right for all of those, the whole set need not be looked at; this is nearly always
 * the case. */
enum { RULES_WITNESSES = 24, RULES_MAX_WITNESSES = 32 }; /* at first, and with those called later */
typedef struct RulesWitnesses {
    uint32_t cell[RULES_MAX_WITNESSES], count;
    unsigned __int128 leaves[RULES_MAX_WITNESSES];
} RulesWitnesses;
void rules_witnesses(const RulesTable *table, const uint64_t *set, RulesWitnesses *found);
/* Whether leaves can be right on at least one side of a question, or on `both`, as far as the witnesses tell.
 */
bool rules_sides_left(const RulesTable *table, const RulesWitnesses *of, uint32_t test, bool both);

/* One set, here and now. */
uint64_t rules_best(const RulesTable *table, const uint64_t *set, bool leaf);
/* The cheapest leaf that is right on all of the set; -1: none is. */
int rules_leaf(const RulesTable *table, const uint64_t *set);

#endif

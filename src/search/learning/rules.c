/* Rules over cells on the CPU, and as batched operations; see rules.h. */
#include "search/learning/rules.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/check.h"

typedef unsigned __int128 LeafSet;

/* What witnesses leave over are the only leaves to be tried on the whole of a set. */

enum { ON_STACK = 512 }; /* words of sets */

/* What devices need; then the answers by cell. A whole number of words, so that these are aligned. */
static size_t block_bytes(uint32_t tests, uint32_t leaves, uint32_t words, uint32_t cells) {
    size_t costs = ((size_t)tests + leaves + 1) / 2;
    return 8 * (((size_t)tests + leaves) * words + 2 * (size_t)cells + costs);
}

/* Answers are made for 64 cells and 64 tests at a time. */
static size_t answers_bytes(uint32_t tests, uint32_t words) {
    return 8 * (size_t)words * 64 * (tests / 64 + 1);
}

size_t rules_table_bytes(uint32_t tests, uint32_t leaves, uint32_t words, uint32_t cells) {
    return block_bytes(tests, leaves, words, cells) + answers_bytes(tests, words);
}

void rules_table_lay(RulesTable *t, void *memory, uint32_t tests, uint32_t leaves, uint32_t words,
                     uint32_t cells) {
    ASSERT(tests <= RULES_MAX_TESTS && leaves <= RULES_MAX_LEAVES, "%u questions, %u leaves", tests, leaves);
    *t = (RulesTable){.tests = tests, .leaves = leaves, .words = words, .cells = cells};
    t->yes = memory;
    t->right = t->yes + (size_t)tests * words;
    t->leaves_at = t->right + (size_t)leaves * words;
    t->test_cost = (uint32_t *)(t->leaves_at + 2 * (size_t)cells);
    t->leaf_cost = t->test_cost + tests;
    t->block = (BackendBlock){.bytes = memory, .size = block_bytes(tests, leaves, words, cells)};
    t->answers = (uint64_t *)((char *)memory + t->block.size);
    t->test_words = tests / 64 + 1;
}

/* Swaps rows and columns of 64 x 64 bits, in halves of halves. */
static void transpose(uint64_t rows[64]) {
    uint64_t low = 0xffffffff;
    for (unsigned half = 32; half > 0; half /= 2, low ^= low << half) {
        for (unsigned k = 0; k < 64; k = (k + half + 1) & ~half) {
            uint64_t differs = (rows[k] >> half ^ rows[k + half]) & low;
            rows[k] ^= differs << half;
            rows[k + half] ^= differs;
        }
    }
}

void rules_index_table(RulesTable *t) {
    uint64_t square[64];
    for (uint32_t x = 0; x < t->test_words; x++) {
        uint32_t n = t->tests - x * 64 < 64 ? t->tests - x * 64 : 64;
        for (uint32_t w = 0; w < t->words; w++) {
            for (uint32_t k = 0; k < 64; k++) {
                square[k] = k < n ? t->yes[(size_t)(x * 64 + k) * t->words + w] : 0;
            }
            transpose(square);
            for (uint32_t k = 0; k < 64; k++) {
                t->answers[(size_t)(w * 64 + k) * t->test_words + x] = square[k];
            }
        }
    }
}

/* ---- witnesses ---- */

static LeafSet leaves_at(const RulesTable *t, uint32_t cell) {
    return (LeafSet)t->leaves_at[2 * cell + 1] << 64 | t->leaves_at[2 * cell];
}

static LeafSet all_leaves(const RulesTable *t) {
    return t->leaves >= 128 ? ~(LeafSet)0 : ((LeafSet)1 << t->leaves) - 1;
}

static void call_witness(const RulesTable *t, RulesWitnesses *from, uint32_t cell) {
    enum { MAX_ALIKE = 4 };
    unsigned alike = 0;
    LeafSet leaves = leaves_at(t, cell);
    for (uint32_t k = 0; k < from->count; k++) {
        alike += from->leaves[k] == leaves;
    }
    if (alike < MAX_ALIKE) {
        from->cell[from->count] = cell;
        from->leaves[from->count++] = leaves;
    }
}

void rules_witnesses(const RulesTable *t, const uint64_t *set, RulesWitnesses *found) {
    enum { A_WORD = 3 };
    found->count = 0;
    for (uint32_t w = 0; w < t->words; w++) {
        uint64_t rest = set[w];
        for (unsigned k = 0; k < A_WORD && rest != 0 && found->count < RULES_WITNESSES;
             k++, rest &= rest - 1) {
            call_witness(t, found, w * 64 + (uint32_t)__builtin_ctzll(rest));
        }
    }
}

/* ---- leaves ---- */

enum { NO_CELL = UINT32_MAX };

/* The first cell of a set on one side of a question for which a leaf is wrong, or NO_CELL; `flip` is all bits
 * for the side of "no". */
static inline uint32_t first_wrong(const RulesTable *t, const uint64_t *set, const uint64_t *yes,
                                   uint64_t flip, unsigned leaf) {
    const uint64_t *right = t->right + (size_t)leaf * t->words;
    for (uint32_t w = 0; w < t->words; w++) {
        uint64_t wrong = set[w] & (yes[w] ^ flip) & ~right[w];
        if (wrong != 0) {
            return w * 64 + (uint32_t)__builtin_ctzll(wrong);
        }
    }
    return NO_CELL;
}

/* The cheapest of some leaves that is right on that side; -1: none, and `wrong` is a cell against the
 * cheapest of them. */
static inline int best_leaf(const RulesTable *t, const uint64_t *set, const uint64_t *yes, uint64_t flip,
                            LeafSet among, uint32_t *wrong) {
    uint32_t first = NO_CELL;
    for (; among != 0; among &= among - 1) {
        unsigned leaf = (uint64_t)among != 0 ? (unsigned)__builtin_ctzll((uint64_t)among)
                                             : 64 + (unsigned)__builtin_ctzll((uint64_t)(among >> 64));
        uint32_t cell = first_wrong(t, set, yes, flip, leaf);
        if (cell == NO_CELL) {
            return (int)leaf;
        }
        first = first == NO_CELL ? cell : first;
    }
    *wrong = first;
    return -1;
}

static int leaf_alone(const RulesTable *t, const uint64_t *set, const RulesWitnesses *known) {
    LeafSet left = all_leaves(t);
    uint32_t wrong;
    for (uint32_t k = 0; k < known->count; k++) {
        left &= known->leaves[k];
    }
    /* the set stands in for a question */
    return known->count > 0 ? best_leaf(t, set, set, 0, left, &wrong) : -1;
}

/* The cheapest leaf that is right on all of the set; -1: none. */
int rules_leaf(const RulesTable *t, const uint64_t *set) {
    RulesWitnesses known;
    rules_witnesses(t, set, &known);
    return leaf_alone(t, set, &known);
}

/* ---- questions ---- */

/* What the witnesses leave over on the sides of a question; false: nothing on one of them, or unless `both`
 * are needed nothing on either. */
static inline bool sides_left(const RulesTable *t, const RulesWitnesses *of, const uint64_t *says_yes,
                              bool both, LeafSet *yes, LeafSet *no) {
    LeafSet y = all_leaves(t), n = y;
    for (uint32_t k = 0; k < of->count; k++) {
        /* all bits if the answer is yes, else none */
        LeafSet says = -(LeafSet)bits_has(says_yes, of->cell[k]);
        y &= of->leaves[k] | ~says;
        n &= of->leaves[k] | says;
        if (both ? y == 0 || n == 0 : (y | n) == 0) {
            return false;
        }
    }
    *yes = y;
    *no = n;
    return true;
}

bool rules_sides_left(const RulesTable *t, const RulesWitnesses *of, uint32_t test, bool both) {
    LeafSet yes, no;
    return sides_left(t, of, t->yes + (size_t)test * t->words, both, &yes, &no);
}

/* Witnesses without a common leaf, which a question has to put on different sides. If that can be done at
 * all, the pairs of a spanning forest imply the others. */
typedef struct Clashes {
    const uint64_t *a[RULES_MAX_WITNESSES], *b[RULES_MAX_WITNESSES]; /* their answers to all tests */
    uint32_t count;
} Clashes;

/* False: no question can put all of them on different sides. */
static bool find_clashes(const RulesTable *t, const RulesWitnesses *of, Clashes *found) {
    uint32_t against[RULES_MAX_WITNESSES] = {0}, sides[2] = {0, 0}, queue[RULES_MAX_WITNESSES];
    const uint64_t *answers[RULES_MAX_WITNESSES];
    for (uint32_t x = 0; x < of->count; x++) {
        answers[x] = t->answers + (size_t)of->cell[x] * t->test_words;
        for (uint32_t y = 0; y < x; y++) {
            uint32_t clash = (of->leaves[x] & of->leaves[y]) == 0;
            against[x] |= clash << y;
            against[y] |= clash << x;
        }
    }
    found->count = 0;
    for (uint32_t first = 0; first < of->count; first++) {
        uint32_t head = 0, tail = 0;
        if (((sides[0] | sides[1]) >> first & 1) == 0) {
            sides[0] |= 1u << first;
            queue[tail++] = first;
        }
        for (; head < tail; head++) {
            uint32_t x = queue[head], side = sides[1] >> x & 1;
            if (against[x] & sides[side]) {
                return false;
            }
            for (uint32_t new = against[x] & ~sides[!side]; new != 0; new &= new - 1) {
                uint32_t y = (uint32_t)__builtin_ctz(new);
                found->a[found->count] = answers[x];
                found->b[found->count++] = answers[y];
                queue[tail++] = y;
            }
            sides[!side] |= against[x];
        }
    }
    return true;
}

/* Of 64 tests those that put clashing witnesses on different sides. */
static inline uint64_t apart(const Clashes *clashes, uint32_t word) {
    uint64_t tests = ~(uint64_t)0;
    for (uint32_t k = 0; k < clashes->count && tests != 0; k++) {
        tests &= clashes->a[k][word] ^ clashes->b[k][word];
    }
    return tests;
}

/* The key of a question with a leaf on each side; RULES_NONE: there is none, or not below `best`. If the
 * witnesses did not tell, `wrong` is a cell that would have. */
static uint64_t key_with(const RulesTable *t, const uint64_t *set, const RulesWitnesses *known, uint32_t test,
                         uint64_t best, uint32_t *wrong) {
    const uint64_t *yes = t->yes + (size_t)test * t->words;
    uint64_t cost = t->test_cost[test], any_yes = 0, any_no = 0;
    LeafSet on_yes, on_no;
    if ((cost << 16 | (test + 1)) >= best || !sides_left(t, known, yes, true, &on_yes, &on_no)) {
        return RULES_NONE;
    }
    for (uint32_t w = 0; w < t->words; w++) {
        any_yes |= set[w] & yes[w];
        any_no |= set[w] & ~yes[w];
    }
    int a = any_yes != 0 && any_no != 0 ? best_leaf(t, set, yes, 0, on_yes, wrong) : -1;
    int b = a >= 0 ? best_leaf(t, set, yes, ~(uint64_t)0, on_no, wrong) : -1;
    return b >= 0 ? (cost + t->leaf_cost[a] + t->leaf_cost[b]) << 16 | (test + 1) : RULES_NONE;
}

/* The least key below `bound`, or RULES_NONE. */
static uint64_t best_below(const RulesTable *t, const uint64_t *set, bool leaf, uint64_t bound) {
    RulesWitnesses known;
    uint64_t best = bound;
    rules_witnesses(t, set, &known);
    if (leaf) {
        int alone = leaf_alone(t, set, &known);
        uint64_t key = alone >= 0 ? (uint64_t)t->leaf_cost[alone] << 16 : RULES_NONE;
        best = key < best ? key : best;
    }
    Clashes clashes;
    if (!find_clashes(t, &known, &clashes)) {
        return best < bound ? best : RULES_NONE;
    }
    for (uint32_t x = 0; x < t->test_words; x++) {
        uint64_t left = apart(&clashes, x) & bits_below(t->tests, x);
        while (left != 0) {
            uint32_t k = x * 64 + (uint32_t)__builtin_ctzll(left), wrong = NO_CELL;
            uint64_t key = key_with(t, set, &known, k, best, &wrong);
            best = key < best ? key : best;
            left &= left - 1;
            if (wrong != NO_CELL && known.count < RULES_MAX_WITNESSES) {
                known.cell[known.count] = wrong;
                known.leaves[known.count++] = leaves_at(t, wrong);
                if (!find_clashes(t, &known, &clashes)) {
                    return best < bound ? best : RULES_NONE;
                }
                left &= apart(&clashes, x);
            }
        }
    }
    return best < bound ? best : RULES_NONE;
}

uint64_t rules_best(const RulesTable *t, const uint64_t *set, bool leaf) {
    return best_below(t, set, leaf, RULES_NONE);
}

/* The least key of trees; sets are in `room`, two of them. */
static uint64_t best_tree(const RulesTable *t, const uint64_t *set, uint64_t *room) {
    uint64_t *yes = room, *no = room + t->words, best = RULES_NONE;
    int alone = rules_leaf(t, set);
    best = alone >= 0 ? (uint64_t)t->leaf_cost[alone] << 16 : best;
    for (uint32_t k = 0; k < t->tests; k++) {
        uint64_t cost = t->test_cost[k];
        if ((cost << 16 | (k + 1)) >= best ||
            !bits_split(set, t->yes + (size_t)k * t->words, t->words, yes, no)) {
            continue;
        }
        /* what a side may cost at most, and still be of use */
        uint64_t bound = best == RULES_NONE ? RULES_NONE : ((best >> 16) - cost + 1) << 16;
        uint64_t a = best_below(t, yes, true, bound);
        uint64_t b = a != RULES_NONE ? best_below(t, no, true, bound) : RULES_NONE;
        if (b != RULES_NONE) {
            uint64_t key = (cost + (a >> 16) + (b >> 16)) << 16 | (k + 1);
            best = key < best ? key : best;
        }
    }
    return best;
}

/* ---- as operations ---- */

enum { TESTS, LEAVES, WORDS, CELLS, ITEMS, LEAF };

static void run_cpu(const BackendJob *job, bool trees) {
    RulesTable t;
    const uint64_t *base = job->args;
    const uint32_t *literals = (const uint32_t *)(base + job->numbers[WORDS]);
    uint64_t stack[3 * ON_STACK], *room, *best = job->result;
    rules_table_lay(&t, (void *)(uintptr_t)job->blocks[0]->bytes, job->numbers[TESTS], job->numbers[LEAVES],
                    job->numbers[WORDS], job->numbers[CELLS]);
    room = t.words > ON_STACK ? job->room : stack;
    uint64_t *set = room, *rest = room + t.words;
    for (uint32_t k = 0; k < job->numbers[ITEMS]; k++) {
        uint32_t literal = literals[k];
        const uint64_t *yes = t.yes + (size_t)(literal >> 1) * t.words;
        for (uint32_t w = 0; w < t.words; w++) {
            set[w] = literal == RULES_WHOLE ? base[w] : base[w] & (literal & 1 ? ~yes[w] : yes[w]);
        }
        best[k] = trees ? best_tree(&t, set, rest) : best_below(&t, set, job->numbers[LEAF], RULES_NONE);
    }
}

static void rules_cpu(const BackendJob *job) {
    run_cpu(job, false);
}

static void trees_cpu(const BackendJob *job) {
    run_cpu(job, true);
}

static uint32_t rules_groups(const BackendJob *job, unsigned stage) {
    (void)stage;
    return job->numbers[ITEMS];
}

static uint32_t trees_groups(const BackendJob *job, unsigned stage) {
    return job->numbers[ITEMS] * (stage == 0 ? job->numbers[TESTS] : 1);
}

static const BackendOp rules_op = {.id = BACKEND_RULES,
                                   .source = KERNEL_RULES,
                                   .kernels = {"rules_one"},
                                   .n_kernels = 1,
                                   .lanes = 64,
                                   .cpu = rules_cpu,
                                   .groups = rules_groups};

static const BackendOp trees_op = {.id = BACKEND_TREES,
                                   .source = KERNEL_RULES,
                                   .kernels = {"rules_trees", "rules_min"},
                                   .n_kernels = 2,
                                   .lanes = 64,
                                   .cpu = trees_cpu,
                                   .groups = trees_groups};

size_t rules_ask_bytes(const RulesTable *t, uint32_t count) {
    return t->words * sizeof(uint64_t) + count * sizeof(uint32_t);
}

uint32_t *rules_ask_literals(const RulesAsk *ask) {
    return (uint32_t *)(ask->args + ask->table->words);
}

void rules_job(const RulesAsk *ask, BackendJob *job) {
    RulesTable *t = ask->table;
    uint64_t checks = (uint64_t)ask->count * t->tests;
    size_t scratch = (size_t)ask->count * t->words * 8;
    if (ask->trees) {
        checks *= 2ull * t->tests;
        scratch = ask->count * (size_t)t->tests * (8 + 2 * 8 * (size_t)t->words);
    }
    *job = (BackendJob){.op = ask->trees ? &trees_op : &rules_op,
                        .blocks = {&t->block},
                        .args = ask->args,
                        .arg_bytes = rules_ask_bytes(t, ask->count),
                        .result = ask->best,
                        .result_bytes = ask->count * sizeof *ask->best,
                        .scratch_bytes = scratch,
                        .numbers = {t->tests, t->leaves, t->words, t->cells, ask->count, ask->leaf},
                        .work = checks,
                        .items = checks};
}

bool rules_ask(Backend *backend, Ctx *ctx, const RulesAsk *ask, uint64_t *waited) {
    BackendJob job;
    rules_job(ask, &job);
    bool large = ask->table->words > ON_STACK;
    job.room = large ? mem_array(3 * (size_t)ask->table->words, sizeof(uint64_t)) : NULL;
    bool good = (!large || job.room != NULL) && backend_run(backend, ctx, &job);
    mem_free(job.room);
    backend_add_waited(&job, waited);
    return good;
}

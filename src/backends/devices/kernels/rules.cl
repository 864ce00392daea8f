/* Rules over cells: the cheapest leaf, question with two leaves, or tree of such, for sets of cells; rules.h.
 *
 * block 0: the table. args: a set of cells, then literals. number: tests, leaves, words, cells, items, leaf alone counts.
 * scratch: the sets of each work-group; for trees also a figure for each item and question. */

enum { MAX_WITNESSES = 24, MAX_ALIKE = 4, A_WORD = 3 };
#define NONE (~(ulong)0)

typedef struct Table {
    GLOBAL const ulong *yes, *right, *leaves_at;
    GLOBAL const uint *test_cost, *leaf_cost;
    uint tests, leaves, words;
    ulong all_low, all_high; /* the set of all leaves */
} Table;

typedef struct Witnesses {
    ulong low[MAX_WITNESSES], high[MAX_WITNESSES]; /* leaves that are right there */
    uint cell[MAX_WITNESSES], count;
} Witnesses;

static Table table_of(GLOBAL const uchar *mem, GLOBAL const Job *job) {
    Table t;
    t.tests = job->number[0];
    t.leaves = job->number[1];
    t.words = job->number[2];
    t.yes = (GLOBAL const ulong *)(mem + job->block[0]);
    t.right = t.yes + (ulong)t.tests * t.words;
    t.leaves_at = t.right + (ulong)t.leaves * t.words;
    t.test_cost = (GLOBAL const uint *)(t.leaves_at + 2 * (ulong)job->number[3]);
    t.leaf_cost = t.test_cost + t.tests;
    t.all_low = t.leaves >= 64 ? NONE : ((ulong)1 << t.leaves) - 1;
    t.all_high = t.leaves >= 128 ? NONE : t.leaves > 64 ? ((ulong)1 << (t.leaves - 64)) - 1 : 0;
    return t;
}

/* A few cells of a set that want different leaves. By one lane. */
static void call_witnesses(const Table *t, GLOBAL const ulong *set, LOCAL Witnesses *found) {
    uint count = 0;
    for (uint w = 0; w < t->words && count < MAX_WITNESSES; w++) {
        ulong rest = set[w];
        for (uint k = 0; k < A_WORD && rest != 0 && count < MAX_WITNESSES; k++, rest &= rest - 1) {
            uint cell = w * 64 + 63 - (uint)clz(rest & (~rest + 1)), alike = 0;
            ulong low = t->leaves_at[2 * cell], high = t->leaves_at[2 * cell + 1];
            for (uint x = 0; x < count; x++) {
                alike += found->low[x] == low && found->high[x] == high;
            }
            if (alike < MAX_ALIKE) {
                found->cell[count] = cell;
                found->low[count] = low;
                found->high[count++] = high;
            }
        }
    }
    found->count = count;
}

/* Whether a leaf is right on all of one side of a question, of which flip has the bits turned. */
static int leaf_fits(const Table *t, GLOBAL const ulong *set, GLOBAL const ulong *yes, ulong flip, uint leaf) {
    GLOBAL const ulong *right = t->right + (ulong)leaf * t->words;
    for (uint w = 0; w < t->words; w++) {
        if (set[w] & (yes[w] ^ flip) & ~right[w]) {
            return 0;
        }
    }
    return 1;
}

/* The cheapest leaf of a set of them (they are sorted by cost) that is right on that side; -1: none. */
static int best_leaf(const Table *t, GLOBAL const ulong *set, GLOBAL const ulong *yes, ulong flip, ulong low, ulong high) {
    for (; low != 0; low &= low - 1) {
        uint leaf = 63 - (uint)clz(low & (~low + 1));
        if (leaf_fits(t, set, yes, flip, leaf)) {
            return (int)leaf;
        }
    }
    for (; high != 0; high &= high - 1) {
        uint leaf = 127 - (uint)clz(high & (~high + 1));
        if (leaf_fits(t, set, yes, flip, leaf)) {
            return (int)leaf;
        }
    }
    return -1;
}

/* The key of one question with a leaf on each side, if it is less than `best`; else `best`. */
static ulong try_question(const Table *t, GLOBAL const ulong *set, LOCAL const Witnesses *known, uint test, ulong best) {
    ulong cost = t->test_cost[test];
    GLOBAL const ulong *yes = t->yes + (ulong)test * t->words;
    if ((cost << 16 | (test + 1)) >= best) {
        return best;
    }
    ulong yes_low = t->all_low, yes_high = t->all_high, no_low = yes_low, no_high = yes_high;
    for (uint k = 0; k < known->count; k++) {
        uint cell = known->cell[k];
        ulong says = 0 - (yes[cell / 64] >> (cell % 64) & 1), low = known->low[k], high = known->high[k];
        yes_low &= low | ~says;
        yes_high &= high | ~says;
        no_low &= low | says;
        no_high &= high | says;
        if ((yes_low | yes_high) == 0 || (no_low | no_high) == 0) {
            return best;
        }
    }
    ulong any_yes = 0, any_no = 0;
    for (uint w = 0; w < t->words; w++) {
        any_yes |= set[w] & yes[w];
        any_no |= set[w] & ~yes[w];
    }
    int a = any_yes != 0 && any_no != 0 ? best_leaf(t, set, yes, 0, yes_low, yes_high) : -1;
    int b = a >= 0 ? best_leaf(t, set, yes, NONE, no_low, no_high) : -1;
    if (b < 0) {
        return best;
    }
    ulong key = (cost + t->leaf_cost[a] + t->leaf_cost[b]) << 16 | (test + 1);
    return key < best ? key : best;
}

/* The key of the cheapest rule of one question for a set, or with `leaf` of a leaf alone. Without `wanted` there is
 * none: lanes must meet at the same places, whatever they have to do in between. */
static ulong best_rule(const Table *t, GLOBAL const ulong *set, uint wanted, uint leaf, LOCAL Witnesses *known,
                       LOCAL ulong *room) {
    ulong best = NONE;
    if (LANE == 0 && wanted) {
        call_witnesses(t, set, known);
    }
    MEET();
    if (leaf && wanted) { /* every lane finds the same; the set itself stands in for a question that says yes to it */
        ulong low = t->all_low, high = t->all_high;
        for (uint k = 0; k < known->count; k++) {
            low &= known->low[k];
            high &= known->high[k];
        }
        int a = known->count > 0 ? best_leaf(t, set, set, 0, low, high) : -1;
        best = a >= 0 ? (ulong)t->leaf_cost[a] << 16 : NONE;
    }
    for (uint test = LANE; test < t->tests && wanted; test += LANES) {
        best = try_question(t, set, known, test, best);
    }
    return group_min(best, room);
}

/* Writes the cells of a set on one side of a question. */
static void take_side(const Table *t, GLOBAL const ulong *set, uint literal, GLOBAL ulong *to) {
    GLOBAL const ulong *yes = t->yes + (ulong)(literal >> 1) * t->words;
    for (uint w = LANE; w < t->words; w += LANES) {
        to[w] = literal == ~0u ? set[w] : set[w] & (literal & 1 ? ~yes[w] : yes[w]);
    }
}

/* A work-group for each item. */
KERNEL void rules_one(GLOBAL uchar *mem, ulong table, uint jobs, uint stage) {
    (void)stage;
    SHARED ulong room[LANES];
    SHARED Witnesses known;
    GLOBAL const Job *job = job_of(mem, table, jobs, GROUP);
    Table t = table_of(mem, job);
    uint item = GROUP - job->first;
    GLOBAL const ulong *base = (GLOBAL const ulong *)(mem + job->args);
    GLOBAL const uint *literals = (GLOBAL const uint *)(base + t.words);
    GLOBAL ulong *set = (GLOBAL ulong *)(mem + job->scratch) + (ulong)item * t.words;
    take_side(&t, base, literals[item], set);
    MEET();
    ulong best = best_rule(&t, set, 1, job->number[5], &known, room);
    if (LANE == 0) {
        ((GLOBAL ulong *)(mem + job->result))[item] = best;
    }
}

/* A work-group for each item and question: rules of at most one more question on both of its sides. */
KERNEL void rules_trees(GLOBAL uchar *mem, ulong table, uint jobs, uint stage) {
    (void)stage;
    SHARED ulong room[LANES];
    SHARED Witnesses known;
    GLOBAL const Job *job = job_of(mem, table, jobs, GROUP);
    Table t = table_of(mem, job);
    uint group = GROUP - job->first, item = group / t.tests, test = group % t.tests;
    GLOBAL const ulong *base = (GLOBAL const ulong *)(mem + job->args);
    GLOBAL const uint *literals = (GLOBAL const uint *)(base + t.words);
    GLOBAL ulong *keys = (GLOBAL ulong *)(mem + job->scratch);
    GLOBAL ulong *set = keys + (ulong)job->groups + (ulong)group * 2 * t.words, *side = set + t.words;
    ulong key = NONE;
    take_side(&t, base, literals[item], set);
    MEET();
    ulong any_yes = 0, any_no = 0;
    for (uint w = 0; w < t.words; w++) {
        ulong yes = t.yes[(ulong)test * t.words + w];
        any_yes |= set[w] & yes;
        any_no |= set[w] & ~yes;
    }
    uint wanted = any_yes != 0 && any_no != 0; /* the same for all lanes */
    take_side(&t, set, test << 1, side);
    MEET();
    ulong yes = best_rule(&t, side, wanted, 1, &known, room);
    take_side(&t, set, test << 1 | 1, side);
    MEET();
    ulong no = best_rule(&t, side, wanted && yes != NONE, 1, &known, room);
    if (yes != NONE && no != NONE) {
        key = (t.test_cost[test] + (yes >> 16) + (no >> 16)) << 16 | (test + 1);
    }
    if (LANE == 0) {
        keys[group] = key;
    }
}

/* A work-group for each item: the least of its figures, and of a leaf alone. */
KERNEL void rules_min(GLOBAL uchar *mem, ulong table, uint jobs, uint stage) {
    (void)stage;
    SHARED ulong room[LANES];
    SHARED Witnesses known;
    GLOBAL const Job *job = job_of(mem, table, jobs, GROUP);
    Table t = table_of(mem, job);
    uint item = GROUP - job->first;
    GLOBAL const ulong *base = (GLOBAL const ulong *)(mem + job->args);
    GLOBAL const uint *literals = (GLOBAL const uint *)(base + t.words);
    GLOBAL const ulong *keys = (GLOBAL const ulong *)(mem + job->scratch) + (ulong)item * t.tests;
    GLOBAL ulong *set = (GLOBAL ulong *)(mem + job->scratch) + (ulong)job->groups * t.tests + (ulong)item * 2 * t.words;
    ulong best = NONE;
    take_side(&t, base, literals[item], set);
    MEET();
    if (LANE == 0) {
        call_witnesses(&t, set, &known);
        ulong low = t.all_low, high = t.all_high;
        for (uint k = 0; k < known.count; k++) {
            low &= known.low[k];
            high &= known.high[k];
        }
        int a = known.count > 0 ? best_leaf(&t, set, set, 0, low, high) : -1;
        best = a >= 0 ? (ulong)t.leaf_cost[a] << 16 : NONE;
    }
    for (uint test = LANE; test < t.tests; test += LANES) {
        best = keys[test] < best ? keys[test] : best;
    }
    best = group_min(best, room);
    if (LANE == 0) {
        ((GLOBAL ulong *)(mem + job->result))[item] = best;
    }
}

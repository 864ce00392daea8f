/* Search for programs that solve one task: what its parts see, and where their finds go.
 *
 * A part (search/parts.def) proposes programs; search_offer evaluates each on every input, counts the
 * training pairs it gets right and keeps it by the answers it gives to the tests. Nothing a part computes on
 * the side is ever an answer, so every answer can be re-run from its program. A part never sees test outputs:
 * SearchTask does not hold them.
 *
 * Two contexts: `ctx` is the part's own region for the whole search of a task (values seen stay there),
 * `check` is reset for every offer. Budgets are counted in steps, so that a run with the same number of steps
 * is the same run; a clock only decides in runs that were given seconds. */
#ifndef BATT_SEARCH_SEARCH_H
#define BATT_SEARCH_SEARCH_H

#include "exec/battery.h"
#include "lang/build.h"
#include "search/quota.h"
#include "task/task.h"

#include <signal.h>

typedef enum SearchPart {
#define PART(id, name, text) PART_##id,
#include "search/parts.def"
#undef PART
    PART_COUNT
} SearchPart;

extern const char *const search_part_names[PART_COUNT + 1]; /* ends with NULL */

enum { SEARCH_MOST_SAMPLES = 64 }; /* training pairs beyond this are only used to check */
enum { SEARCH_BELIEVED = 40 };     /* a fitting program that costs more does not end the search */

typedef struct SearchTask {
    const char *id;
    uint32_t n_train, n_test, n;  /* n = n_train + n_test: inputs */
    Val in[SEARCH_MOST_SAMPLES];  /* training inputs, then test inputs */
    Val out[SEARCH_MOST_SAMPLES]; /* of the training pairs only */
    bool same_size;               /* every training output has its input's size */
    uint16_t in_colors, out_colors, in_all,
        out_all; /* bit sets: in any / in all inputs (tests too), outputs */
} SearchTask;

typedef enum SearchDoubtId {
#define DOUBT(id, cost, text) DOUBT_##id,
#include "search/doubts.def"
#undef DOUBT
    DOUBT_COUNT
} SearchDoubtId;

typedef struct SearchDoubt {
    double cost;
    const char *text;
} SearchDoubt;
extern const SearchDoubt search_doubts[DOUBT_COUNT];

typedef struct Candidate {
    Program *program; /* owned */
    size_t bytes;     /* of the program, as counted */
    uint8_t part;     /* SearchPart that found it first */
    uint32_t right;   /* training pairs */
    double cost;      /* as the part sees it: bits of description, lower is likelier */
    uint32_t support; /* programs that gave the same answers */
    uint32_t unseen;  /* most training pairs that one of them has right without having been made from them */
    uint64_t steps;   /* of the search when it was found */
    uint64_t hash;    /* of the answers */
    Image *answers;   /* one a test; h = 0: none. One block */
    uint8_t doubts;   /* set of SearchDoubtId, by search_rank */
    double rank;      /* cost with doubts and support: lower comes first */
} Candidate;

typedef struct SearchSeed { /* a program that an earlier search of the task found; as in Candidate */
    const Program *program;
    uint8_t part;
    double cost;
    uint32_t support, unseen;
    uint64_t steps;
} SearchSeed;

typedef struct SearchLimits {
    uint64_t steps;   /* for this task, 0: no limit */
    uint64_t time_ns; /* for this task, 0: no limit */
    uint64_t heap;    /* bytes outside the regions, 0: no limit */
    const volatile sig_atomic_t *stop;
    uint32_t without;                /* bit set of parts that are switched off */
    const struct StepSet *steps_set; /* what enumeration puts together */
    const struct Library *library;   /* may be NULL */
    const SearchSeed *seeds;         /* offered first */
    uint32_t n_seeds;
    bool deeper, no_parts; /* leave out the quick looks of an earlier search; only offer the seeds */
} SearchLimits;

typedef struct Search {
    const SearchTask *task; /* as the part at work sees it: in a view (view.h), or as it is */
    const SearchTask *own;  /* as it is */
    int view;
    Ctx *ctx, *check;
    SearchLimits limits;
    Builder builder; /* scratch for parts that make programs */
    Heap heap, kept; /* memory outside the region: what parts note; candidates, and what making them takes */
    uint64_t start_ns;
    uint64_t steps;  /* spent so far, ctx and check and search_spend together */
    uint64_t values; /* values built so far (over all samples), for the rate */
    uint64_t part_steps[PART_COUNT], part_ns[PART_COUNT], part_values[PART_COUNT];
    uint64_t
        part_built_ns[PART_COUNT]; /* of part_ns, for building and deduplicating values; 0: not known apart */
    Candidate *candidates;         /* best first after search_rank */
    uint32_t count, room;
    uint32_t fitting; /* candidates right on all training pairs, and simple enough to be believed */
    SearchPart part;  /* the one at work */
    unsigned effort;  /* 1: what is quick; 2: everything */
    double stage_end; /* share of the budget after which the part's turn is over */
    bool stage_over, out_of_budget;
    struct Enumerate *enumerate; /* the part's table, kept from turn to turn */
    uint64_t bred;               /* turns of evolution so far */
} Search;

bool search_open(Search *search, const SearchTask *task, Ctx *ctx, Ctx *check, const SearchLimits *limits);
void search_close(Search *search);
void search_task_fill(SearchTask *to, const Task *from);
void search_task_colors(SearchTask *task); /* the color sets and same_size, from the grids */

/* Count work done; false: the budget is used up or the user wants to stop, return soon. Cheap enough for
 * every few microseconds of work. */
bool search_spend(Search *search, uint64_t steps);
/* What the part did since `begin`, by clock_work_ns, was building values. */
void search_built(Search *search, uint64_t begin);
/* Share of the budget used so far, 0..1, for parts that plan ahead. */
double search_used(const Search *search);

/* The program over I in the search's builder, named after the task; NULL: no memory. */
Program *search_finish(Search *search, Ref result);

/* Propose a program (taken over, freed if it is of no use; NULL is a part's failed allocation and is
 * ignored). True if it is right on all training pairs. */
bool search_offer(Search *search, Program *program, double cost);
/* The same for a program that was made from some training pairs (bits) without looking at the others: being
 * right on those counts for it. `find` may be NULL. */
typedef struct SearchFind {
    uint64_t right;   /* training pairs, bits */
    uint64_t answers; /* hash */
} SearchFind;
bool search_offer_from(Search *search, Program *program, double cost, uint64_t pairs, SearchFind *find);
/* The program of an earlier find was met again, made from other pairs. */
void search_confirm(Search *search, const SearchFind *find, uint64_t pairs);

/* Order candidates for answering: search/rank.c. */
void search_rank(Search *search);
/* The a-th different answer to a test, or NULL. After search_rank. `who` may be NULL. */
const Image *search_answer(const Search *search, uint32_t test, uint32_t attempt, const Candidate **who);

/* Run all parts that are not switched off, cheapest first, until the budget ends or answers are certain. */
void search_run(Search *search);

void enumerate_close(struct Enumerate *enumerate); /* NULL is fine */

/* Each part: void part_NAME(Search *search). It returns when it has nothing left to try or search_spend says
 * so. */
#define PART(id, name, text) void part_##name(Search *search);
#include "search/parts.def"
#undef PART

#endif

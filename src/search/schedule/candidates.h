/* Candidates: proposed programs, kept by the answers they give to the tests.
 *
 * search_offer evaluates a program on every input, counts the training pairs it gets right and keeps it by
 * its answers. Nothing a strategy computes on the side is ever an answer, so every answer can be re-run from
 * its program. search_order_candidates sorts them by how far they are to be trusted (ranking.c). */
#ifndef BATT_SEARCH_SCHEDULE_CANDIDATES_H
#define BATT_SEARCH_SCHEDULE_CANDIDATES_H

#include "data/tasks/task.h"
#include "engine/language/build.h"

typedef struct Search Search;

typedef enum PenaltyId {
#define PENALTY(id, cost, text) PENALTY_##id,
#include "search/schedule/penalties.def"
#undef PENALTY
    PENALTY_COUNT
} PenaltyId;

typedef struct Penalty {
    double cost;
    const char *text;
} Penalty;
extern const Penalty penalty_table[PENALTY_COUNT];

/* What speaks for answers besides the program that gives them. */
typedef struct Backing {
    uint32_t support;    /* programs that gave the same answers */
    uint32_t unseen;     /* max training pairs that one of them gets right without being made from them */
    uint32_t strategies; /* set of Strategy: those that found a program right on all training pairs */
    uint64_t arms;       /* the same for a strategy at a view: a bit each, which two of them seldom share */
    /* How many pairs were left out to see whether what is learnt from the others predicts them, and how many
     * it predicted wrongly; of the slice for which this turned out best (leave_out.h). */
    uint32_t tried, mispredicted;
} Backing;

typedef struct Candidate {
    Program *program; /* owned; NULL: only a net gave these answers, and right is 0 */
    size_t bytes;     /* of the program, as counted */
    uint8_t strategy; /* Strategy that found it first */
    uint32_t right;   /* training pairs */
    double cost;      /* description length in bits, by the strategy's reckoning: lower is likelier */
    double by_net;    /* the same for answers that a net gave, too; HUGE_VAL: none did */
    /* Bits by which a net takes its answers to be likelier than the likeliest of the pool: 0 and less, 0
     * without a net; -HUGE_VAL: they have a size or color that the net does not know */
    double under_net;
    Backing backing;
    uint64_t steps;     /* of the search when it was found */
    uint64_t hash;      /* of the answers */
    Image *answers;     /* one per test; h = 0: none. One block */
    uint16_t penalties; /* set of PenaltyId, by search_order_candidates */
    double score;       /* cost with penalties and support: lower comes first */
} Candidate;

/* Finishes the program over I in the search's builder, named after the task; NULL: no memory. */
Program *search_finish(Search *search, Ref result);

/* Proposes a program (taken over, and freed if it is of no use; NULL means that a strategy failed to
 * allocate and is ignored). True if it is right on all training pairs. */
bool search_offer(Search *search, Program *program, double cost);
/* Answers without a program, one image for each test, at a cost in bits. They are kept beside those of
 * programs, or join them. */
void search_offer_answers(Search *search, const Image *answers, double cost);
/* The same for a program that was made from some training pairs (bits) without looking at the others: being
 * right on the others counts in its favor. `find` may be NULL. */
typedef struct SearchFind {
    uint64_t right;   /* training pairs, bits */
    uint64_t answers; /* hash */
} SearchFind;
bool search_offer_from(Search *search, Program *program, double cost, uint64_t pairs, SearchFind *find);
/* The program of an earlier find was met again, made from other pairs. */
void search_confirm(Search *search, const SearchFind *find, uint64_t pairs);

/* Sorts the candidates, best first: search/schedule/ranking.c. */
void search_order_candidates(Search *search);
/* What has been found so far, until the next offer. */
const Candidate *search_candidates(const Search *search, uint32_t *count);
bool search_has_fit(const Search *search); /* one of them fits and is simple enough to be trusted */
/* What a net says of a candidate, by index: `by_net` and `under_net` of Candidate. */
void search_set_by_net(Search *search, uint32_t candidate, double cost);
void search_set_under_net(Search *search, uint32_t candidate, double bits);

#endif

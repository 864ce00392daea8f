/* Candidates: programs that were proposed, kept by the answers they give to the tests.
 *
 * search_offer evaluates a program on every input, counts the training pairs it gets right and keeps it by
 * its answers. Nothing a part computes on the side is ever an answer, so every answer can be re-run from its
 * program. search_rank puts them in the order in which they are believed (rank.c). */
#ifndef BATT_SEARCH_CANDIDATES_H
#define BATT_SEARCH_CANDIDATES_H

#include "lang/build.h"
#include "task/task.h"

typedef struct Search Search;

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

typedef struct SearchEarlier { /* a program that an earlier search of the task found; as in Candidate */
    const Program *program;
    uint8_t part;
    double cost;
    uint32_t support, unseen;
    uint64_t steps;
} SearchEarlier;

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
/* A program that an earlier search found. */
bool search_offer_earlier(Search *search, const SearchEarlier *earlier);
void candidates_free(Search *search);

#endif

/* Bottom-up enumeration: all expressions over the idioms (search/learning/idioms.h), cheapest
 * first, one per value.
 *
 * An EnumTerm is an expression and its values on all inputs, training and test alike; of terms with
 * equal values only the first, which is the cheapest, is kept. The outputs show what terms are good
 * for (enumerate_cover.c, enumerate_table.c): a grid that is the output; patches that, filled into
 * a grid one over another, make it the output; grids whose colors together determine the output's
 * color. Terms live in the search's arena. */
#ifndef BATT_SEARCH_STRATEGIES_ENUMERATE_H
#define BATT_SEARCH_STRATEGIES_ENUMERATE_H

#include "search/learning/idioms.h"
#include "search/schedule/quota.h"
#include "search/schedule/search.h"

enum { ENUM_TERM_NONE = 0xffffffffu, ENUM_TERM_INPUT = 0xffff, ENUM_TERM_CONST = 0xfffe };

typedef struct EnumTerm {
    const Val *vals; /* one per input */
    uint32_t args[IDIOM_HOLES];
    uint16_t idiom; /* or ENUM_TERM_INPUT, ENUM_TERM_CONST */
    uint8_t type, cost;
} EnumTerm;

typedef struct EnumTermList {
    uint32_t *items; /* in order of cost */
    uint32_t count, room;
    uint32_t first[IDIOM_MAX_COST + 2]; /* first item of each cost reached so far */
} EnumTermList;

typedef struct EnumCover EnumCover;

typedef struct Enumerate {
    Search *search;
    const IdiomSet *idioms;
    EnumTerm *terms;
    HashMap seen; /* terms, by their values */
    uint32_t count, room;
    bool full; /* no memory for more */
    EnumTermList types[IDIOM_TYPE_COUNT];
    EnumCover *cover;
    uint32_t shaped[128]; /* grids that have the outputs' sizes */
    uint32_t framed[8];   /* patches whose rectangles in the input have the outputs' sizes */
    uint32_t n_shaped, n_framed;
    uint32_t n_framed_done;     /* for this many of them, rules per cell were tried */
    uint32_t misses;            /* offers that were right on some pairs only */
    uint64_t calls, calls_done; /* of the current level: visited; made, maybe in an earlier time slice */
    unsigned cost, begun;       /* the level to run next; the last one that was begun */
} Enumerate;

/* The expression of a term in the search's builder. refs: one per term, all ENUM_TERM_NONE at first. */
Ref enumerate_ref(Enumerate *e, uint32_t term, Ref *refs);
Ref *enumerate_refs(Enumerate *e); /* begins a program; NULL: no memory. Ended by offer */
bool enumerate_offer(Enumerate *e, Ref *refs, Ref result, double cost);

/* ---- enumerate_cover.c ---- */
EnumCover *cover_open(Enumerate *e); /* NULL: no memory */
void cover_close(EnumCover *cover);
void cover_add_base(EnumCover *cover, uint32_t term);
void cover_add_patch(EnumCover *cover, uint32_t term);
void cover_add_color(EnumCover *cover, uint32_t term);
void cover_run(EnumCover *cover, bool last); /* unless `last`, only if enough is new */

/* ---- enumerate_cells.c ---- */
void enumerate_frame(Enumerate *e, uint32_t term); /* notes a new patch if its rectangles fit the outputs */
void enumerate_cells(Enumerate *e);                /* tries rules per cell over the rectangles noted */

/* ---- enumerate_table.c ---- */
void table_try(Enumerate *e, uint32_t term); /* a new grid, alone and with each of the earlier ones */

#endif

/* Growing stamps: every value that a few moves can make from a task's inputs, each once.
 *
 * A GrowEntry is one expression and its values on all inputs, training and test alike; two expressions with
 * equal values on all of them are one entry, the first and cheapest. So an entry is identified by what it
 * does, and nothing is built twice. Entries live in the search's arena. */
#ifndef BATT_SEARCH_STRATEGIES_GROW_H
#define BATT_SEARCH_STRATEGIES_GROW_H

#include "search/schedule/quota.h"
#include "search/schedule/search.h"

enum { GROW_NONE = 0xffffffffu };

/* Where growth starts: the input, blank canvases, and the outputs of other training pairs (ROOT_OUTPUT +
 * number). */
typedef enum GrowRoot { ROOT_INPUT, ROOT_BLANK_IN, ROOT_BLANK_OUT, ROOT_OUTPUT } GrowRoot;

typedef struct GrowEntry {
    const Val *vals; /* one per input */
    uint32_t parent; /* entry, or GROW_NONE */
    uint16_t move;   /* the move made from the parent; for a root: GrowRoot */
    uint8_t depth;
    bool list;     /* lists of stamps, not stamps */
    uint8_t tried; /* bits: moves without and with the output size have all been made from it */
} GrowEntry;

typedef struct Move { /* one way to go on from an entry */
    uint16_t prim;
    int8_t how;                 /* last argument; negative: there is none */
    uint8_t size, takes, gives; /* see grow.c */
} Move;
enum { MAX_MOVES = 200 };

/* Entries of one depth, among those from `first` on and before `end`: one move after the other is
 * made from all of them. So a move's code and its branches stay in the caches, and the values that
 * are made together are alike. */
typedef struct GrowBatch {
    uint32_t first, end; /* 0: there is none */
    uint32_t next;       /* from which `move` is made next */
    unsigned move, depth;
} GrowBatch;

/* The output size as an expression: the shape of an entry's stamp, times a scale plus a constant; or just a
 * constant. */
typedef struct SizeRule {
    uint32_t entry_h, entry_w; /* GROW_NONE: constant */
    int8_t scale_h, scale_w, add_h, add_w;
    uint32_t matched; /* training outputs that have this size */
    double loss;
} SizeRule;

typedef struct Grow {
    Search *search;
    const SearchTask *task; /* as the search sees it */
    Move moves[MAX_MOVES];
    unsigned n_moves;
    GrowEntry *entries;
    uint32_t count, room;
    GrowBatch batch;
    HashMap seen;      /* entries, by their values */
    bool full;         /* no memory for more entries */
    int32_t max_cells; /* larger stamps are not kept */
    bool has_size;
    SizeRule size;
    Val dims_in[SEARCH_MAX_SAMPLES], dims_out[SEARCH_MAX_SAMPLES];
} Grow;

bool grow_open(Grow *grow, Search *search); /* with the input as entry 0; false: no memory */
void grow_close(Grow *grow);
/* Applies all moves to entries below the depth limit; false if the budget or the memory is used up. */
bool grow_to_depth(Grow *grow, unsigned depth);
/* Overlays every list into one stamp, for when no move remains. */
bool grow_overlay_lists(Grow *grow);
/* grow_guess_size finds a rule for the output size from the entries so far (output_size.c);
 * grow_size_is_clear says whether that rule is simple and right on all training pairs. */
bool grow_guess_size(Grow *grow);
bool grow_size_is_clear(const Grow *grow);
/* Settles on the rule: from now on, moves that need the output's size are made too. */
void grow_use_size(Grow *grow);
bool grow_add_blank(Grow *grow, GrowRoot root, const Val *dims);

/* grow_refs begins a program in the search's builder and returns the refs of what is in it already, to be
 * freed from the search's heap (NULL: no memory). The others add the expression of an entry, and of the
 * output's size. */
Ref *grow_refs(Grow *grow);
Ref grow_ref(Grow *grow, uint32_t entry, Ref *refs);
Ref grow_size_ref(Grow *grow, Ref *refs);
/* whether its last move gives it the output's size, at the origin */
bool grow_is_sized(const Grow *grow, uint32_t entry);

#endif

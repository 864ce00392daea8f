/* Pieces, and stacks of them: internals of the stamps strategy (stamps.c).
 *
 * A piece is a stamp pasted on a canvas of the output's size. The cells of all outputs that have a
 * size are numbered through: those of the training pairs, whose right colors are known, then those
 * of the tests. */
#ifndef BATT_SEARCH_STRATEGIES_STACK_H
#define BATT_SEARCH_STRATEGIES_STACK_H

#include "search/strategies/grow.h"
#include "search/strategies/layers.h"

enum { STACK_MAX_MOVES = 16 }; /* of the deepest entry, moving to the origin, and painting */

typedef struct Piece {
    uint32_t entry;
    uint8_t home, color; /* moved to the origin; painted in a color, 0: not */
    uint8_t moves;
    uint16_t cost; /* in bits, of the moves */
} Piece;

typedef struct Layer { /* of a stack */
    uint32_t piece;
    uint8_t how; /* as in stamp_lay */
} Layer;

typedef struct Stack {
    Grow grow;
    Piece *pieces; /* the cheapest first */
    uint64_t *hashes;
    uint32_t count, room;
    uint32_t of_moves[STACK_MAX_MOVES];      /* pieces by number of moves */
    uint32_t collected;                      /* entries that have become pieces */
    HashMap seen;                            /* pieces, by their cells */
    bool full;                               /* no memory for more pieces */
    uint32_t cells, test_cells, other_cells; /* others: of training pairs for which the size rule is wrong */
    uint32_t words, test_words;              /* the same in 64-bit words */
    uint32_t start[SEARCH_MAX_SAMPLES + 1];  /* first cell of each training output */
    bool sized[SEARCH_MAX_SAMPLES];          /* the size rule is right for it */
    int8_t *target, *scratch;                /* the right cells; the cells of the current piece */
    uint64_t *zero, *wrong; /* by piece: transparent cells; cells of another color than the target's */
    uint64_t *test_zero;    /* by piece: transparent cells on the tests */
    BackendBlock zero_block, wrong_block; /* the same, where they are stacked */
    struct {
        uint64_t hash;
        SearchFind find;
    } offered[4096]; /* hashes of stacks offered already */
} Stack;

/* ---- stack_pieces.c ---- */
bool stack_prepare(Stack *s); /* once the size rule is settled; false: no memory */
void stack_forget(Stack *s);  /* frees what stack_prepare and collecting made */
void stack_settle(Stack *s);  /* after pieces were added: those that are stacked are these */
/* Makes pieces of the new entries, up to a depth. False: the time slice is over. */
bool stack_collect(Stack *s, unsigned deepest);
/* Writes the piece's cells in the order of their numbers: training, tests, others. False: it has none. */
bool stack_render(const Stack *s, const Piece *piece, int8_t *to);

/* ---- stack_program.c ---- */
Ref stack_piece_ref(Stack *s, uint32_t piece, Ref dims, Ref *refs); /* on a canvas of the output's size */
Program *stack_program(Stack *s, const Layer *layers, unsigned n);  /* the first layer is the top one */

/* ---- stack_tables.c ---- */
/* Searches the first `max` pieces for two that together determine every cell. False: the time slice
 * is over. */
bool stack_try_tables(Stack *s, uint32_t max);

#endif

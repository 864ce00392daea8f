/* Mosaics: two grids joined cell by cell, each cell of one becoming a block; and copies of one grid as
 * blocks.
 *
 * The same functions serve the primitives and the search that looks for such outputs. */
#ifndef BATT_PATTERNS_MOSAIC_H
#define BATT_PATTERNS_MOSAIC_H

#include "features/board.h"

/* How two grids come to one size: they have it; each cell of the first is blown up to a block, so that it has
 * the second's size; each cell of the first is blown up to a block of the second's size, and the second is
 * repeated in each; the second is repeated so that it has the first's size. */
typedef enum MosaicHow { MOSAIC_SAME, MOSAIC_BLOWN, MOSAIC_TIMES, MOSAIC_TILED, MOSAIC_HOWS } MosaicHow;

/* What a rule asks of a cell: the first grid's color, the second's, whether they are the same. */
typedef enum MosaicTest { MOSAIC_FIRST, MOSAIC_SECOND, MOSAIC_ALIKE, MOSAIC_TESTS } MosaicTest;

/* Colors that stand for others: in a test, the most or least frequent one of the grid that is asked about; as
 * the result, that of the first or second grid. */
enum {
    MOSAIC_MOST = -1,
    MOSAIC_LEAST = -2,
    MOSAIC_COPY_FIRST = BOARD_COLORS,
    MOSAIC_COPY_SECOND,
    MOSAIC_LEAVES
};

typedef struct MosaicRule {
    int8_t test, number, yes, no;
} MosaicRule;

/* The size of the whole; false: the grids do not fit each other in that way, or it is too large. */
bool mosaic_size(MosaicHow how, Val first, Val second, int32_t *h, int32_t *w);
/* The cells of both that lie at (i, j) of the whole, which is h x w. */
void mosaic_at(MosaicHow how, Val first, Val second, int32_t h, int32_t w, int32_t i, int32_t j, int8_t *a,
               int8_t *b);
/* The color that a test asks for: `number`, or the color of the grid that it stands for. */
int8_t mosaic_asked(int number, Val grid);

/* What stands in a block: the grid in a turn of stamp_turn, 0 as it is; ground only; or its negative, where
 * ground is its main color and all else ground. */
enum { MOSAIC_TURNS = 8, MOSAIC_BLANK = MOSAIC_TURNS, MOSAIC_NEGATIVE, MOSAIC_BLOCKS };

/* Writes a block, which has the grid's size; false: that turn has another size. */
bool mosaic_block(Val grid, int what, int8_t *to);

#endif

/* Mosaics: two grids joined cell by cell, each cell of one becoming a block; and copies of one grid as
 * blocks.
 *
 * The same functions serve the primitives and the search that looks for such outputs. */
#ifndef BATT_ENGINE_PATTERNS_MOSAIC_H
#define BATT_ENGINE_PATTERNS_MOSAIC_H

#include "engine/features/grid_analysis.h"

/* How two grids come to one size: they have it; each cell of the first is blown up to a block, so that it has
 * the second's size; each cell of the first is blown up to a block of the second's size, and the second is
 * repeated in each; the second is repeated so that it has the first's size. */
typedef enum MosaicHow { MOSAIC_SAME, MOSAIC_BLOWN, MOSAIC_TIMES, MOSAIC_TILED, MOSAIC_HOWS } MosaicHow;

/* What a rule asks of a cell: the first grid's color, the second's, whether they are the same. */
typedef enum MosaicTest { MOSAIC_FIRST, MOSAIC_SECOND, MOSAIC_ALIKE, MOSAIC_TESTS } MosaicTest;

/* Colors that stand for others: in a test, the most or least frequent one of the grid that is asked about; as
 * the result, that of the first or second grid. */
enum {
    MOSAIC_MOST_FREQUENT = -1,
    MOSAIC_LEAST_FREQUENT = -2,
    MOSAIC_COPY_FIRST = N_COLORS,
    MOSAIC_COPY_SECOND,
    MOSAIC_LEAVES
};

typedef struct MosaicRule {
    int8_t test, number, yes, no;
} MosaicRule;

/* The size of the whole; false: the grids do not fit each other in that way, or it is too large. */
bool mosaic_size(MosaicHow how, Val first, Val second, int32_t *h, int32_t *w);
/* The cells of both that lie at (i, j) of the whole, which is h x w. */
void mosaic_at(MosaicHow how, Val a, Val b, int32_t h, int32_t w, int32_t i, int32_t j, int8_t *x, int8_t *y);
/* The color that a test asks for: `number`, or the color of the grid that it stands for. */
int8_t mosaic_asked(int number, Val grid);

/* What stands in a block: the grid in a turn of stamp_turn, 0 as it is; background only; or its negative,
 * where background is its main color and all else background. */
enum { MOSAIC_TURNS = 8, MOSAIC_BLANK = MOSAIC_TURNS, MOSAIC_NEGATIVE, MOSAIC_BLOCKS };

/* How the cells of several grids that lie over each other become one: the color that comes first in an order,
 * colors that are not in it last, and of these that of the first grid; the most frequent color, or the least
 * frequent, of equals that of the first grid; how many are not background; the first or the last color that
 * is not background. */
typedef enum MosaicPile {
    PILE_ORDER,
    PILE_MOST_FREQUENT,
    PILE_LEAST_FREQUENT,
    PILE_COUNT,
    PILE_FIRST,
    PILE_LAST,
    PILE_WAYS
} MosaicPile;
enum { MOSAIC_MAX_PILED = 128 };
/* The background of grids that are piled up, by how many cells of each color they have together. */
int8_t mosaic_background(const int32_t counts[N_COLORS]);
/* `cells` has n colors; `rank` by color: its place in the order, or N_COLORS. */
int8_t mosaic_pile(MosaicPile how, const int8_t *cells, uint32_t n, const uint8_t *rank, int8_t background);

/* What a block is summed up to: its most frequent color except background, or its least frequent, background
 * if there is no other; its most frequent color; how many cells or colors except background it has, at
 * most 9. */
typedef enum MosaicSum {
    SUM_MAIN,
    SUM_RAREST,
    SUM_MOST_FREQUENT,
    SUM_FOREGROUND,
    SUM_COLORS,
    SUM_COUNT
} MosaicSum;
/* Sums up a grid that is cut into rows x columns equal blocks, without lines between them or with lines one
 * cell wide, and writes a cell for each; false: it cannot be cut so. */
bool mosaic_sum(const GridAnalysis *analysis, int32_t rows, int32_t columns, MosaicSum how, int8_t *to);

/* Writes a block, which has the grid's size; false: that turn has another size. */
bool mosaic_block(Val grid, int what, int8_t *to);

#endif

/* Stamps: grids with a position.
 *
 * As a value, a stamp is a plain grid if it lies at the origin, otherwise (corner, grid). Color 0 is
 * transparent. A list of stamps is a tuple of them. A function that has no answer, because nothing is left or
 * the result would be too large, returns a stamp with h = 0. Cells live in the context's arena.
 *
 * The idea of searching over placed images, and the choice of transformations, comes from the winner of the
 * 2020 ARC competition; see docs/architecture.md. */
#ifndef BATT_ENGINE_STAMPS_STAMP_H
#define BATT_ENGINE_STAMPS_STAMP_H

#include "engine/primitives/prim.h"

enum { STAMP_MAX_SIDE = 100, STAMP_MAX_CELLS = 1800 };

/* A note that `batt prims` shows with each of the primitives. */
#define STAMP_NOTE                                                                                           \
    "A stamp is a grid, or (place, grid) with the row and column of its upper left cell where they are not " \
    "both 0; it has at most 100 rows, 100 columns and 1800 cells. 0 is transparent. The main color is the "  \
    "most frequent of the colors 1 to 9, of equals the smallest. A list of stamps is a tuple of them. From " \
    "stamp_keep to stamp_half a list may be given for a stamp: it is done to each, and those without an "    \
    "answer are left out."

/* Loops that write cells keep what they need of a stamp in variables: a cell may be a byte of anything, so
 * after each one the compiler would read the stamp again. */
typedef struct Stamp {
    int32_t i, j, h, w;
    const int8_t *c;
} Stamp;

#define STAMP_NONE ((Stamp){0})

/* False: it is no stamp, and nothing was written. */
static inline bool stamp_read(Val v, Stamp *stamp) {
    enum { FAR = 1 << 20 }; /* keeps all arithmetic on places far from overflow */
    int32_t i = 0, j = 0;
    if (v.kind == VAL_TUPLE && v.n == 2 && v.v[0].kind == VAL_PAIR) {
        i = v.v[0].a;
        j = v.v[0].b;
        v = v.v[1];
    }
    if (v.kind != VAL_GRID8 || v.w == 0 || v.n > STAMP_MAX_SIDE || v.w > STAMP_MAX_SIDE ||
        v.n * v.w > STAMP_MAX_CELLS || i <= -FAR || i >= FAR || j <= -FAR || j >= FAR) {
        return false;
    }
    *stamp = (Stamp){i, j, (int32_t)v.n, v.w, v.b8};
    return true;
}
Val stamp_val(Ctx *ctx, Stamp stamp);                /* fails EMPTY for STAMP_NONE */
bool stamp_is_list(Val v);                           /* a non-empty tuple of stamps */
int8_t *stamp_new(Ctx *ctx, int32_t h, int32_t w);   /* zeroed; NULL: too large, or no memory */
int8_t *stamp_blank(Ctx *ctx, int32_t h, int32_t w); /* the same, yet to be written */
Stamp stamp_full(Ctx *ctx, int32_t i, int32_t j, int32_t h, int32_t w, int8_t color);

static inline int8_t stamp_at(const Stamp *s, int32_t i, int32_t j) { /* 0 outside */
    ASSERT(s->h <= STAMP_MAX_SIDE && s->w <= STAMP_MAX_SIDE, "%d x %d", s->h, s->w);
    return (uint32_t)i < (uint32_t)s->h && (uint32_t)j < (uint32_t)s->w ? s->c[i * s->w + j] : 0;
}
static inline int32_t stamp_cells(const Stamp *s) {
    ASSERT(s->h >= 0 && s->w >= 0 && s->h * s->w <= STAMP_MAX_CELLS, "%d x %d", s->h, s->w);
    return s->h * s->w;
}

/* Measures. */
int32_t stamp_count(const Stamp *s);      /* cells that are not 0 */
int8_t stamp_majority(const Stamp *s);    /* most frequent of the colors 1..9; 0: there is none */
uint32_t stamp_colors(const Stamp *s);    /* bit set of the colors 1..9 */
int32_t stamp_components(const Stamp *s); /* 8-connected, of equal color */
/* Groups of cells other than the background that touch over sides (of one color), or over corners as well:
 * for each cell the first one of its group in reading order, -1 for the background. Returns how many groups
 * there are. */
int32_t stamp_group(const Stamp *s, int8_t background, bool corners, bool one_color, int16_t *first);

/* One stamp to one stamp; `how` chooses among several ways. */
typedef Stamp (*StampFn)(Ctx *ctx, const Stamp *s, int32_t how);
/* only cells of that color; 0: the transparent cells, painted */
Stamp stamp_keep(Ctx *ctx, const Stamp *s, int32_t color);
Stamp stamp_erase(Ctx *ctx, const Stamp *s, int32_t color);
/* 0 trimmed to its content, 1 without blank rows and columns inside as well, 2 with equal neighboring lines
 * merged, 3 one cell for each of the largest blocks that its content is made of */
Stamp stamp_trim(Ctx *ctx, const Stamp *s, int32_t how);
/* its rectangle: 0 filled, 1 blank, 2 filled at the origin, 3 one cell at its corner, 4 its middle */
Stamp stamp_box(Ctx *ctx, const Stamp *s, int32_t how);
Stamp stamp_home(Ctx *ctx, const Stamp *s, int32_t how); /* moved to the origin */
/* 0 holes filled, 1 the holes alone, 2 without its border, 3 its border */
Stamp stamp_fill(Ctx *ctx, const Stamp *s, int32_t how);
Stamp stamp_main(Ctx *ctx, const Stamp *s, int32_t how); /* one cell of its most frequent color */
/* 1..7: the symmetries of the square; 8: mirrored along its longer side */
Stamp stamp_turn(Ctx *ctx, const Stamp *s, int32_t how);
/* a count (cells, colors, components) drawn as square, row or column: how = 3 * what + shape */
Stamp stamp_tally(Ctx *ctx, const Stamp *s, int32_t how);
/* every cell extended until it meets another, in one of 15 sets of directions */
Stamp stamp_rays(Ctx *ctx, const Stamp *s, int32_t how);
/* 0 outline of the content, 1 a frame of color 1, 2 of its main color */
Stamp stamp_frame(Ctx *ctx, const Stamp *s, int32_t how);
/* gaps between equal colors filled: 0 along rows, 1 along columns, 2 both */
Stamp stamp_join(Ctx *ctx, const Stamp *s, int32_t how);
/* colors flow into transparent cells; 1: all except the main color */
Stamp stamp_spread(Ctx *ctx, const Stamp *s, int32_t how);
/* 0 left, 1 right, 2 top, 3 bottom; 4, 5: the first or the second half of the longer side */
Stamp stamp_half(Ctx *ctx, const Stamp *s, int32_t how);
Stamp stamp_paint(Ctx *ctx, const Stamp *s, int32_t color); /* all cells except 0 in one color */

/* From a stamp and a size to a stamp at the origin. */
Stamp stamp_paste(Ctx *ctx, const Stamp *s, int32_t h, int32_t w); /* onto an empty canvas, at its place */
/* cut out at a corner or in the middle */
Stamp stamp_corner(Ctx *ctx, const Stamp *s, int32_t h, int32_t w, int32_t how);
Stamp stamp_wrap(Ctx *ctx, const Stamp *s, int32_t h, int32_t w);  /* a line laid out in rows */
Stamp stamp_scale(Ctx *ctx, const Stamp *s, int32_t h, int32_t w); /* resampled */
Stamp stamp_tile(Ctx *ctx, const Stamp *s, int32_t h, int32_t w, int32_t gap, bool mirrored);
/* its pattern continued by its own periods */
Stamp stamp_repeat(Ctx *ctx, const Stamp *s, int32_t h, int32_t w);

/* One to many: fills list[max] and returns how many there are; 0: none, -1: no memory. */
int32_t stamp_split(Ctx *ctx, const Stamp *s, int32_t how, Stamp *list, int32_t max);
enum {
    SPLIT_OBJECTS,
    SPLIT_COLORS,
    SPLIT_COMPONENTS,
    SPLIT_COLUMNS,
    SPLIT_ROWS,
    SPLIT_MARKED,
    SPLIT_FALL,
    SPLIT_WAYS = SPLIT_FALL + 4
};

/* Many to one. */
enum { STAMP_CRITERIA = 14 };
/* the number by which one stamp of a list is chosen: the one with the greatest */
int32_t stamp_criterion(Ctx *ctx, const Stamp *s, int32_t which);
Stamp stamp_overlay(Ctx *ctx, const Stamp *list, int32_t n); /* the last on top, on the common rectangle */
Stamp stamp_heap(Ctx *ctx, const Stamp *list, int32_t n);    /* the smallest on top */
/* one after the other, along the axis on which they are spread out */
Stamp stamp_line(Ctx *ctx, const Stamp *list, int32_t n);
/* ordered by size: 0 side by side, 1 below each other */
Stamp stamp_pile(Ctx *ctx, const Stamp *list, int32_t n, int32_t how);
/* index of the one whose main color no other has, or -1 */
int32_t stamp_odd_one(const Stamp *list, int32_t n);

#endif

/* Drawing tools for the generators of synthetic tasks: a random source, a canvas, shapes. */
#ifndef BATT_DATA_SYNTH_SYNTH_DRAW_H
#define BATT_DATA_SYNTH_SYNTH_DRAW_H

#include "data/tasks/task.h"

/* xoshiro256**, not the generator of base/rng.h: the examples in the tree were drawn with it. */
typedef struct SynthRng {
    uint64_t state[4];
} SynthRng;

void rng_seed(SynthRng *rng, uint64_t seed);
int rng_range(SynthRng *rng, int low, int high); /* low..high, both included */
bool rng_chance(SynthRng *rng, int percent);
void rng_shuffle(SynthRng *rng, int *items, int n);

typedef struct Canvas {
    int h, w;
    int8_t at[ARC_SIDE * ARC_SIDE];
} Canvas;

void canvas_start(Canvas *canvas, int h, int w, int color);
static inline int8_t *canvas_at(Canvas *canvas, int i, int j) {
    return &canvas->at[i * canvas->w + j];
}
void canvas_rect(Canvas *canvas, int i, int j, int h, int w, int color);
void canvas_frame(Canvas *canvas, int i, int j, int h, int w, int color);
/* Every cell of the rectangle gets one of the n colors. */
void canvas_noise(Canvas *canvas, SynthRng *rng, int i, int j, int h, int w, const int *colors, int n);
void canvas_speckle(Canvas *canvas, SynthRng *rng, int color, int percent); /* of the cells that are 0 */
int canvas_count(const Canvas *canvas, int color);
/* A place where an h x w box with a margin around it covers nothing but 0; false: none found. */
bool canvas_room(const Canvas *canvas, SynthRng *rng, int h, int w, int margin, int *i, int *j);
/* `count` lone cells, separated by the margin; false: they do not fit. */
bool canvas_dots(Canvas *canvas, SynthRng *rng, int color, int count, int margin);

enum { SHAPE_SIDE = 6 };

typedef struct Shape { /* cut to its bounding box */
    int h, w, size;
    bool at[SHAPE_SIDE][SHAPE_SIDE];
} Shape;

Shape shape_blob(SynthRng *rng, int size, int side); /* connected, within side x side; size <= side * side */
Shape shape_mirrored(SynthRng *rng, int size);       /* the left half and its mirror image; odd width */
bool shape_equal(const Shape *a, const Shape *b);
bool shape_symmetric(const Shape *shape); /* left to right */
void canvas_shape(Canvas *canvas, const Shape *shape, int i, int j, int color);
bool canvas_place(Canvas *canvas, SynthRng *rng, const Shape *shape, int color, int margin);

#endif

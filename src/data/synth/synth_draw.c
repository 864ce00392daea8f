/* Random numbers and drawing for synthetic tasks; see synth_draw.h. */
#include "data/synth/synth_draw.h"

#include "base/check.h"
#include "base/rng.h"

#include <string.h>

static uint64_t rotate(uint64_t x, int k) {
    return x << k | x >> (64 - k);
}

void rng_seed(SynthRng *rng, uint64_t seed) {
    Rng from = {seed};
    for (int i = 0; i < 4; i++) {
        rng->state[i] = rng64(&from);
    }
}

static uint64_t rng_next(SynthRng *rng) {
    uint64_t *s = rng->state, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

int rng_range(SynthRng *rng, int low, int high) {
    ASSERT(low <= high, "from %d to %d", low, high);
    uint64_t span = (uint64_t)(high - low) + 1;
    return low + (int)((rng_next(rng) >> 32) * span >> 32);
}

bool rng_chance(SynthRng *rng, int percent) {
    return rng_range(rng, 0, 99) < percent;
}

void rng_shuffle(SynthRng *rng, int *items, int n) {
    for (int i = n - 1; i > 0; i--) {
        int j = rng_range(rng, 0, i), swap = items[i];
        items[i] = items[j];
        items[j] = swap;
    }
}

void canvas_start(Canvas *canvas, int h, int w, int color) {
    ASSERT(h >= 1 && w >= 1 && (size_t)h * (size_t)w <= sizeof canvas->at, "%d x %d", h, w);
    canvas->h = h;
    canvas->w = w;
    memset(canvas->at, color, (size_t)(h * w));
}

void canvas_rect(Canvas *canvas, int i, int j, int h, int w, int color) {
    ASSERT(i >= 0 && j >= 0 && i + h <= canvas->h && j + w <= canvas->w, "%d x %d at %d, %d of %d x %d", h, w,
           i, j, canvas->h, canvas->w);
    for (int r = i; r < i + h; r++) {
        memset(canvas_at(canvas, r, j), color, (size_t)w);
    }
}

void canvas_frame(Canvas *canvas, int i, int j, int h, int w, int color) {
    canvas_rect(canvas, i, j, 1, w, color);
    canvas_rect(canvas, i + h - 1, j, 1, w, color);
    canvas_rect(canvas, i, j, h, 1, color);
    canvas_rect(canvas, i, j + w - 1, h, 1, color);
}

void canvas_noise(Canvas *canvas, SynthRng *rng, int i, int j, int h, int w, const int *colors, int n) {
    ASSERT(n > 0, "no colors");
    for (int r = i; r < i + h; r++) {
        for (int c = j; c < j + w; c++) {
            *canvas_at(canvas, r, c) = (int8_t)colors[rng_range(rng, 0, n - 1)];
        }
    }
}

void canvas_speckle(Canvas *canvas, SynthRng *rng, int color, int percent) {
    for (int k = 0; k < canvas->h * canvas->w; k++) {
        if (canvas->at[k] == 0 && rng_chance(rng, percent)) {
            canvas->at[k] = (int8_t)color;
        }
    }
}

int canvas_count(const Canvas *canvas, int color) {
    int count = 0;
    for (int k = 0; k < canvas->h * canvas->w; k++) {
        count += canvas->at[k] == color;
    }
    return count;
}

static bool is_free(const Canvas *canvas, int i, int j, int h, int w) {
    for (int r = i < 0 ? 0 : i; r < i + h && r < canvas->h; r++) {
        for (int c = j < 0 ? 0 : j; c < j + w && c < canvas->w; c++) {
            if (canvas->at[r * canvas->w + c] != 0) {
                return false;
            }
        }
    }
    return true;
}

bool canvas_room(const Canvas *canvas, SynthRng *rng, int h, int w, int margin, int *i, int *j) {
    if (h > canvas->h || w > canvas->w) {
        return false;
    }
    for (int attempt = 0; attempt < 40; attempt++) {
        *i = rng_range(rng, 0, canvas->h - h);
        *j = rng_range(rng, 0, canvas->w - w);
        if (is_free(canvas, *i - margin, *j - margin, h + 2 * margin, w + 2 * margin)) {
            return true;
        }
    }
    return false;
}

bool canvas_dots(Canvas *canvas, SynthRng *rng, int color, int count, int margin) {
    for (int k = 0; k < count; k++) {
        int i, j;
        if (!canvas_room(canvas, rng, 1, 1, margin, &i, &j)) {
            return false;
        }
        *canvas_at(canvas, i, j) = (int8_t)color;
    }
    return true;
}

/* Moves the cells to the upper left corner. */
static void shape_cut(Shape *shape) {
    Shape cut = {.size = shape->size};
    int top = SHAPE_SIDE, left = SHAPE_SIDE, bottom = 0, right = 0;
    for (int i = 0; i < SHAPE_SIDE; i++) {
        for (int j = 0; j < SHAPE_SIDE; j++) {
            if (shape->at[i][j]) {
                top = i < top ? i : top;
                left = j < left ? j : left;
                bottom = i > bottom ? i : bottom;
                right = j > right ? j : right;
            }
        }
    }
    cut.h = bottom - top + 1;
    cut.w = right - left + 1;
    for (int i = 0; i < cut.h; i++) {
        for (int j = 0; j < cut.w; j++) {
            cut.at[i][j] = shape->at[top + i][left + j];
        }
    }
    *shape = cut;
}

/* Grows from a cell into random free neighbors. */
static void shape_grow(Shape *shape, SynthRng *rng, int size, int h, int w) {
    shape->at[rng_range(rng, 0, h - 1)][rng_range(rng, 0, w - 1)] = true;
    for (shape->size = 1; shape->size < size;) {
        int i = rng_range(rng, 0, h - 1), j = rng_range(rng, 0, w - 1);
        bool touches = (i > 0 && shape->at[i - 1][j]) || (i + 1 < h && shape->at[i + 1][j]) ||
                       (j > 0 && shape->at[i][j - 1]) || (j + 1 < w && shape->at[i][j + 1]);
        if (!shape->at[i][j] && touches) {
            shape->at[i][j] = true;
            shape->size++;
        }
    }
}

Shape shape_blob(SynthRng *rng, int size, int side) {
    Shape shape = {0};
    shape_grow(&shape, rng, size, side, side);
    shape_cut(&shape);
    return shape;
}

Shape shape_mirrored(SynthRng *rng, int size) {
    Shape shape = {0};
    shape_grow(&shape, rng, size, 4, 3);
    for (int i = 0; i < 4; i++) {
        shape.at[i][2] = shape.at[i][2] || shape.at[i][1]; /* something must reach the axis */
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 2; j++) {
            shape.at[i][4 - j] = shape.at[i][j];
        }
    }
    shape_cut(&shape);
    return shape;
}

bool shape_equal(const Shape *a, const Shape *b) {
    return a->h == b->h && a->w == b->w && memcmp(a->at, b->at, sizeof a->at) == 0;
}

bool shape_symmetric(const Shape *shape) {
    for (int i = 0; i < shape->h; i++) {
        for (int j = 0; j < shape->w; j++) {
            if (shape->at[i][j] != shape->at[i][shape->w - 1 - j]) {
                return false;
            }
        }
    }
    return true;
}

void canvas_shape(Canvas *canvas, const Shape *shape, int i, int j, int color) {
    for (int r = 0; r < shape->h; r++) {
        for (int c = 0; c < shape->w; c++) {
            if (shape->at[r][c]) {
                *canvas_at(canvas, i + r, j + c) = (int8_t)color;
            }
        }
    }
}

bool canvas_place(Canvas *canvas, SynthRng *rng, const Shape *shape, int color, int margin) {
    int i, j;
    if (!canvas_room(canvas, rng, shape->h, shape->w, margin, &i, &j)) {
        return false;
    }
    canvas_shape(canvas, shape, i, j, color);
    return true;
}

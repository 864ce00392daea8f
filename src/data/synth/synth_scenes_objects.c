/* Scenes of separate things on an empty background: blobs, rectangles, frames; see synth_scenes.h. */
#include "data/synth/synth_scenes.h"

static void empty_background(Canvas *canvas, SynthRng *rng, int low, int high) {
    canvas_start(canvas, rng_range(rng, low, high), rng_range(rng, low, high), 0);
}

/* Two to four blobs, all of different sizes. */
static bool blobs_of(Canvas *canvas, SynthRng *rng, const int *colors, bool same_color) {
    int sizes[] = {3, 5, 7, 9}, count = rng_range(rng, 2, 4);
    rng_shuffle(rng, sizes, 4);
    empty_background(canvas, rng, 9, 13);
    for (int k = 0; k < count; k++) {
        Shape shape = shape_blob(rng, sizes[k], 4);
        if (!canvas_place(canvas, rng, &shape, colors[same_color ? 0 : k], 1)) {
            return false;
        }
    }
    return true;
}

bool scene_blobs(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int colors[] = {theme->a, theme->b, theme->c, theme->d};
    rng_shuffle(rng, colors, 4);
    return blobs_of(canvas, rng, colors, false);
}

bool scene_blobs_one_color(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    return blobs_of(canvas, rng, &theme->a, true);
}

/* Some touch the border, some do not. */
bool scene_blobs_at_border(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    empty_background(canvas, rng, 9, 13);
    for (int k = rng_range(rng, 3, 5); k > 0; k--) {
        Shape shape = shape_blob(rng, rng_range(rng, 3, 6), 3);
        if (!canvas_place(canvas, rng, &shape, theme->a, 1)) {
            return false;
        }
    }
    return true;
}

/* Blobs of color a, each with one cell of another color. */
bool scene_blobs_marked(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->b, theme->c, theme->d};
    empty_background(canvas, rng, 9, 13);
    for (int k = rng_range(rng, 2, 4); k > 0; k--) {
        Shape shape = shape_blob(rng, rng_range(rng, 4, 9), 4);
        int i, j, marked = rng_range(rng, 1, shape.size);
        if (!canvas_room(canvas, rng, shape.h, shape.w, 1, &i, &j)) {
            return false;
        }
        canvas_shape(canvas, &shape, i, j, theme->a);
        for (int r = 0; r < shape.h; r++) {
            for (int c = 0; c < shape.w; c++) {
                if (shape.at[r][c] && --marked == 0) {
                    *canvas_at(canvas, i + r, j + c) = (int8_t)colors[rng_range(rng, 0, 2)];
                }
            }
        }
    }
    return true;
}

/* One shape several times, another one once, in any colors. */
bool scene_shapes_one_odd(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->a, theme->b, theme->c, theme->d};
    Shape common = shape_blob(rng, rng_range(rng, 4, 6), 3), odd = shape_blob(rng, rng_range(rng, 4, 6), 3);
    int count = rng_range(rng, 2, 3), at = rng_range(rng, 0, count);
    if (shape_equal(&common, &odd)) {
        return false;
    }
    empty_background(canvas, rng, 9, 13);
    for (int k = 0; k <= count; k++) {
        if (!canvas_place(canvas, rng, k == at ? &odd : &common, colors[rng_range(rng, 0, 3)], 1)) {
            return false;
        }
    }
    return true;
}

/* Some shapes are their own mirror image, some are not. */
bool scene_shapes_symmetric(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int kept = 0, lost = 0;
    empty_background(canvas, rng, 10, 14);
    for (int k = rng_range(rng, 3, 4); k > 0; k--) {
        Shape shape = rng_chance(rng, 50) ? shape_mirrored(rng, rng_range(rng, 3, 5))
                                          : shape_blob(rng, rng_range(rng, 4, 7), 4);
        bool symmetric = shape_symmetric(&shape);
        kept += symmetric;
        lost += !symmetric;
        if (!canvas_place(canvas, rng, &shape, theme->a, 1)) {
            return false;
        }
    }
    return kept > 0 && lost > 0;
}

static bool place_rect(Canvas *canvas, SynthRng *rng, int h, int w, int color, int *i, int *j) {
    if (!canvas_room(canvas, rng, h, w, 1, i, j)) {
        return false;
    }
    canvas_rect(canvas, *i, *j, h, w, color);
    return true;
}

bool scene_rects(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int i, j;
    empty_background(canvas, rng, 9, 13);
    for (int k = rng_range(rng, 1, 3); k > 0; k--) {
        if (!place_rect(canvas, rng, rng_range(rng, 3, 5), rng_range(rng, 3, 5), theme->a, &i, &j)) {
            return false;
        }
    }
    return true;
}

bool scene_rects_with_specks(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->a, theme->b, theme->c};
    int i, j;
    empty_background(canvas, rng, 10, 14);
    for (int k = rng_range(rng, 2, 3); k > 0; k--) {
        if (!place_rect(canvas, rng, rng_range(rng, 2, 4), rng_range(rng, 2, 4), colors[k - 1], &i, &j)) {
            return false;
        }
    }
    for (int k = rng_range(rng, 3, 6); k > 0; k--) {
        if (!canvas_dots(canvas, rng, colors[rng_range(rng, 0, 2)], 1, 1)) {
            return false;
        }
    }
    return true;
}

/* Rectangles with a few cells of color d in them. */
bool scene_rects_spoiled(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->a, theme->b, theme->c};
    empty_background(canvas, rng, 10, 14);
    for (int k = rng_range(rng, 2, 3); k > 0; k--) {
        int h = rng_range(rng, 3, 5), w = rng_range(rng, 3, 5), i, j;
        if (!place_rect(canvas, rng, h, w, colors[k - 1], &i, &j)) {
            return false;
        }
        for (int spots = rng_range(rng, 1, 3); spots > 0; spots--) {
            *canvas_at(canvas, i + rng_range(rng, 0, h - 1), j + rng_range(rng, 0, w - 1)) = (int8_t)theme->d;
        }
    }
    return true;
}

bool scene_rects_and_squares(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int squares = 0, i, j;
    empty_background(canvas, rng, 10, 14);
    for (int k = rng_range(rng, 3, 5); k > 0; k--) {
        int h = rng_range(rng, 2, 4), w = rng_chance(rng, 50) ? h : rng_range(rng, 1, 4);
        squares += h == w;
        if (!place_rect(canvas, rng, h, w, theme->a, &i, &j)) {
            return false;
        }
    }
    return squares > 0;
}

bool scene_frames(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    empty_background(canvas, rng, 9, 13);
    for (int k = rng_range(rng, 1, 3); k > 0; k--) {
        int h = rng_range(rng, 3, 6), w = rng_range(rng, 3, 6), i, j;
        if (!canvas_room(canvas, rng, h, w, 1, &i, &j)) {
            return false;
        }
        canvas_frame(canvas, i, j, h, w, theme->a);
    }
    return true;
}

/* Closed frames, and open ones that a rule about holes must ignore. */
bool scene_frames_some_open(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int closed = 0;
    empty_background(canvas, rng, 10, 14);
    for (int k = rng_range(rng, 2, 4); k > 0; k--) {
        int h = rng_range(rng, 3, 5), w = rng_range(rng, 3, 5), i, j;
        if (!canvas_room(canvas, rng, h, w, 1, &i, &j)) {
            return false;
        }
        canvas_frame(canvas, i, j, h, w, theme->a);
        if (rng_chance(rng, 40)) {
            *canvas_at(canvas, rng_chance(rng, 50) ? i : i + h - 1, j + rng_range(rng, 1, w - 2)) = 0;
        } else {
            closed++;
        }
    }
    return closed > 0;
}

bool scene_two_colored_block(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int colors[] = {theme->a, theme->b, theme->c, theme->d};
    int h = rng_range(rng, 3, 5), w = rng_range(rng, 3, 5), i, j;
    empty_background(canvas, rng, 9, 12);
    rng_shuffle(rng, colors, 4);
    if (!place_rect(canvas, rng, h, w, colors[0], &i, &j)) {
        return false;
    }
    for (int k = rng_range(rng, 2, h * w / 2); k > 0; k--) {
        *canvas_at(canvas, i + rng_range(rng, 0, h - 1), j + rng_range(rng, 0, w - 1)) = (int8_t)colors[1];
    }
    return true;
}

/* A square of noise. */
bool scene_block(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->a, theme->b, theme->c};
    int side = rng_range(rng, 2, 4), i, j;
    empty_background(canvas, rng, 7, 11);
    if (!place_rect(canvas, rng, side, side, 0, &i, &j)) {
        return false;
    }
    canvas_noise(canvas, rng, i, j, side, side, colors, 3);
    return true;
}

/* Four cells of color a mark the corners of a part of the noise. */
bool scene_marked_corners(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {0, theme->b, theme->c};
    int h = rng_range(rng, 4, 7), w = rng_range(rng, 4, 7);
    empty_background(canvas, rng, 9, 12);
    canvas_noise(canvas, rng, 0, 0, canvas->h, canvas->w, colors, 3);
    int i = rng_range(rng, 0, canvas->h - h), j = rng_range(rng, 0, canvas->w - w);
    for (int k = 0; k < 4; k++) {
        *canvas_at(canvas, i + k / 2 * (h - 1), j + k % 2 * (w - 1)) = (int8_t)theme->a;
    }
    return true;
}

/* Something of color a, and in line with it a block of color b. */
bool scene_mover_and_anchor(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int h = rng_range(rng, 2, 3), w = rng_range(rng, 2, 3), long_side = rng_range(rng, 10, 14);
    bool upright = rng_chance(rng, 50), anchor_first = rng_chance(rng, 50);
    int short_side = rng_range(rng, 6, 9), gap = rng_range(rng, 2, long_side - 7);
    int first = rng_range(rng, 0, long_side - gap - 6), second = first + 3 + gap;
    int at = rng_range(rng, 0, short_side - 3), anchor_at = anchor_first ? first : second;
    int mover_at = anchor_first ? second : first;
    canvas_start(canvas, upright ? long_side : short_side, upright ? short_side : long_side, 0);
    canvas_rect(canvas, upright ? anchor_at : at, upright ? at : anchor_at, 3, 3, theme->b);
    canvas_rect(canvas, upright ? mover_at : at, upright ? at : mover_at, h, w, theme->a);
    return true;
}

/* Rectangles that hang over a floor of color a, none above another. */
bool scene_above_a_floor(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->b, theme->c, theme->d};
    int h = rng_range(rng, 8, 12), count = rng_range(rng, 2, 4), width = 1;
    int widths[4];
    for (int k = 0; k < count; k++) {
        widths[k] = rng_range(rng, 1, 3);
        width += widths[k] + 1;
    }
    canvas_start(canvas, h, width, 0);
    canvas_rect(canvas, h - 1, 0, 1, width, theme->a);
    for (int k = 0, j = 1; k < count; j += widths[k++] + 1) {
        int height = rng_range(rng, 1, 3);
        canvas_rect(canvas, rng_range(rng, 0, h - 1 - height), j, height, widths[k],
                    colors[rng_range(rng, 0, 2)]);
    }
    return true;
}

/* A blob left of a vertical line in the middle. */
bool scene_left_of_axis(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int h = rng_range(rng, 6, 9), half = rng_range(rng, 4, 6);
    Shape shape = shape_blob(rng, rng_range(rng, 4, 8), 4);
    canvas_start(canvas, h, 2 * half + 1, 0);
    canvas_rect(canvas, 0, half, h, 1, theme->b);
    canvas_shape(canvas, &shape, rng_range(rng, 0, h - shape.h), rng_range(rng, 0, half - shape.w), theme->a);
    return true;
}

/* Two shapes of equal extent, one of color a and one of color b. */
bool scene_two_shapes(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    Shape one = shape_blob(rng, rng_range(rng, 5, 7), 3), two = shape_blob(rng, rng_range(rng, 5, 7), 3);
    empty_background(canvas, rng, 8, 12);
    return one.h == 3 && one.w == 3 && two.h == 3 && two.w == 3 &&
           canvas_place(canvas, rng, &one, theme->a, 1) && canvas_place(canvas, rng, &two, theme->b, 1);
}

/* Scenes of dots and bars, for rules about lines, falling and sorting; see synth_scenes.h. */
#include "data/synth/synth_scenes.h"

static void empty_background(Canvas *canvas, SynthRng *rng, int low, int high) {
    canvas_start(canvas, rng_range(rng, low, high), rng_range(rng, low, high), 0);
}

bool scene_dots(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    empty_background(canvas, rng, 6, 10);
    canvas_speckle(canvas, rng, theme->a, 25);
    return canvas_count(canvas, theme->a) > 3;
}

bool scene_dots_colored(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    empty_background(canvas, rng, 5, 9);
    canvas_speckle(canvas, rng, theme->a, 12);
    canvas_speckle(canvas, rng, theme->b, 10);
    canvas_speckle(canvas, rng, theme->c, 10);
    return canvas_count(canvas, 0) < canvas->h * canvas->w - 4 &&
           canvas_count(canvas, 0) > canvas->h * canvas->w / 2;
}

/* One color is more frequent than the others. */
bool scene_dots_majority(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    if (!scene_dots_colored(canvas, theme, rng)) {
        return false;
    }
    int a = canvas_count(canvas, theme->a), b = canvas_count(canvas, theme->b),
        c = canvas_count(canvas, theme->c);
    int max = a > b ? a : b;
    max = c > max ? c : max;
    return (a == max) + (b == max) + (c == max) == 1;
}

/* The dots are so far apart that what is drawn around them cannot meet. */
bool scene_dots_apart(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    empty_background(canvas, rng, 8, 13);
    return canvas_dots(canvas, rng, theme->a, rng_range(rng, 2, 5), 2);
}

bool scene_dots_few(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    empty_background(canvas, rng, 7, 12);
    return canvas_dots(canvas, rng, theme->a, rng_range(rng, 1, 3), 1);
}

/* Some rows have two dots of color a. */
bool scene_dots_in_rows(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    empty_background(canvas, rng, 7, 12);
    int pairs = 0;
    for (int i = rng_range(rng, 0, 1); i < canvas->h; i += rng_range(rng, 1, 3)) {
        int left = rng_range(rng, 0, canvas->w - 3), right = rng_range(rng, left + 2, canvas->w - 1);
        *canvas_at(canvas, i, left) = (int8_t)theme->a;
        if (rng_chance(rng, 70)) {
            *canvas_at(canvas, i, right) = (int8_t)theme->a;
            pairs++;
        }
    }
    return pairs > 0;
}

/* One dot of color a and one of color b, not in line. */
bool scene_two_ends(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    empty_background(canvas, rng, 6, 12);
    int i = rng_range(rng, 0, canvas->h - 1), j = rng_range(rng, 0, canvas->w - 1);
    int k = rng_range(rng, 0, canvas->h - 1), l = rng_range(rng, 0, canvas->w - 1);
    *canvas_at(canvas, i, j) = (int8_t)theme->a;
    *canvas_at(canvas, k, l) = (int8_t)theme->b;
    return i != k && j != l;
}

/* 1..n in random order. */
static void permutation(SynthRng *rng, int *items, int n) {
    for (int k = 0; k < n; k++) {
        items[k] = k + 1;
    }
    rng_shuffle(rng, items, n);
}

/* Bars of color a on the floor, a column between them, no two equally high. */
bool scene_bars(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int heights[8], count = rng_range(rng, 3, 4), tallest = rng_range(rng, 5, 8), h = tallest + 1;
    permutation(rng, heights, tallest);
    canvas_start(canvas, h, 2 * count + 1, 0);
    for (int k = 0; k < count; k++) {
        canvas_rect(canvas, h - heights[k], 2 * k + 1, heights[k], 1, theme->a);
    }
    return true;
}

/* Bars side by side in several colors. */
bool scene_bars_colored(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->a, theme->b, theme->c, theme->d};
    int heights[9], tallest = rng_range(rng, 5, 9), count = rng_range(rng, 4, tallest);
    permutation(rng, heights, tallest);
    canvas_start(canvas, tallest, count, 0);
    for (int k = 0; k < count; k++) {
        canvas_rect(canvas, tallest - heights[k], k, heights[k], 1, colors[rng_range(rng, 0, 3)]);
    }
    return true;
}

/* The same lying down. */
bool scene_rows_of_bars(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->a, theme->b, theme->c, theme->d};
    int lengths[9], longest = rng_range(rng, 5, 9), count = rng_range(rng, 4, longest);
    permutation(rng, lengths, longest);
    canvas_start(canvas, count, longest, 0);
    for (int k = 0; k < count; k++) {
        canvas_rect(canvas, k, 0, 1, lengths[k], colors[rng_range(rng, 0, 3)]);
    }
    return true;
}

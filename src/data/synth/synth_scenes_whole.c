/* Scenes in which the whole grid matters: noise, tilings, symmetry, halves, lattices; see synth_scenes.h. */
#include "data/synth/synth_scenes.h"

/* A grid of noise in 0, a, b, c. */
static bool noise_of(Canvas *canvas, const SynthTheme *theme, SynthRng *rng, int h, int w) {
    const int colors[] = {0, theme->a, theme->b, theme->c};
    canvas_start(canvas, h, w, 0);
    canvas_noise(canvas, rng, 0, 0, h, w, colors, 4);
    return true;
}

bool scene_noise(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    return noise_of(canvas, theme, rng, rng_range(rng, 3, 9), rng_range(rng, 3, 9));
}

bool scene_noise_square(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int side = rng_range(rng, 3, 8);
    return noise_of(canvas, theme, rng, side, side);
}

bool scene_noise_small(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    return noise_of(canvas, theme, rng, rng_range(rng, 2, 5), rng_range(rng, 2, 5));
}

bool scene_noise_small_square(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int side = rng_range(rng, 2, 4);
    return noise_of(canvas, theme, rng, side, side);
}

bool scene_noise_even(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    return noise_of(canvas, theme, rng, 2 * rng_range(rng, 2, 5), 2 * rng_range(rng, 2, 5));
}

/* a and b everywhere, c in a few places. */
bool scene_noise_rare(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->a, theme->b};
    int h = rng_range(rng, 4, 8), w = rng_range(rng, 4, 8);
    canvas_start(canvas, h, w, 0);
    canvas_noise(canvas, rng, 0, 0, h, w, colors, 2);
    for (int k = rng_range(rng, 2, 3); k > 0; k--) {
        canvas->at[rng_range(rng, 0, h * w - 1)] = (int8_t)theme->c;
    }
    int a = canvas_count(canvas, theme->a), b = canvas_count(canvas, theme->b);
    int rare = canvas_count(canvas, theme->c);
    return rare < a && rare < b && a != b;
}

/* Two, three or four colors, none of them 0. */
bool scene_noise_without_0(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int colors[] = {theme->a, theme->b, theme->c, theme->d}, h = rng_range(rng, 2, 4),
        w = rng_range(rng, 2, 4);
    rng_shuffle(rng, colors, 4);
    canvas_start(canvas, h, w, 0);
    canvas_noise(canvas, rng, 0, 0, h, w, colors, rng_range(rng, 2, 4));
    return true;
}

/* Every cell is an n x n block. */
bool scene_blocks(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {0, theme->a, theme->b, theme->c};
    int n = theme->n, h = rng_range(rng, 2, 5), w = rng_range(rng, 2, 5);
    canvas_start(canvas, n * h, n * w, 0);
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
            canvas_rect(canvas, n * i, n * j, n, n, colors[rng_range(rng, 0, 3)]);
        }
    }
    return true;
}

bool scene_one_color_3x3(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->a, theme->b, theme->c, theme->d};
    canvas_start(canvas, 3, 3, 0);
    canvas_speckle(canvas, rng, colors[rng_range(rng, 0, 3)], 55);
    int empty = canvas_count(canvas, 0);
    return empty >= 1 && empty <= 7;
}

/* Four quarters, three of them alike. */
bool scene_quadrants(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int h = rng_range(rng, 2, 5), w = rng_range(rng, 2, 5);
    canvas_start(canvas, 2 * h, 2 * w, 0);
    const int colors[] = {0, theme->a, theme->b, theme->c};
    canvas_noise(canvas, rng, 0, 0, h, w, colors, 4);
    for (int i = 0; i < 2 * h; i++) {
        for (int j = 0; j < 2 * w; j++) {
            *canvas_at(canvas, i, j) = *canvas_at(canvas, i % h, j % w);
        }
    }
    int odd = rng_range(rng, 0, 3);
    for (int k = rng_range(rng, 1, 3); k > 0; k--) {
        int i = odd / 2 * h + rng_range(rng, 0, h - 1), j = odd % 2 * w + rng_range(rng, 0, w - 1);
        *canvas_at(canvas, i, j) = (int8_t)theme->d;
    }
    return true;
}

bool scene_framed(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int h = rng_range(rng, 4, 9), w = rng_range(rng, 4, 9);
    noise_of(canvas, theme, rng, h, w);
    canvas_frame(canvas, 0, 0, h, w, theme->d);
    return true;
}

/* Left and right mirror one another; a rectangle of color a hides a part of one side. */
bool scene_symmetric_with_gap(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {0, theme->b, theme->c, theme->d};
    int h = rng_range(rng, 5, 9), half = rng_range(rng, 3, 5), w = 2 * half;
    canvas_start(canvas, h, w, 0);
    canvas_noise(canvas, rng, 0, 0, h, half, colors, 4);
    for (int i = 0; i < h; i++) {
        for (int j = half; j < w; j++) {
            *canvas_at(canvas, i, j) = *canvas_at(canvas, i, w - 1 - j);
        }
    }
    int gap_h = rng_range(rng, 2, 3), gap_w = rng_range(rng, 2, half);
    canvas_rect(canvas, rng_range(rng, 0, h - gap_h),
                rng_range(rng, 0, half - gap_w) + (rng_chance(rng, 50) ? half : 0), gap_h, gap_w, theme->a);
    return true;
}

/* A pattern that repeats every n columns, partly hidden by a rectangle of color a, at most n wide. */
bool scene_tiles_with_gap(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->b, theme->c, theme->d};
    int n = theme->n, h = rng_range(rng, 4, 8), w = rng_range(rng, 3 * n, 3 * n + 4);
    canvas_start(canvas, h, w, 0);
    canvas_noise(canvas, rng, 0, 0, h, n, colors, 3);
    for (int i = 0; i < h; i++) {
        for (int j = n; j < w; j++) {
            *canvas_at(canvas, i, j) = *canvas_at(canvas, i, j - n);
        }
    }
    int gap_h = rng_range(rng, 2, 4), gap_w = rng_range(rng, 2, n);
    canvas_rect(canvas, rng_range(rng, 0, h - gap_h), rng_range(rng, 0, w - gap_w), gap_h, gap_w, theme->a);
    return true;
}

/* On the left a on 0, on the right b on 0, and between them a line of c. */
bool scene_halves(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int left[] = {0, theme->a}, right[] = {0, theme->b};
    int h = rng_range(rng, 3, 7), w = rng_range(rng, 3, 6);
    canvas_start(canvas, h, 2 * w + 1, theme->c);
    canvas_noise(canvas, rng, 0, 0, h, w, left, 2);
    canvas_noise(canvas, rng, 0, w + 1, h, w, right, 2);
    return true;
}

/* The lines of a 3 x 3 lattice of n x n cells, in color b. */
static void lattice(Canvas *canvas, const SynthTheme *theme, int n) {
    int side = 3 * n + 2;
    canvas_start(canvas, side, side, 0);
    for (int k = n; k < side; k += n + 1) {
        canvas_rect(canvas, k, 0, 1, side, theme->b);
        canvas_rect(canvas, 0, k, side, 1, theme->b);
    }
}

/* One cell of the lattice has more of color a than any other. */
bool scene_lattice_counts(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int n = rng_range(rng, 2, 4), winner = rng_range(rng, 0, 8), max = rng_range(rng, n, n * n);
    lattice(canvas, theme, n);
    for (int k = 0; k < 9; k++) {
        int order[16];
        for (int i = 0; i < n * n; i++) {
            order[i] = i;
        }
        rng_shuffle(rng, order, n * n);
        int count = k == winner ? max : rng_range(rng, 0, max - 1);
        for (int i = 0; i < count; i++) {
            int row = k / 3 * (n + 1) + order[i] / n, column = k % 3 * (n + 1) + order[i] % n;
            *canvas_at(canvas, row, column) = (int8_t)theme->a;
        }
    }
    return true;
}

/* Each cell has one color and, where there is room, a speck of another. */
bool scene_lattice_solid(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {0, theme->a, theme->c, theme->d};
    int n = rng_range(rng, 2, 4);
    lattice(canvas, theme, n);
    for (int k = 0; k < 9; k++) {
        int i = k / 3 * (n + 1), j = k % 3 * (n + 1);
        canvas_rect(canvas, i, j, n, n, colors[rng_range(rng, 0, 3)]);
        if (n > 2) {
            *canvas_at(canvas, i + rng_range(rng, 0, n - 1), j + rng_range(rng, 0, n - 1)) =
                (int8_t)colors[rng_range(rng, 0, 3)];
        }
    }
    return true;
}

/* Noise cut by full lines of color b, which occurs nowhere else. */
bool scene_lattice_noise(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {0, theme->a, theme->c};
    int h = rng_range(rng, 6, 10), w = rng_range(rng, 6, 10);
    canvas_start(canvas, h, w, 0);
    canvas_noise(canvas, rng, 0, 0, h, w, colors, 3);
    canvas_rect(canvas, rng_range(rng, 1, h - 2), 0, 1, w, theme->b);
    canvas_rect(canvas, 0, rng_range(rng, 1, w - 2), h, 1, theme->b);
    if (rng_chance(rng, 50)) {
        canvas_rect(canvas, rng_range(rng, 1, h - 2), 0, 1, w, theme->b);
    }
    return true;
}

/* A few full rows among specks. */
bool scene_full_rows(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    const int colors[] = {theme->b, theme->c, theme->d};
    int h = rng_range(rng, 6, 10), w = rng_range(rng, 5, 10);
    canvas_start(canvas, h, w, 0);
    canvas_speckle(canvas, rng, theme->a, 25);
    for (int k = rng_range(rng, 1, 3); k > 0; k--) {
        canvas_rect(canvas, rng_range(rng, 0, h - 1), 0, 1, w, colors[rng_range(rng, 0, 2)]);
    }
    return true;
}

/* In the upper left corner a color and what becomes of it; below, dots of that color and others. */
bool scene_legend(Canvas *canvas, const SynthTheme *theme, SynthRng *rng) {
    int colors[] = {theme->a, theme->b, theme->c, theme->d}, h = rng_range(rng, 5, 9),
        w = rng_range(rng, 4, 9);
    rng_shuffle(rng, colors, 4);
    canvas_start(canvas, h, w, 0);
    for (int i = 2; i < h; i++) {
        for (int j = 0; j < w; j++) {
            if (rng_chance(rng, 45)) {
                *canvas_at(canvas, i, j) = (int8_t)colors[rng_range(rng, 0, 2)];
            }
        }
    }
    *canvas_at(canvas, 0, 0) = (int8_t)colors[0];
    *canvas_at(canvas, 0, 1) = (int8_t)colors[3];
    return canvas_count(canvas, colors[0]) > 2;
}

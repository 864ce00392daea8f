/* Writes strips of grids as a picture file.
 *
 * The same strips that draw.h puts into a terminal are laid out in pixels once, in picture.c, as filled
 * rectangles and short texts; svg.c and png.c only put those two on their kind of canvas. */
#ifndef BATT_TOOLS_DISPLAY_PICTURE_H
#define BATT_TOOLS_DISPLAY_PICTURE_H

#include "base/out.h"
#include "tools/display/draw.h"
#include "tools/display/palette.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Picture {
    const char *title; /* may be NULL */
    const DrawStrip *strips;
    size_t count;
    const Palette *palette; /* NULL: the default one */
    int width;              /* strips are wrapped to this many pixels; 0: 860 */
    bool digits;            /* a number in every cell that is large enough for one */
} Picture;

/* A complete SVG document: no scripts, no outside references, text that adapts to light and dark pages. */
void picture_to_svg(Out *out, const Picture *picture);

/* A PNG file, at two pixels per unit. False with a reason if memory ran out or the picture would be absurdly
 * large. */
bool picture_to_png(Out *out, const Picture *picture, char *why, size_t why_size);

/* ---- between picture.c and its canvases ---- */

typedef enum PictureText {
    TEXT_TITLE,
    TEXT_LABEL,
    TEXT_PLAIN,
    TEXT_GOOD,
    TEXT_BAD,
    TEXT_DARK,
    TEXT_LIGHT
} PictureText;

typedef struct Canvas Canvas;
struct Canvas {
    void (*rect)(Canvas *canvas, int x, int y, int w, int h, Rgb color);
    /* y is the base line; DARK and LIGHT texts are digits inside cells, centered on x, others start at x */
    void (*text)(Canvas *canvas, int x, int y, PictureText kind, const char *text);
};

enum { PICTURE_CHAR = 7, PICTURE_TITLE_CHAR = 9 }; /* estimated width of a character */

void picture_measure(const Picture *picture, int *width, int *height);
void picture_draw(const Picture *picture, Canvas *canvas);

#endif

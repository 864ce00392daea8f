/* Draws grids in a terminal.
 *
 * The unit is a strip: a label and a few panels (images) in a row, such as a pair's input and output, or the
 * expected and the actual output. draw_strips puts as many strips side by side as the width allows and
 * chooses how large cells are: two columns per cell; where that is too wide, half blocks (two rows of the
 * grid in one line) or single digits; where even that is too wide, the panels of a strip are stacked. Sizes
 * are rows x columns. */
#ifndef BATT_TOOLS_DISPLAY_DRAW_H
#define BATT_TOOLS_DISPLAY_DRAW_H

#include "base/image.h"
#include "base/out.h"
#include "tools/display/term.h"

#include <stddef.h>
#include <stdint.h>

/* Of a larger image only the first DRAW_MAX_SIDE rows and columns are drawn. */
enum { DRAW_MAX_PANELS = 4, DRAW_MAX_SIDE = 64 };

typedef enum DrawJoint { JOINT_ARROW, JOINT_EQUAL, JOINT_UNEQUAL, JOINT_GAP } DrawJoint;

typedef struct DrawPanel {
    const char *name;       /* before its size in the caption; may be NULL */
    DrawJoint joint;        /* the sign between this panel and the one before it */
    Image image;            /* cells NULL: unknown, drawn as "?" */
    const uint8_t *marks;   /* Mark of each cell, or NULL */
    const uint16_t *groups; /* number of each lit cell's object, or NULL; shown as a letter */
} DrawPanel;

typedef struct DrawStrip {
    const char *label;  /* "train 1"; may be NULL */
    const char *note;   /* after the sizes; may be NULL */
    TermAttr note_attr; /* ATTR_RESET: plain */
    DrawPanel panels[DRAW_MAX_PANELS];
    int count;
} DrawStrip;

void draw_strips(Out *out, const TermStyle *style, const DrawStrip *strips, size_t count);

void draw_image(Out *out, const TermStyle *style, const char *label, const Image *image);
void draw_pair(Out *out, const TermStyle *style, const char *label, const Image *input, const Image *output);

/* Draws expected beside actual with wrong cells marked, and says in words: "4 of 9 cells wrong", "wrong
 * size". `input` may be NULL. */
void draw_diff(Out *out, const TermStyle *style, const char *label, const Image *input, const Image *expected,
               const Image *got);

/* "10x12", "empty", "?" into `text` (at least 32 bytes); returns it */
char *draw_size(const Image *image, char *text, size_t size);

#endif

/* Marks on single cells of a picture: wrong, dimmed, highlighted, absent.
 *
 * Marks are kept beside an Image, one byte per cell. They are made in two ways: by comparing a result with
 * the expected one, and by laying a patch (an object, a set of indices) over the grid it was found in. */
#ifndef BATT_TOOLS_DISPLAY_MARKS_H
#define BATT_TOOLS_DISPLAY_MARKS_H

#include "base/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Mark {
    MARK_NONE,
    MARK_WRONG, /* differs from what was expected */
    MARK_DIM,   /* context: there, but not what the picture is about */
    MARK_LIT,   /* what the picture is about */
    MARK_VOID,  /* no cell here: draw nothing */
} Mark;

typedef struct MarksDiff {
    bool same_size;
    int64_t wrong; /* cells that differ where both images have one */
    int64_t cells; /* how many were compared */
} MarksDiff;

bool image_is_empty(const Image *image); /* no cells, or no such image */
MarksDiff marks_compare(const Image *expected, const Image *got);

/* Compares and fills `marks`, one byte for each cell of `got`: MARK_WRONG where it disagrees with `expected`
 * or lies outside it, otherwise MARK_NONE. */
MarksDiff marks_diff(const Image *expected, const Image *got, uint8_t *marks);

/* One cell of a patch. Coordinates may be anything: programs shift objects off the grid. */
typedef struct OverlayCell {
    int32_t row, col;
    int16_t color;  /* or OVERLAY_KEEP: the color of the grid below (indices have none of their own) */
    uint16_t group; /* number of the object it belongs to, from 1; 0: there is only one patch */
} OverlayCell;
enum { OVERLAY_KEEP = INT16_MIN };

/* A dimmed grid with a patch lit on top, enlarged to hold cells outside (up to OVERLAY_REACH cells away;
 * those beyond are counted in `beyond`). Owns its memory. */
typedef struct Overlay {
    Image image;
    int8_t *cells;
    uint8_t *marks;
    uint16_t *groups;  /* object of each cell, 0 for none; NULL if no cell has a group */
    int32_t top, left; /* grid coordinates of image cell (0, 0); negative if the patch reaches up or left */
    int64_t beyond;
} Overlay;
enum { OVERLAY_REACH = 30 };

/* false: no memory */
bool overlay_make(Overlay *overlay, const Image *base, const OverlayCell *cells, size_t count);
void overlay_free(Overlay *overlay);

#endif

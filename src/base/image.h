/* A rectangle of small integers, as tasks hold it and views draw it.
 *
 * An Image does not own its cells; whoever made it defines how long they live. */
#ifndef BATT_BASE_IMAGE_H
#define BATT_BASE_IMAGE_H

#include <stdint.h>

typedef struct Image {
    int32_t h, w;
    const int8_t *cells; /* row-major, h * w of them */
} Image;

/* The colors that occur, as a set of bits. */
static inline uint16_t image_colors(Image image) {
    uint32_t set = 0;
    for (int32_t k = 0; k < image.h * image.w; k++) {
        set |= 1u << (image.cells[k] & 15);
    }
    return (uint16_t)set;
}

#endif

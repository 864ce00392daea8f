/* A rectangle of small integers, as tasks hold and views draw it.
 *
 * An Image does not own its cells: whoever made it says how long they live. */
#ifndef BATT_CORE_IMAGE_H
#define BATT_CORE_IMAGE_H

#include <stdint.h>

typedef struct Image {
    int32_t h, w;
    const int8_t *cells; /* row-major, h * w of them */
} Image;

#endif

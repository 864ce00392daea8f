/* A five by seven dot font: enough to label a PNG without a font library. */
#ifndef BATT_TOOLS_DISPLAY_FONT_H
#define BATT_TOOLS_DISPLAY_FONT_H

#include <stdint.h>

enum { FONT_WIDTH = 5, FONT_HEIGHT = 7, FONT_ADVANCE = 6 };

/* Seven rows from the top, the leftmost dot in bit 4. Characters that the font lacks are drawn as a box. */
const uint8_t *font_glyph(uint32_t code);

#endif

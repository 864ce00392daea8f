/* The ten colors of ARC in three palettes: as in the classic viewer, as on arcprize.org, and one that people
 * with color vision deficiencies can tell apart. */
#ifndef BATT_TOOLS_DISPLAY_PALETTE_H
#define BATT_TOOLS_DISPLAY_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

enum { PALETTE_COLORS = 10 };

typedef struct Rgb {
    uint8_t r, g, b;
} Rgb;

typedef struct Palette {
    const char *name;
    const char *about; /* one line for help texts */
    Rgb rgb[PALETTE_COLORS];
    uint8_t xterm[PALETTE_COLORS]; /* codes of 256-color terminals */
    Rgb line;                      /* between cells */
} Palette;

/* The color of a cell outside 0..9: a grey that resembles none of the ten; views add its number or
 * hatching. */
extern const Rgb palette_foreign;
enum { PALETTE_FOREIGN_XTERM = 240 };

const Palette *palette_default(void);
const Palette *palette_find(const char *name); /* NULL if there is none of that name */
const Palette *palette_at(int i);              /* i-th of all, NULL past the end */
const char *palette_names(void);               /* "classic|arcprize|colorblind", for usage messages */

static inline bool palette_has(int cell) {
    return cell >= 0 && cell < PALETTE_COLORS;
}

static inline Rgb palette_rgb(const Palette *palette, int cell) {
    return palette_has(cell) ? palette->rgb[cell] : palette_foreign;
}

/* Whether black text reads better than white on this color. */
bool palette_is_light(Rgb color);

#endif

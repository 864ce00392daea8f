/* The table of palettes. */
#include "tools/display/palette.h"

#include <stddef.h>
#include <string.h>

#define RGB(hex) \
    { (hex) >> 16 & 0xFF, (hex) >> 8 & 0xFF, (hex)&0xFF }

const Rgb palette_foreign = RGB(0x5B5B66);

static const Palette palettes[] = {
    {
        .name = "classic",
        .about = "as in the original ARC viewer",
        .rgb = {RGB(0x000000), RGB(0x0074D9), RGB(0xFF4136), RGB(0x2ECC40), RGB(0xFFDC00), RGB(0xAAAAAA),
                RGB(0xF012BE), RGB(0xFF851B), RGB(0x7FDBFF), RGB(0x870C25)},
        .xterm = {16, 32, 203, 41, 220, 248, 199, 208, 117, 88},
        .line = RGB(0x555555),
    },
    {
        .name = "arcprize",
        .about = "as on arcprize.org",
        .rgb = {RGB(0x000000), RGB(0x1E93FF), RGB(0xF93C31), RGB(0x4FCC30), RGB(0xFFDC00), RGB(0x999999),
                RGB(0xE53AA3), RGB(0xFF851B), RGB(0x87D8F1), RGB(0x921231)},
        .xterm = {16, 33, 203, 77, 220, 246, 169, 208, 117, 89},
        .line = RGB(0x555555),
    },
    {
        /* Okabe and Ito's colors where ARC has a similar hue, then adjusted until any two of the ten are well
         * apart for normal, protanope, deuteranope and tritanope eyes alike, which test_display_term
         * checks. */
        .name = "colorblind",
        .about = "safe for color blindness (based on Okabe-Ito)",
        .rgb = {RGB(0x000000), RGB(0x1254CE), RGB(0xBB4017), RGB(0x019964), RGB(0xFCDF24), RGB(0xF1F8F6),
                RGB(0xB373A9), RGB(0xE08B10), RGB(0x72CBFF), RGB(0x750E10)},
        .xterm = {16, 26, 130, 29, 220, 255, 133, 172, 81, 88},
        .line = RGB(0x6A6A6A),
    },
};

enum { PALETTE_COUNT = sizeof palettes / sizeof palettes[0] };

const Palette *palette_default(void) {
    return &palettes[0];
}

const Palette *palette_at(int i) {
    return i >= 0 && i < PALETTE_COUNT ? &palettes[i] : NULL;
}

const Palette *palette_find(const char *name) {
    for (int i = 0; i < PALETTE_COUNT; i++) {
        if (strcmp(palettes[i].name, name) == 0) {
            return &palettes[i];
        }
    }
    return NULL;
}

const char *palette_names(void) {
    return "classic|arcprize|colorblind"; /* test_display_term checks it against the table */
}

bool palette_is_light(Rgb color) {
    /* relative luminance in thousandths, without gamma: good enough to choose between black and white */
    return 299 * color.r + 587 * color.g + 114 * color.b > 135 * 1000;
}

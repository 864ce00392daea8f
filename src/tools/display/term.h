/* What the terminal can do, decided once and passed along.
 *
 * Nothing else in batt asks the environment about color or width; everything else is given a TermStyle. */
#ifndef BATT_TOOLS_DISPLAY_TERM_H
#define BATT_TOOLS_DISPLAY_TERM_H

#include "tools/display/palette.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum TermColor { TERM_MONO, TERM_256, TERM_TRUE } TermColor;
typedef enum TermWhen { TERM_AUTO, TERM_NEVER, TERM_ALWAYS } TermWhen;

typedef struct TermOptions { /* the user's choices; all zero: none */
    TermWhen color;          /* --color auto|never|always */
    bool digits;             /* --digits: a number in every cell */
    const Palette *palette;  /* NULL: the default one */
    size_t width;            /* 0: as wide as the terminal */
} TermOptions;

typedef struct TermStyle {
    TermColor color;
    bool digits; /* numbers in cells; always true without color */
    bool utf8;
    size_t width; /* columns to fill; 0 without a terminal: lines of any length */
    const Palette *palette;
} TermStyle;

/* Color if the stream is a terminal (not "dumb") and NO_COLOR is unset or empty; `color` overrides both ways.
 * True color where COLORTERM says so, otherwise 256 colors. */
TermStyle term_style(FILE *stream, const TermOptions *options);

/* Columns of the terminal behind `fd`; else $COLUMNS; else 80. */
size_t term_width(int fd);
size_t term_height(int fd); /* likewise rows, $LINES, 24 */

/* Whether the locale's variables allow UTF-8. Unset ones do: bare containers set none but display it well. */
bool term_is_utf8(void);

/* Escape sequences for words in reports, "" without color. */
typedef enum TermAttr { ATTR_RESET, ATTR_BOLD, ATTR_DIM, ATTR_GOOD, ATTR_BAD, ATTR_WARN, ATTR_NAME } TermAttr;
const char *term_attr(const TermStyle *style, TermAttr attr);

#endif

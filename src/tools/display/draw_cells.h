/* Writes one text line of one image: the inner loop of draw.c, for three cell sizes. */
#ifndef BATT_TOOLS_DISPLAY_DRAW_CELLS_H
#define BATT_TOOLS_DISPLAY_DRAW_CELLS_H

#include "tools/display/draw.h"

typedef enum CellMode {
    CELL_WIDE,   /* two columns per cell */
    CELL_HALF,   /* one column, two rows per line; color only */
    CELL_NARROW, /* one column, one digit */
} CellMode;

size_t cells_columns(const DrawPanel *panel, CellMode mode);
size_t cells_lines(const DrawPanel *panel, CellMode mode);

/* Writes exactly cells_columns() columns, blanks below the last line. */
void cells_line(Out *out, const TermStyle *style, const DrawPanel *panel, CellMode mode, size_t line);

#endif

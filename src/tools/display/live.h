/* Lines on a terminal that are redrawn in place. */
#ifndef BATT_TOOLS_DISPLAY_LIVE_H
#define BATT_TOOLS_DISPLAY_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct Live {
    FILE *stream;
    size_t lines; /* on the screen now, above the one with the cursor */
} Live;

/* Whether the stream is a terminal whose cursor can be moved. */
bool live_possible(FILE *stream);
/* Writes text of whole lines in the place of what was written before. Of a text with more lines than the
 * terminal has room for, only the first line is shown: others could not be drawn over. */
void live_show(Live *live, const char *text);
void live_wipe(Live *live);

#endif

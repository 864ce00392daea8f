/* Functions that all kinds of pages share. */
#ifndef BATT_TOOLS_DISPLAY_PAGE_H
#define BATT_TOOLS_DISPLAY_PAGE_H

#include "tools/display/assets.h"
#include "tools/display/html.h"

/* Everything up to the data, and its first members: title, summary, palettes. The JSON object stays open. */
void page_begin(Page *page, Out *out, const char *title, const char *summary, const Palette *palette,
                Asset css, Asset body, Asset script);
/* The same for a page that may send requests to the server it came from. Only scripts that carry the nonce,
 * which must outlive the page and be another one each time, run. */
void page_begin_live(Page *page, Out *out, const char *nonce, const char *title, const char *summary,
                     const Palette *palette, Asset css, Asset body, Asset script);
void page_end(Page *page);

/* A grid as the scripts read it: rows of digits joined by '|', '?' for cells that are not a color; null: no
 * grid. */
void page_grid(Page *page, const char *key, const Image *image);
void page_json_grid(Json *json, const char *key, const Image *image); /* the same, in any JSON */
void page_text(Page *page, const char *key, const char *text);        /* left out if NULL or empty */

#endif

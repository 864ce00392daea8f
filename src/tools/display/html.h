/* Pages in a single file: styles, scripts and data inside, nothing fetched, readable years later.
 *
 * A page is its assets (src/tools/display/assets, embedded at build time) around one JSON document; the
 * browser draws. The functions append to an Out piece by piece, so a gallery of a thousand tasks needs
 * no copy of them all. */
#ifndef BATT_TOOLS_DISPLAY_HTML_H
#define BATT_TOOLS_DISPLAY_HTML_H

#include "base/image.h"
#include "base/json.h"
#include "base/out.h"
#include "tools/display/draw.h"
#include "tools/display/palette.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Page {
    Json json;
    Out *out;
    const char *script; /* placed after the data */
    const char *nonce;  /* what scripts have to carry in order to run; NULL: nothing */
} Page;

/* ---- the gallery: tasks and results, with filters ---- */

typedef struct GalleryPair {
    const char *label; /* "train 1", "test 2" */
    bool test;
    bool ran; /* a program was run on it; otherwise `got` and `note` mean nothing */
    Image input;
    Image expected; /* cells NULL: not known */
    Image got;      /* cells NULL: the program gave no grid; `note` says why */
    const char *note;
} GalleryPair;

typedef struct GalleryTask {
    const char *id;
    /* "solved", "training only", "wrong", "failed", "no program", ..; the page's filters come from these */
    const char *status;
    const char *note;    /* one line; may be NULL */
    const char *program; /* source text; may be NULL */
    const GalleryPair *pairs;
    size_t count;
} GalleryTask;

void gallery_begin(Page *page, Out *out, const char *title, const char *summary, const Palette *palette);
void gallery_task(Page *page, const GalleryTask *task);
void gallery_end(Page *page);

/* ---- the trace: a program line by line, with a slider ---- */

typedef struct TraceLine {
    const char *source;      /* the line: "x1 = objects(I, T, F, F)" */
    const char *type;        /* of its value; may be NULL */
    const char *text;        /* the value in words, already shortened; may be NULL */
    const char *failed;      /* why there is no value; NULL if there is one */
    const DrawPanel *panels; /* the value as pictures: the grid, the patch over the input, several grids.. */
    size_t panel_count;
    int64_t time_ns; /* negative: not measured */
} TraceLine;

typedef struct TraceSample {
    const char *label;          /* "train 1" */
    Image input, expected, got; /* cells NULL: unknown, or no output */
} TraceSample;

void trace_page_begin(Page *page, Out *out, const char *title, const char *summary, const Palette *palette);
void trace_page_sample(Page *page, const TraceSample *sample); /* its lines follow */
void trace_page_line(Page *page, const TraceLine *line);
void trace_page_sample_end(Page *page);
void trace_page_end(Page *page);

/* The same in a terminal: the line, and its value drawn or in words, or why it failed. */
void trace_draw_line(Out *out, const TermStyle *style, size_t number, const TraceLine *line);

#endif

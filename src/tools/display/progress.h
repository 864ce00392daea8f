/* A progress line for long work: share, rate, time left.
 *
 * Drawn only on a terminal, only after two seconds of work, at most ten times per second, and wiped at the
 * end; so scripts and short runs never see it. Counting is one atomic addition and may be done by any thread;
 * drawing is done by whichever thread wins a compare-and-swap on the time of the next redraw. */
#ifndef BATT_TOOLS_DISPLAY_PROGRESS_H
#define BATT_TOOLS_DISPLAY_PROGRESS_H

#include "tools/display/live.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Progress {
    FILE *stream; /* NULL: never draws */
    const char *label;
    const char *unit; /* "tasks" */
    uint64_t total;   /* 0: unknown */
    int64_t start_ns;
    _Atomic uint64_t done;
    _Atomic int64_t next_ns; /* no redraw before this */
    _Atomic bool drawn;
    bool utf8;
    bool plain;          /* lines, not a bar */
    int64_t deadline_ns; /* known end on clock_now_ns, for the time left; 0: estimated by the rate */
    /* Something to look at meanwhile, or NULL: a few words, which plain lines end with, and whole lines that
     * are drawn above a bar. Whoever changes them sees to it that no other thread adds or ticks. */
    const char *note, *picture;
    Live above;
} Progress;

/* `label` and `unit` must outlive the Progress. Draws only if `stream` is a terminal that can move its
 * cursor. */
void progress_start(Progress *progress, FILE *stream, const char *label, const char *unit, uint64_t total);
/* The same with a choice of mode: AUTO draws on a terminal, and elsewhere prints a plain line every ten
 * seconds. */
typedef enum ProgressMode { PROGRESS_AUTO, PROGRESS_PLAIN, PROGRESS_BAR, PROGRESS_OFF } ProgressMode;
#define PROGRESS_MODES "auto|plain|bar|off"
#define PROGRESS_HELP                                                                                        \
    "progress on standard error: a bar, or a plain line every ten seconds; auto: a bar on a terminal, else " \
    "lines"
void progress_begin(Progress *progress, FILE *stream, ProgressMode mode, const char *label, const char *unit,
                    uint64_t total);
void progress_tick(Progress *progress); /* draws if it is due; for times when nothing is added */
void progress_add(Progress *progress, uint64_t more); /* from any thread */
void progress_end(Progress *progress);                /* wipes the line; call before printing results */

/* The line itself, independent of clocks and terminals: what `progress_add` draws in `columns` columns. */
void progress_line(const Progress *progress, double seconds, size_t columns, char *line, size_t size);

#endif

/* Decides when to draw the progress line, and what; see progress.h. */
#include "tools/display/progress.h"

#include "base/check.h"
#include "base/clock.h"
#include "tools/display/term.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static const int64_t first_draw_ns = 2000000000;
static const int64_t redraw_ns = 100000000;
static const int64_t plain_ns = 10000000000;

void progress_start(Progress *progress, FILE *stream, const char *label, const char *unit, uint64_t total) {
    bool draws = live_possible(stream);
    int64_t now = (int64_t)clock_now_ns();
    *progress = (Progress){.stream = draws ? stream : NULL, .label = label, .unit = unit, .total = total};
    progress->start_ns = now;
    progress->utf8 = term_is_utf8();
    atomic_init(&progress->next_ns, now + first_draw_ns);
}

void progress_begin(Progress *progress, FILE *stream, ProgressMode mode, const char *label, const char *unit,
                    uint64_t total) {
    progress_start(progress, mode == PROGRESS_OFF || mode == PROGRESS_PLAIN ? NULL : stream, label, unit,
                   total);
    bool plain = mode == PROGRESS_PLAIN || (mode == PROGRESS_AUTO && progress->stream == NULL);
    if (mode == PROGRESS_BAR) {
        progress->stream = stream; /* explicitly asked for: also where there is no known terminal */
    }
    if (plain) {
        progress->stream = stream;
        progress->plain = true;
        atomic_store(&progress->next_ns, progress->start_ns + plain_ns);
    }
}

/* "850", "12.3k", "4.56M" */
static void rate_text(double rate, char *text, size_t size) {
    const char *unit = rate >= 1e9 ? "G" : rate >= 1e6 ? "M" : rate >= 1e4 ? "k" : "";
    double value = rate >= 1e9 ? rate / 1e9 : rate >= 1e6 ? rate / 1e6 : rate >= 1e4 ? rate / 1e3 : rate;
    snprintf(text, size, "%.*f%s", value >= 100 ? 0 : value >= 10 ? 1 : 2, value, unit);
}

/* "7s", "3m05s", "2h10m" */
static void time_text(double seconds, char *text, size_t size) {
    uint64_t s = seconds > 1e9 ? 1000000000 : (uint64_t)(seconds + 0.5);
    if (s < 60) {
        snprintf(text, size, "%" PRIu64 "s", s);
    } else if (s < 3600) {
        snprintf(text, size, "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
    } else {
        snprintf(text, size, "%" PRIu64 "h%02" PRIu64 "m", s / 3600, s / 60 % 60);
    }
}

/* The bar in whole cells; in UTF-8 the last cell has eighths. */
static size_t bar_text(double share, size_t cells, bool utf8, char *text) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t parts = (size_t)(share * (double)cells * 8), full = parts / 8, length = 0;
    for (size_t i = 0; i < cells; i++) {
        const char *cell = i < full                         ? (utf8 ? "█" : "#")
                           : i == full && utf8 && parts % 8 ? eighths[parts % 8]
                           : utf8                           ? " "
                                                            : "-";
        memcpy(text + length, cell, strlen(cell));
        length += strlen(cell);
    }
    text[length] = '\0';
    return length;
}

void progress_line(const Progress *progress, double seconds, size_t columns, char *line, size_t size) {
    uint64_t done = atomic_load_explicit(&progress->done, memory_order_relaxed);
    double rate = seconds > 0 ? (double)done / seconds : 0;
    char rates[32], text[256], left[32] = "?";
    rate_text(rate, rates, sizeof rates);
    if (progress->deadline_ns != 0) {
        double until = (double)(progress->deadline_ns - progress->start_ns) * 1e-9 - seconds;
        time_text(until > 0 ? until : 0, left, sizeof left);
    }
    if (!progress->total && progress->deadline_ns != 0) {
        snprintf(line, size, "%s  %" PRIu64 " %s  %s/s  %s left", progress->label, done, progress->unit,
                 rates, left);
        return;
    }
    if (!progress->total) {
        snprintf(line, size, "%s  %" PRIu64 " %s  %s/s", progress->label, done, progress->unit, rates);
        return;
    }
    double share = done >= progress->total ? 1 : (double)done / (double)progress->total;
    ASSERT(share >= 0 && share <= 1, "%g done", share);
    if (done && progress->deadline_ns == 0) {
        time_text(seconds * (1 - share) / share, left, sizeof left);
    }
    if (progress->plain) {
        snprintf(line, size, "%s: %" PRIu64 " of %" PRIu64 " %s, %s left", progress->label, done,
                 progress->total, progress->unit, left);
        return;
    }
    snprintf(text, sizeof text, "%3.0f%%  %" PRIu64 "/%" PRIu64 " %s  %s/s  %s left", share * 100, done,
             progress->total, progress->unit, rates, left);
    /* The rest of the line becomes the bar, if it is long enough. */
    size_t used = strlen(progress->label) + strlen(text) + 4;
    enum { MAX_CELLS = 30 };
    size_t cells = columns > used + 1 ? columns - used - 1 : 0;
    cells = cells > MAX_CELLS ? MAX_CELLS : cells;
    char bar[MAX_CELLS * 4 + 1] = "";
    if (cells >= 5) {
        bar_text(share, cells, progress->utf8, bar);
    }
    snprintf(line, size, "%s%s%s  %s", progress->label, *bar ? "  " : "", bar, text);
}

void progress_add(Progress *progress, uint64_t more) {
    atomic_fetch_add_explicit(&progress->done, more, memory_order_relaxed);
    progress_tick(progress);
}

void progress_tick(Progress *progress) {
    if (!progress->stream) {
        return;
    }
    int64_t now = (int64_t)clock_now_ns(),
            next = atomic_load_explicit(&progress->next_ns, memory_order_relaxed);
    if (now < next || !atomic_compare_exchange_strong(&progress->next_ns, &next,
                                                      now + (progress->plain ? plain_ns : redraw_ns))) {
        return;
    }
    size_t columns = term_width(fileno(progress->stream));
    char line[512], cut[600];
    progress_line(progress, (double)(now - progress->start_ns) * 1e-9, columns, line, sizeof line);
    if (progress->plain) {
        const char *note = progress->note;
        fprintf(progress->stream, "%s%s%s\n", line, note != NULL ? "; " : "", note != NULL ? note : "");
        fflush(progress->stream);
        return;
    }
    size_t fits = 0, seen = 0; /* a line that wraps could not be wiped */
    while (line[fits] && (seen + 1 < columns || ((unsigned char)line[fits] & 0xC0) == 0x80)) {
        seen += ((unsigned char)line[fits++] & 0xC0) != 0x80;
    }
    int length = snprintf(cut, sizeof cut, "\r%.*s\033[K", (int)fits, line);
    atomic_store(&progress->drawn, true);
    progress->above.stream = progress->stream;
    if (progress->picture != NULL || progress->above.lines > 0) {
        fputs("\r\033[K", progress->stream);
        live_show(&progress->above, progress->picture != NULL ? progress->picture : "");
    }
    fwrite(cut, 1, (size_t)length, progress->stream);
    fflush(progress->stream);
}

void progress_end(Progress *progress) {
    if (!progress->stream) {
        return;
    }
    atomic_store(&progress->next_ns, INT64_MAX);
    if (atomic_load(&progress->drawn)) {
        fputs("\r\033[K", progress->stream);
        live_wipe(&progress->above);
        fflush(progress->stream);
    }
    progress->stream = NULL;
}

/* The queue of looks; see schedule.h. */
#include "search/schedule.h"
#include "search/parts.h"
#include "search/view.h"

#include "core/alloc.h"
#include "core/clock.h"

#include <string.h>

typedef struct LookRow {
    uint8_t part;
    int8_t first, last; /* views */
    uint8_t efforts;
    size_t ms, gain; /* places in Tunables */
} LookRow;

static const LookRow ROWS[] = {
#define LOOK(name, part, first, last, efforts) \
    {PART_##part,                              \
     first,                                    \
     last,                                     \
     efforts,                                  \
     offsetof(Tunables, look_##name##_ms),     \
     offsetof(Tunables, look_##name##_gain)},
#include "search/looks.def"
#undef LOOK
};

enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS, MOST_LINES = 96 };

typedef struct Line {
    const LookRow *row;
    int8_t view;
    bool finished;
    uint8_t effort;
    double spent, slice, gain; /* milliseconds so far and of the next look */
    SearchTask *task;          /* as it looks from here; made before the first look */
    Base base;                 /* where the view is one */
    void *state;
} Line;

typedef struct Schedule {
    Line lines[MOST_LINES];
    uint32_t count;
    uint32_t bases; /* that have lines */
    double fit;     /* how unpromising the look was that found the first fit; 0: there is none */
} Schedule;

static double tuned(const Search *s, size_t at) {
    double value;
    memcpy(&value, (const char *)s->tune + at, sizeof value);
    return value;
}

static double bound_of(const Line *line) {
    return (line->spent + line->slice) / line->gain;
}

/* ---- lines ---- */

/* In a short search looks are shorter, so that all parts have their turn. */
static double short_scale(const Search *s) {
    double all = search_budget_ms(s);
    return all > 0 && all < s->tune->short_ms ? all / s->tune->short_ms : 1;
}

static Line *add_line(Search *s, const LookRow *row, int view) {
    Schedule *q = s->schedule;
    if (q->count == MOST_LINES || (s->limits.without >> row->part & 1)) {
        return NULL;
    }
    Line *line = &q->lines[q->count++];
    *line = (Line){.row = row, .view = (int8_t)view, .effort = 1};
    line->slice = tuned(s, row->ms) * short_scale(s);
    line->gain = tuned(s, row->gain);
    line->finished = line->gain <= 0;
    return line;
}

/* Goes on where an earlier search of the task ended. */
static void remember(const Search *s, Line *line) {
    for (uint32_t k = 0; k < s->limits.n_past; k++) {
        const LookPast *past = &s->limits.past[k];
        if (past->part == line->row->part && past->view == line->view) {
            line->finished |= past->finished;
            line->effort = past->effort;
            line->spent = past->spent;
            line->slice = past->slice;
        }
    }
}

static void add_lines(Search *s) {
    for (size_t k = 0; k < ROW_COUNT; k++) {
        for (int view = ROWS[k].first; view <= ROWS[k].last && view != VIEW_BASE; view++) {
            Line *line = add_line(s, &ROWS[k], view);
            if (line != NULL) {
                remember(s, line);
            }
        }
    }
}

/* The best grids so far become views: the more they are like the outputs, the more is expected of them. */
static void add_bases(Search *s) {
    Schedule *q = s->schedule;
    double all = 1000.0 * s->own->n_train;
    for (uint32_t b = 0; b < s->bases.count && q->bases < s->tune->bases_lines_most; b++) {
        Base *base = &s->bases.items[b];
        if (base->held || vals_eq(base->vals, s->own->in, s->own->n)) {
            continue;
        }
        q->bases++;
        for (size_t k = 0; k < ROW_COUNT; k++) {
            Line *line = ROWS[k].first == VIEW_BASE ? add_line(s, &ROWS[k], VIEW_BASE) : NULL;
            if (line != NULL) {
                base->held = true;
                line->base = *base;
                line->gain *= (base->like / all) * (base->like / all);
            }
        }
    }
}

static void close_state(Search *s, Line *line) {
    const PartRow *part = &search_parts[line->row->part];
    if (line->state != NULL && part->close != NULL) {
        part->close(s, line->state);
    }
    line->state = NULL;
}

/* The task as it looks from the line. False: it makes no difference, or there is no memory. */
static bool see(Search *s, Line *line) {
    if (line->view == VIEW_NONE || line->task != NULL) {
        return true;
    }
    line->task = mem_alloc(sizeof *line->task);
    if (line->task == NULL) {
        return false;
    }
    if (line->view != VIEW_BASE) {
        return view_of(s->ctx, s->own, line->view, line->task);
    }
    *line->task = *s->own;
    memcpy(line->task->in, line->base.vals, s->own->n * sizeof *line->base.vals);
    search_task_colors(line->task);
    return true;
}

/* ---- looks ---- */

static void call_part(Search *s, Line *line) {
    const PartRow *part = &search_parts[line->row->part];
    if (part->open != NULL && line->state == NULL) {
        line->state = part->open(s);
    }
    if (part->open == NULL || line->state != NULL) {
        part->run(s, line->state);
    }
}

/* A state that would crowd out others is given up; it is at the end of the region only if it was made in this
 * look. */
static bool is_crowded(const Search *s) {
    return (double)ctx_bytes_used(s->ctx) > s->tune->states_share * (double)s->ctx->budget.bytes;
}

static void look(Search *s, Line *line) {
    uint64_t start = clock_work_ns(), values = s->values;
    unsigned p = line->row->part;
    double begin = search_ms(s);
    uint8_t effort = line->effort;
    s->part = (SearchPart)p;
    s->effort = line->effort;
    s->look_end = begin + line->slice;
    s->look_over = s->out_of_budget;
    Scope was = scope_enter(s->ctx, search_parts[p].scope);
    CtxMark mark = ctx_mark(s->ctx);
    bool new = line->task == NULL && line->state == NULL;
    if (see(s, line)) {
        s->task = line->task != NULL ? line->task : s->own;
        s->view = line->view;
        s->base = line->view == VIEW_BASE ? line->base.program : NULL;
        s->base_cost = line->base.cost;
        call_part(s, line);
        s->task = s->own;
        s->view = VIEW_NONE;
        s->base = NULL;
    } else {
        line->finished = true;
    }
    bool cut = s->look_over;
    line->finished |= !cut && line->effort >= line->row->efforts;
    line->effort = (uint8_t)(line->effort + (!cut && line->effort < line->row->efforts));
    if (line->view != VIEW_NONE && (line->finished || (new &&is_crowded(s)))) {
        close_state(s, line);
        mem_free(line->task);
        line->task = NULL;
        if (new) {
            ctx_release(s->ctx, mark);
        }
    }
    scope_back(s->ctx, was);
    line->spent += search_ms(s) - begin;
    line->slice *= cut ? 2 : line->effort > effort ? s->tune->look_deeper_scale : 1;
    s->part_ns[p] += clock_work_ns() - start;
    s->part_values[p] += s->values - values;
}

static Line *next_line(const Search *s) {
    Schedule *q = s->schedule;
    Line *best = NULL;
    for (uint32_t k = 0; k < q->count; k++) {
        Line *line = &q->lines[k];
        if (!line->finished && (best == NULL || bound_of(line) < bound_of(best))) {
            best = line;
        }
    }
    return best;
}

/* With a fit at hand, looks that promise much less than the one that found it are not taken. */
static bool is_worth_it(const Search *s, const Line *line) {
    double most = s->schedule->fit * s->tune->patience;
    return s->schedule->fit == 0 ||
           bound_of(line) <= (most > s->tune->patience_least ? most : s->tune->patience_least);
}

void schedule_run(Search *s) {
    Schedule *q = s->schedule = mem_zalloc(1, sizeof *q);
    if (q == NULL) {
        return;
    }
    add_lines(s);
    for (Line *line; !s->out_of_budget && (line = next_line(s)) != NULL && is_worth_it(s, line);) {
        double bound = bound_of(line);
        look(s, line);
        q->fit = q->fit == 0 && s->fitting > 0 ? bound : q->fit;
        add_bases(s);
    }
}

void schedule_close(Search *s) {
    for (uint32_t k = 0; s->schedule != NULL && k < s->schedule->count; k++) {
        Line *line = &s->schedule->lines[k];
        close_state(s, line);
        mem_free(line->task);
    }
    mem_free(s->schedule);
    s->schedule = NULL;
}

uint32_t schedule_past(const Search *s, LookPast *past) {
    uint32_t n = 0;
    for (uint32_t k = 0; s->schedule != NULL && k < s->schedule->count && n < SEARCH_MOST_PAST; k++) {
        const Line *line = &s->schedule->lines[k];
        if (line->view != VIEW_BASE) {
            past[n++] = (LookPast){line->row->part, line->view,  line->effort,
                                   line->finished,  line->spent, line->slice};
        }
    }
    return n;
}

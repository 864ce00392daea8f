/* The queue of looks; see schedule.h. */
#include "search/schedule/schedule.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "search/schedule/leave_out.h"
#include "search/schedule/parts.h"
#include "search/schedule/view.h"
#include "search/strategies/part_net.h"

#include <math.h>
#include <string.h>

typedef struct LookRow {
    uint8_t part;
    int8_t under_first, under_last; /* views that `first`..`last` are taken of */
    int8_t first, last;             /* views */
    uint8_t efforts;
    size_t ms, gain; /* offsets in Tunables */
} LookRow;

static const LookRow ROWS[] = {
#define LOOK(name, part, first, last, efforts) \
    LOOK_TWICE(name, part, VIEW_NONE, VIEW_NONE, first, last, efforts)
#define LOOK_TWICE(name, part, under_first, under_last, first, last, efforts) \
    {PART_##part,                                                             \
     under_first,                                                             \
     under_last,                                                              \
     first,                                                                   \
     last,                                                                    \
     efforts,                                                                 \
     offsetof(Tunables, look_##name##_ms),                                    \
     offsetof(Tunables, look_##name##_gain)},
#include "search/schedule/looks.def"
#undef LOOK
#undef LOOK_TWICE
};

enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

typedef struct Line {
    const LookRow *row;
    int8_t under, view;
    bool finished, tried; /* tried: pairs have been left out */
    uint8_t effort;
    double spent, slice, gain; /* milliseconds so far, and for the next look */
    /* Two tasks: as seen from this line, and what its view is taken of. Made before the first look. */
    SearchTask *task;
    Base base; /* if one of the views is a base */
    void *state;
} Line;

typedef struct Schedule {
    Line *lines;
    uint32_t count, room;
    uint32_t bases; /* that have lines */
    double fit;     /* how unpromising the look that found the first fit was; 0: no fit yet */
    double rank;    /* of the best fit so far */
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

/* In a short search looks are shorter, so that all parts get their turn. A strand has a share of the budget
 * and the same share of the lines. */
static double short_scale(const Search *s) {
    double all = search_budget_ms(s) * (s->limits.strands > 1 ? s->limits.strands : 1);
    return all > 0 && all < s->tune->short_ms ? all / s->tune->short_ms : 1;
}

static Line *add_line(Search *s, const LookRow *row, int under, int view) {
    Schedule *q = s->schedule;
    if ((s->limits.without >> row->part & 1) || !MEM_ROOM(q->lines, q->count, q->room, 64)) {
        return NULL;
    }
    Line *line = &q->lines[q->count++];
    *line = (Line){.row = row, .under = (int8_t)under, .view = (int8_t)view, .effort = 1};
    line->slice = row->part == PART_NET ? part_net_look_ms(s) : tuned(s, row->ms) * short_scale(s);
    line->gain = tuned(s, row->gain);
    ASSERT(line->slice >= 0 && line->effort >= 1 && line->effort <= row->efforts,
           "part %u: slice %g ms, effort %u", row->part, line->slice, line->effort);
    line->finished = line->gain <= 0 || line->slice <= 0;
    return line;
}

/* Lets the line go on where an earlier search of the task ended. */
static void remember(const Search *s, Line *line) {
    for (uint32_t k = 0; k < s->limits.n_past; k++) {
        const LookPast *past = &s->limits.past[k];
        /* a net begins anew, from another seed */
        if (past->part != PART_NET && past->part == line->row->part && past->under == line->under &&
            past->view == line->view) {
            line->finished |= past->finished;
            line->effort = past->effort < line->row->efforts ? past->effort : line->row->efforts;
            line->spent = past->spent;
            line->slice = past->slice;
            ASSERT(line->spent >= 0 && line->slice >= 0, "part %u: %g ms spent, slice %g", line->row->part,
                   line->spent, line->slice);
        }
    }
}

static bool starts_from_base(const LookRow *row) {
    return row->first == VIEW_BASE || row->under_first == VIEW_BASE;
}

/* Parts that build on what others have found, and the library, which soon has nothing left to do. */
static bool goes_first(const Line *line) {
    return line->row->part == PART_LIBRARY || line->row->part == PART_CASES || line->row->part == PART_EVOLVE;
}

static bool promises_more(const Line *a, const Line *b) {
    double x = bound_of(a), y = bound_of(b);
    return x != y ? x < y : a < b;
}

/* Of the lines of the whole task, keeps those of this strand. The queue gives a line time in proportion to
 * what is expected of it; so strands that share the time equally have equal shares of that, the first of them
 * in the lines that promise most. */
static void keep_strand(Search *s) {
    Schedule *q = s->schedule;
    uint32_t kept = 0;
    double all = 0;
    if (s->limits.strands <= 1) {
        return;
    }
    uint32_t *strands = mem_array(q->count > 0 ? q->count : 1, sizeof *strands);
    for (uint32_t k = 0; k < q->count; k++) {
        all += goes_first(&q->lines[k]) ? 0 : q->lines[k].gain;
    }
    for (uint32_t k = 0; strands != NULL && k < q->count; k++) {
        double before = 0;
        for (uint32_t x = 0; x < q->count && !goes_first(&q->lines[k]); x++) {
            bool counts = !goes_first(&q->lines[x]) && promises_more(&q->lines[x], &q->lines[k]);
            before += counts ? q->lines[x].gain : 0;
        }
        strands[k] = before > 0 ? (uint32_t)(before / all * s->limits.strands) : 0;
    }
    for (uint32_t k = 0; strands != NULL && k < q->count; k++) {
        if (strands[k] == s->limits.strand) {
            q->lines[kept++] = q->lines[k];
        }
    }
    q->count = kept;
    mem_free(strands);
}

static void add_lines(Search *s) {
    for (size_t k = 0; k < ROW_COUNT; k++) {
        const LookRow *row = &ROWS[k];
        for (int under = row->under_first; under <= row->under_last && !starts_from_base(row); under++) {
            for (int view = row->first; view <= row->last; view++) {
                add_line(s, row, under, view);
            }
        }
    }
    keep_strand(s);
    for (uint32_t k = 0; k < s->schedule->count; k++) {
        remember(s, &s->schedule->lines[k]);
    }
}

/* Adds lines that start from a base: the more it is like the outputs, the more is expected of them. */
static void add_base(Search *s, const LookRow *row, Base *base) {
    double like = base->like / (1000.0 * s->own->n_train);
    for (int view = row->first; view <= row->last; view++) {
        Line *line = add_line(s, row, row->under_first, view);
        if (line != NULL) {
            base->held = true;
            line->base = *base;
            line->gain *= like * like;
        }
    }
}

/* Turns the best bases so far into views; of the first ones, further views are taken too. */
static void add_bases(Search *s) {
    Schedule *q = s->schedule;
    for (uint32_t b = 0; b < s->bases.count && q->bases < s->tune->bases_lines_most; b++) {
        Base *base = &s->bases.items[b];
        if (base->held || vals_eq(base->vals, s->own->in, s->own->n)) {
            continue;
        }
        for (size_t k = 0; k < ROW_COUNT; k++) {
            const LookRow *row = &ROWS[k];
            bool twice = row->under_first == VIEW_BASE;
            if (starts_from_base(row) && (!twice || q->bases < s->tune->bases_views_most)) {
                add_base(s, row, base);
            }
        }
        q->bases++;
    }
}

static void close_state(Search *s, Line *line) {
    ASSERT(line->row->part < PART_COUNT, "part %u", line->row->part);
    const PartRow *part = &search_parts[line->row->part];
    if (line->state != NULL && part->close != NULL) {
        part->close(s, line->state);
    }
    line->state = NULL;
}

static Sight sight_of(const Line *line) {
    bool base = line->view == VIEW_BASE || line->under == VIEW_BASE;
    return (Sight){line->under, line->view, base ? &line->base : NULL};
}

/* Makes the task as the line sees it. False: the view makes no difference, or there is no memory. */
static bool see(Search *s, Line *line) {
    if (line->view == VIEW_NONE || line->task != NULL) {
        return true;
    }
    Sight how = sight_of(line);
    line->task = mem_array(2, sizeof *line->task);
    return line->task != NULL && view_see(s->ctx, s->own, &how, &line->task[1], &line->task[0]);
}

static void set_sight(Search *s, const Line *line) {
    s->task = line->task != NULL ? &line->task[0] : s->own;
    s->under_task = line->task != NULL ? &line->task[1] : s->own;
    s->view = line->view;
    s->under = line->under;
    s->base = sight_of(line).base;
}

static void see_as_it_is(Search *s) {
    s->task = s->under_task = s->own;
    s->view = s->under = VIEW_NONE;
    s->base = NULL;
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

/* A state that would crowd out others is given up; only one made in this look is at the end of the region and
 * can be. */
static bool is_crowded(const Search *s) {
    return (double)ctx_bytes_used(s->ctx) > s->tune->states_share * (double)s->ctx->budget.bytes;
}

/* If something fits but is not certain yet, tries the look with pairs left out: once per line, and for each
 * pair in no more time than finding it took. */
static void try_without_pairs(Search *s, Line *line, double took) {
    double all = search_budget_ms(s), most = all * s->tune->leave_out_share / s->tune->leave_out_pairs_most;
    if (s->look_fits > 0 && !line->tried && !s->out_of_budget && leave_out_can(s, s->part) &&
        search_best_rank(s) > s->tune->leave_out_sure) {
        line->tried = true;
        took += line->spent;
        leave_out_try(s, all > 0 && most < took ? most : took);
    }
}

static void look(Search *s, Line *line) {
    uint64_t start = clock_work_ns(), values = COUNTED(&s->work.statistics, VALUES);
    unsigned p = line->row->part;
    ASSERT(!line->finished && p < PART_COUNT && !(s->limits.without >> p & 1),
           "a look of part %u that is not due", p);
    double begin = search_ms(s), took = 0;
    uint8_t effort = line->effort;
    s->part = (SearchPart)p;
    s->effort = line->effort;
    s->look_end = begin + line->slice;
    s->look_over = s->out_of_budget;
    s->look_fits = 0;
    Scope was = scope_enter(s->ctx, search_parts[p].scope);
    CtxMark mark = ctx_mark(s->ctx);
    bool new = line->task == NULL && line->state == NULL, cut = s->look_over;
    if (see(s, line)) {
        set_sight(s, line);
        call_part(s, line);
        cut = s->look_over;
        took = search_ms(s) - begin;
        try_without_pairs(s, line, took);
        see_as_it_is(s);
    } else {
        line->finished = true;
    }
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
    ASSERT(s->task == s->own && s->view == VIEW_NONE && s->base == NULL, "part %u left a view behind", p);
    scope_back(s->ctx, was);
    line->spent += took;
    line->slice *= cut ? 2 : line->effort > effort ? s->tune->look_deeper_scale : 1;
    ASSERT(line->spent >= 0 && isfinite(line->slice) && line->effort <= line->row->efforts,
           "part %u: %g ms spent, slice %g, effort %u", p, line->spent, line->slice, line->effort);
    LOG(SEARCH, "%s, view %d, effort %u: %g ms%s, %u candidates, %u fit", search_part_names[p], line->view,
        effort, search_ms(s) - begin, cut ? ", cut short" : "", s->count, s->fitting);
    COUNT(&s->work.statistics, LOOKS, 1);
    s->work.parts[p].ns += clock_work_ns() - start;
    s->work.parts[p].values += COUNTED(&s->work.statistics, VALUES) - values;
}

/* The line whose turn it is, among those of nets or among the others. */
static Line *next_line(const Search *s, bool net) {
    Schedule *q = s->schedule;
    Line *best = NULL;
    for (uint32_t k = 0; k < q->count; k++) {
        Line *line = &q->lines[k];
        if (!line->finished && net == (line->row->part == PART_NET) &&
            (best == NULL || bound_of(line) < bound_of(best))) {
            best = line;
        }
    }
    return best;
}

/* Once something fits, looks that promise much less than the one that found it are not taken; how much less
 * depends on how credible the fit is. */
static bool is_worth_it(const Search *s, const Line *line) {
    double doubtful = s->schedule->rank - s->tune->patience_sure;
    double most = s->schedule->fit * s->tune->patience * exp2(fmax(0, doubtful) / s->tune->patience_bits);
    return s->schedule->fit == 0 ||
           bound_of(line) <= (most > s->tune->patience_least ? most : s->tune->patience_least);
}

/* The next look that is worth it; NULL: none is. While programs agree, the turns of a net pass; where they do
 * not and no further look for programs is worth it, the rest of the time is the net's. */
static Line *next_look(Search *s) {
    Line *programs = next_line(s, false), *net = next_line(s, true);
    bool worth = programs != NULL && is_worth_it(s, programs);
    if (net != NULL && (!worth || bound_of(net) < bound_of(programs))) {
        if (part_net_needed(s)) {
            return net;
        }
        net->spent += net->slice;
    }
    return worth ? programs : NULL;
}

void schedule_run(Search *s) {
    if (s->schedule == NULL) {
        s->schedule = mem_zalloc(1, sizeof *s->schedule);
        if (s->schedule == NULL) {
            return;
        }
        add_lines(s);
        s->schedule->rank = s->fitting > 0 ? search_best_rank(s) : 0;
    }
    Schedule *q = s->schedule;
    for (Line *line; !s->out_of_budget && (line = next_look(s)) != NULL;) {
        double bound = bound_of(line);
        look(s, line);
        q->fit = q->fit == 0 && s->fitting > 0 ? bound : q->fit;
        q->rank = s->look_fits > 0 ? search_best_rank(s) : q->rank;
        add_bases(s);
    }
}

void schedule_close(Search *s) {
    for (uint32_t k = 0; s->schedule != NULL && k < s->schedule->count; k++) {
        Line *line = &s->schedule->lines[k];
        close_state(s, line);
        mem_free(line->task);
    }
    if (s->schedule != NULL) {
        mem_free(s->schedule->lines);
    }
    mem_free(s->schedule);
    s->schedule = NULL;
}

uint32_t schedule_past(const Search *s, LookPast *past) {
    uint32_t n = 0;
    for (uint32_t k = 0; s->schedule != NULL && k < s->schedule->count && n < SEARCH_MOST_PAST; k++) {
        const Line *line = &s->schedule->lines[k];
        if (!starts_from_base(line->row)) {
            past[n++] = (LookPast){line->row->part, line->under, line->view, line->effort,
                                   line->finished,  line->spent, line->slice};
        }
    }
    return n;
}

/* What runs when: stages of parts and views, in the order and with the shares of one table. */
#include "search/schedule.h"
#include "search/parts.h"
#include "search/view.h"

#include "core/clock.h"

/* Who works when, on how much of the time at most. Quick looks of all parts come first; what they leave goes
 * to the deep ones. A large budget does not make the looks longer: with more time a part finds more that fits
 * by chance, and the next ones would not get their turn. What is beyond a short search goes to a deeper one.
 */
enum { QUICK = 1, DEEP = 2 };
enum { IN_SHORT = 1, IN_DEEPER = 2 }; /* searches: the first, and what is beyond a short one */

typedef struct Stage {
    uint8_t when, part, effort;
    double share;           /* of the length of its search, at most */
    int8_t view, views_end; /* a look in each of these views that makes a difference */
} Stage;

static const Stage STAGES[] = {
    /* when     part            effort share  view         views_end */
    {IN_SHORT, PART_LIBRARY, QUICK, 0.2, VIEW_NONE, 0},
    {IN_SHORT, PART_CELLS, QUICK, 0.15, VIEW_NONE, 0},
    {IN_SHORT, PART_REPAIR, QUICK, 0.1, VIEW_NONE, 0},
    {IN_SHORT, PART_WALKERS, QUICK, 0.1, VIEW_NONE, 0},
    {IN_SHORT, PART_OBJECTS, QUICK, 0.2, VIEW_NONE, 0},
    {IN_SHORT, PART_ENUMERATE, QUICK, 0.25, VIEW_NONE, 0},
    {IN_SHORT, PART_STAMPS, QUICK, 0.45, VIEW_NONE, VIEW_TURNED},
    {IN_SHORT, PART_CELLS, QUICK, 0.1, 0, VIEW_COUNT},
    {IN_SHORT, PART_CELLS, DEEP, 0.2, VIEW_NONE, 0},
    {IN_SHORT, PART_OBJECTS, DEEP, 0.3, VIEW_NONE, 0},
    {IN_SHORT, PART_ENUMERATE, DEEP, 0.2, VIEW_NONE, 0},
    {IN_SHORT, PART_EVOLVE, DEEP, 0.03, VIEW_NONE, 0},
    {IN_SHORT, PART_STAMPS, QUICK, 0.2, VIEW_TURNED, VIEW_COUNT},
    {IN_SHORT, PART_STAMPS, DEEP, 1, VIEW_NONE, 0},
    {IN_SHORT, PART_ENUMERATE, DEEP, 1, VIEW_NONE, 0},
    {IN_SHORT, PART_EVOLVE, DEEP, 1, VIEW_NONE, 0},
    {IN_DEEPER, PART_ENUMERATE, DEEP, 0.45, VIEW_NONE, 0},
    {IN_DEEPER, PART_CELLS, DEEP, 0.2, VIEW_NONE, 0},
    {IN_DEEPER, PART_STAMPS, QUICK, 0.2, VIEW_TURNED, VIEW_COUNT},
    {IN_DEEPER, PART_STAMPS, DEEP, 1, VIEW_NONE, 0},
    {IN_DEEPER, PART_ENUMERATE, DEEP, 1, VIEW_NONE, 0},
    {IN_DEEPER, PART_EVOLVE, DEEP, 1, VIEW_NONE, 0},
};

/* One look; the part's state is made before its first. */
static void run_part(Search *s, unsigned part) {
    const PartRow *row = &search_parts[part];
    if (row->open != NULL && s->states[part] == NULL) {
        s->states[part] = row->open(s);
    }
    if (row->open == NULL || s->states[part] != NULL) {
        row->run(s, s->states[part]);
    }
}

static void run_in_view(Search *s, unsigned part, int view) {
    SearchTask seen;
    CtxMark mark = ctx_mark(s->ctx);
    if (view_of(s->ctx, s->own, view, &seen)) {
        s->task = &seen;
        s->view = view;
        run_part(s, part);
        s->task = s->own;
        s->view = VIEW_NONE;
    }
    ctx_release(s->ctx, mark);
}

/* `length` is that of all stages together, `end` where they end, as shares of the budget. */
static void run_stage(Search *s, const Stage *stage, double length, double end) {
    if ((s->limits.without >> stage->part & 1) ||
        ((stage->effort > 1 || stage->view != VIEW_NONE) && s->fitting > 0)) {
        return;
    }
    uint64_t start = clock_work_ns(), values = s->values;
    s->part = (SearchPart)stage->part;
    s->effort = stage->effort;
    s->stage_end = search_used(s) + stage->share * length;
    s->stage_end = s->stage_end < end ? s->stage_end : end;
    s->stage_over = false;
    Scope was = scope_enter(s->ctx, search_parts[stage->part].scope);
    int view = stage->view;
    if (view == VIEW_NONE) {
        run_part(s, stage->part);
        view++;
    }
    for (; view < stage->views_end && s->fitting == 0 && !s->stage_over; view++) {
        run_in_view(s, stage->part, view);
    }
    scope_back(s->ctx, was);
    s->part_ns[stage->part] += clock_work_ns() - start;
    s->part_values[stage->part] += s->values - values;
}

/* The stages of a search one after the other, up to a share of the budget. */
static void run_phase(Search *s, unsigned when, double end) {
    double begin = search_used(s);
    for (size_t k = 0; k < sizeof STAGES / sizeof *STAGES && !s->out_of_budget && search_used(s) < end; k++) {
        if (STAGES[k].when == when) {
            run_stage(s, &STAGES[k], end - begin, end);
        }
    }
}

/* The share of the budget that a short search is. */
static double short_share(const Search *s) {
    double by_time = s->limits.time_ns ? s->tune->short_ms * 1e6 / (double)s->limits.time_ns : 1;
    double by_steps = s->limits.steps ? s->tune->short_steps / (double)s->limits.steps : 1;
    double share = by_time < by_steps ? by_time : by_steps;
    return share < 1 ? share : 1;
}

void schedule_run(Search *s) {
    if (!s->limits.deeper) {
        run_phase(s, IN_SHORT, short_share(s));
    }
    run_phase(s, IN_DEEPER, 1);
}

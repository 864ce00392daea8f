/* From a search to the answers that are kept; see solve.h. */
#include "search/session/solve.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "search/schedule/schedule.h"

#include <math.h>
#include <string.h>

/* A copy of all answers of a candidate in one block; NULL: no memory. */
static Image *copy_answers(const Image *answers, uint32_t tests) {
    size_t bytes = tests * sizeof *answers;
    for (uint32_t k = 0; k < tests; k++) {
        bytes += (size_t)(answers[k].h * answers[k].w);
    }
    Image *copy = mem_alloc(bytes);
    int8_t *cells = (int8_t *)(copy + tests);
    for (uint32_t k = 0; copy != NULL && k < tests; k++) {
        size_t n = (size_t)(answers[k].h * answers[k].w);
        copy[k] = (Image){answers[k].h, answers[k].w, cells};
        if (n > 0) {
            memcpy(cells, answers[k].cells, n);
        }
        cells += n;
    }
    return copy;
}

/* Takes a candidate's program over from the search, if it is not kept yet; returns its index. */
static uint32_t keep_program(SolveTask *r, Candidate *c, uint64_t *kept_hashes) {
    for (uint32_t k = 0; k < r->n_programs; k++) {
        if (kept_hashes[k] == c->hash) {
            return k;
        }
    }
    ASSERT(c->program != NULL || c->right == 0, "a candidate gave its program away");
    kept_hashes[r->n_programs] = c->hash;
    r->programs[r->n_programs] = (SolveProgram){.program = c->program,
                                                .strategy = c->strategy,
                                                .right = c->right,
                                                .backing = c->backing,
                                                .cost = c->cost,
                                                .by_net = c->by_net,
                                                .score = c->score,
                                                .penalties = c->penalties,
                                                .steps = c->steps,
                                                .hash = c->hash};
    c->program = NULL;
    return r->n_programs++;
}

static bool keep_answers(SolveTask *r, Search *s) {
    uint32_t tests = s->task->n_test;
    Candidate *candidates = s->state->candidates;
    size_t max = (size_t)tests * SOLVE_ATTEMPTS, cells = 0;
    uint64_t *hashes = mem_array(max, sizeof *hashes);
    r->programs = mem_zalloc(max, sizeof *r->programs);
    r->answers = mem_zalloc(tests, sizeof *r->answers);
    for (uint32_t t = 0; t < tests; t++) {
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            const Image *image = search_answer(s, t, a, NULL);
            cells += image != NULL ? (size_t)(image->h * image->w) : 0;
        }
    }
    int8_t *at = r->cells = mem_alloc(cells);
    bool good = hashes != NULL && r->programs != NULL && r->answers != NULL && r->cells != NULL;
    for (uint32_t t = 0; t < tests && good; t++) {
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            const Candidate *who;
            const Image *image = search_answer(s, t, a, &who);
            if (image != NULL) {
                size_t n = (size_t)(image->h * image->w);
                memcpy(at, image->cells, n);
                r->answers[t][a].image = (Image){image->h, image->w, at};
                uint32_t k = keep_program(r, &candidates[who - candidates], hashes);
                SolveProgram *p = &r->programs[k];
                if (isfinite(p->by_net) && p->answers == NULL) {
                    p->answers = copy_answers(who->answers, tests);
                    good &= p->answers != NULL;
                }
                r->answers[t][a].candidate = k;
                at += n;
            }
        }
    }
    mem_free(hashes);
    return good;
}

bool solve_task(SolveTask *r, const Task *task, Ctx *ctx, Ctx *check, const SearchLimits *limits) {
    SearchTask about;
    Search search;
    uint64_t start = clock_work_ns();
    *r = (SolveTask){.task = task, .rounds = 1};
    search_task_fill(&about, task);
    if (!search_open(&search, &about, ctx, check, limits)) {
        return false;
    }
    search_run(&search);
    r->candidates = search.state->count;
    r->fitting = search.state->fitting;
    r->work = search.state->work;
    r->n_past = schedule_past(&search, r->past);
    ASSERT(r->n_past <= SEARCH_MAX_PAST && r->fitting <= r->candidates + COUNTED(&r->work.statistics, OFFERS),
           "%u slices, %u fit of %u", r->n_past, r->fitting, r->candidates);
    bool good = keep_answers(r, &search);
    uint64_t waited = search_waited_ns(&search);
    search_close(&search);
    r->time_ns = clock_work_ns() - start + waited;
    r->done = good;
    return good;
}

SearchEarlier solve_earlier(const SolveProgram *p) {
    return (SearchEarlier){p->program, p->strategy, p->cost, p->backing, p->steps, p->answers, p->by_net};
}

bool solve_again(SolveTask *r, const SolveTask *first, Ctx *ctx, Ctx *check, const SearchLimits *limits) {
    SearchLimits mine = *limits;
    SearchEarlier *earlier = mem_array(first->n_programs, sizeof *earlier);
    *r = (SolveTask){0};
    if (earlier == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < first->n_programs; k++) {
        earlier[k] = solve_earlier(&first->programs[k]);
    }
    mine.earlier = earlier;
    mine.n_earlier = first->n_programs;
    mine.past = first->past;
    mine.n_past = first->n_past;
    mine.net.seed = first->rounds;
    bool good = solve_task(r, first->task, ctx, check, &mine);
    mem_free(earlier);
    if (!good) {
        solve_task_free(r);
        return false;
    }
    r->rounds = first->rounds + 1;
    r->time_ns += first->time_ns;
    search_work_add(&r->work, &first->work);
    return true;
}

void solve_task_free(SolveTask *r) {
    for (uint32_t k = 0; k < r->n_programs; k++) {
        prog_free(r->programs[k].program);
        mem_free(r->programs[k].answers);
    }
    mem_free(r->programs);
    mem_free(r->answers);
    mem_free(r->cells);
    *r = (SolveTask){0};
}

bool solve_is_right(const SolveTask *r, uint32_t test, unsigned attempts) {
    const TaskPair *pair = &r->task->test[test];
    for (unsigned a = 0; a < attempts && r->answers != NULL && pair->has_output; a++) {
        if (task_image_equal(r->answers[test][a].image, pair->out)) {
            return true;
        }
    }
    return false;
}

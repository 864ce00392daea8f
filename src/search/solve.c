/* From a search to the answers that are kept; see solve.h. */
#include "search/solve.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "search/schedule.h"

#include <string.h>

/* The kept program of a candidate, taking it over from the search; its index. */
static uint32_t keep_program(SolveTask *r, Candidate *c, uint64_t *kept_hashes) {
    for (uint32_t k = 0; k < r->n_programs; k++) {
        if (kept_hashes[k] == c->hash) {
            return k;
        }
    }
    kept_hashes[r->n_programs] = c->hash;
    r->programs[r->n_programs] = (SolveProgram){.program = c->program,
                                                .part = c->part,
                                                .right = c->right,
                                                .support = c->support,
                                                .unseen = c->unseen,
                                                .cost = c->cost,
                                                .rank = c->rank,
                                                .doubts = c->doubts,
                                                .steps = c->steps,
                                                .hash = c->hash};
    c->program = NULL;
    return r->n_programs++;
}

static bool keep_answers(SolveTask *r, Search *s) {
    uint32_t tests = s->task->n_test;
    size_t most = (size_t)tests * SOLVE_ATTEMPTS, cells = 0;
    uint64_t *hashes = mem_array(most, sizeof *hashes);
    r->programs = mem_zalloc(most, sizeof *r->programs);
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
                r->answers[t][a].candidate = keep_program(r, &s->candidates[who - s->candidates], hashes);
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
    r->candidates = search.count;
    r->fitting = search.fitting;
    r->steps = search.steps;
    r->values = search.values;
    memcpy(r->part_steps, search.part_steps, sizeof r->part_steps);
    memcpy(r->part_ns, search.part_ns, sizeof r->part_ns);
    memcpy(r->part_values, search.part_values, sizeof r->part_values);
    memcpy(r->part_built_ns, search.part_built_ns, sizeof r->part_built_ns);
    r->n_past = schedule_past(&search, r->past);
    bool good = keep_answers(r, &search);
    search_close(&search);
    r->time_ns = clock_work_ns() - start;
    r->done = good;
    return good;
}

bool solve_again(SolveTask *r, Ctx *ctx, Ctx *check, const SearchLimits *limits) {
    SearchLimits mine = *limits;
    SearchEarlier *earlier = mem_array(r->n_programs, sizeof *earlier);
    SolveTask better;
    if (earlier == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < r->n_programs; k++) {
        const SolveProgram *p = &r->programs[k];
        earlier[k] = (SearchEarlier){p->program, p->part, p->cost, p->support, p->unseen, p->steps};
    }
    mine.earlier = earlier;
    mine.n_earlier = r->n_programs;
    mine.past = r->past;
    mine.n_past = r->n_past;
    bool good = solve_task(&better, r->task, ctx, check, &mine);
    mem_free(earlier);
    if (!good) {
        solve_task_free(&better);
        return false;
    }
    better.rounds = r->rounds + 1;
    better.steps += r->steps;
    better.values += r->values;
    better.time_ns += r->time_ns;
    for (unsigned p = 0; p < PART_COUNT; p++) {
        better.part_steps[p] += r->part_steps[p];
        better.part_ns[p] += r->part_ns[p];
        better.part_values[p] += r->part_values[p];
        better.part_built_ns[p] += r->part_built_ns[p];
    }
    solve_task_free(r);
    *r = better;
    return true;
}

void solve_task_free(SolveTask *r) {
    for (uint32_t k = 0; k < r->n_programs; k++) {
        prog_free(r->programs[k].program);
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

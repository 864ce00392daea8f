/* The library strategy; see library.h. */
#include "search/strategies/library.h"

#include "backends/devices/batch.h"
#include "base/alloc.h"
#include "base/check.h"
#include "engine/eval/eval.h"
#include "engine/language/build.h"
#include "search/run/run.h"
#include "search/schedule/strategies.h"

Library *library_open(void) {
    Library *library = mem_zalloc(1, sizeof *library);
    if (library != NULL) {
        library->battery = battery_new(MODE_CORE, false, 1, true);
        if (library->battery == NULL) {
            mem_free(library);
            return NULL;
        }
    }
    return library;
}

void library_close(Library *library) {
    if (library != NULL) {
        for (uint32_t k = 0; k < library->count; k++) {
            prog_free(library->programs[k]);
        }
        battery_free(library->battery);
        mem_free(library->programs);
        mem_free(library);
    }
}

bool library_add(Library *library, Ctx *ctx, const Program *program) {
    if (program->mode != MODE_CORE || program->nparams != 1) {
        return true;
    }
    if (!MEM_ROOM(library->programs, library->count, library->room, 64)) {
        return false;
    }
    Program *copy = prog_strip(program);
    if (copy == NULL || battery_add(library->battery, ctx, copy) < 0) {
        prog_free(copy);
        return false;
    }
    library->programs[library->count++] = copy;
    ASSERT(battery_programs(library->battery) == library->count,
           "%u programs in the battery, %u in the library", battery_programs(library->battery),
           library->count);
    return true;
}

size_t library_count(const Library *library) {
    return library->count;
}

typedef struct Standing {  /* of a known program */
    uint32_t right, sized; /* training pairs it gets right, and those where it gives the right size */
    uint32_t like;         /* similarity to the outputs there, as for intermediates */
} Standing;

/* Runs the batched calls of the battery for all training pairs. */
static bool run_batch(Search *s, const Batch *batch, BatchRun *run) {
    Image inputs[SEARCH_MAX_SAMPLES];
    uint64_t waited = 0;
    for (uint32_t k = 0; k < s->task->n_train; k++) {
        inputs[k] = eval_image(s->task->in[k]);
    }
    bool good = batch_run(run, batch, s->backend, s->ctx, inputs, s->task->n_train, &waited);
    search_waited(s, waited);
    return good;
}

/* Judges all programs, by one pass of the battery over each pair. */
static bool judge(Search *s, const Library *library, Standing *standings) {
    const SearchTask *t = s->task;
    uint32_t nodes = battery_nodes(library->battery);
    BatteryRun run = {.values = mem_array(nodes, sizeof *run.values),
                      .steps = mem_array(nodes, sizeof *run.steps)};
    bool go_on = run.values != NULL && run.steps != NULL;
    Batch *batch = backend_uses_device(s->backend) ? batch_open(library->battery, 0) : NULL;
    BatchRun batched = {0};
    go_on = go_on && (batch == NULL || run_batch(s, batch, &batched));
    for (uint32_t k = 0; k < t->n_train && go_on; k++) {
        ctx_reset(s->check);
        run.ready = batch != NULL ? batch_ready(&batched, k) : NULL;
        battery_run(library->battery, s->check, &t->in[k], &run);
        uint64_t steps = 1;
        for (uint32_t p = 0; p < library->count; p++) {
            uint64_t alone;
            Val v = battery_answer(library->battery, s->check, &run, (int)p, &alone);
            standings[p].right += val_eq(v, t->out[k]);
            if (v.kind == VAL_GRID8 && v.n == t->out[k].n && v.w == t->out[k].w) {
                standings[p].sized++;
                standings[p].like += intermediates_likeness(v, t->out[k]);
            }
        }
        for (uint32_t x = 0; x < nodes; x++) {
            steps += run.steps[x];
        }
        COUNT(s->statistics, VALUES, nodes);
        go_on = search_spend(s, steps);
    }
    batch_run_free(&batched, s->backend);
    batch_free(batch);
    mem_free(run.values);
    mem_free(run.steps);
    return go_on;
}

static double cost_of(const Search *s, const Program *p) {
    return s->tune->library_cost + s->tune->library_call_cost * p->nops;
}

/* Keeps what a program makes of the inputs as an intermediate; false: no grids, or nothing new. */
static bool keep_intermediate(Search *s, const Program *p) {
    const SearchTask *t = s->task;
    Val made[SEARCH_MAX_SAMPLES];
    bool good = true;
    uint32_t like;
    ctx_reset(s->check);
    for (uint32_t k = 0; k < t->n && good; k++) {
        Image image;
        ctx_rebudget(s->check);
        made[k] = eval_program(s->check, p, &t->in[k]);
        good = made[k].kind == VAL_GRID8 && run_answer(made[k], (int32_t)t->max_side, &image) &&
               search_spend(s, ctx_steps_used(s->check));
    }
    good = good && !vals_eq(made, t->in, t->n) && intermediates_want(s, made, &like);
    if (good) {
        intermediates_add(s, made, like, cost_of(s, p), prog_strip(p));
    }
    return good;
}

/* Keeps the grids of the outputs' sizes that are most similar to the outputs, as starting points
 * for other strategies. */
static void keep_intermediates(Search *s, const Library *library, Standing *standings) {
    for (uint32_t kept = 0; kept < s->tune->library_intermediates_max && !s->slice_over;) {
        Standing *best = NULL;
        for (uint32_t k = 0; k < library->count; k++) {
            bool sized = standings[k].sized == s->task->n_train;
            best = sized && (best == NULL || standings[k].like > best->like) ? &standings[k] : best;
        }
        if (best == NULL) {
            return;
        }
        best->sized = 0;
        kept += keep_intermediate(s, library->programs[best - standings]);
    }
}

void strategy_library_run(Search *s, void *state) {
    (void)state;
    const Library *library = s->library;
    if (library == NULL || library->count == 0) {
        return;
    }
    Standing *standings = mem_zalloc(library->count, sizeof *standings);
    if (standings != NULL && judge(s, library, standings)) {
        for (uint32_t k = 0; k < library->count; k++) {
            const Program *p = library->programs[k];
            if (standings[k].right == s->task->n_train) {
                search_offer(s, prog_strip(p), cost_of(s, p));
            }
        }
        if (!search_has_fit(s)) {
            keep_intermediates(s, library, standings);
        }
    }
    mem_free(standings);
}

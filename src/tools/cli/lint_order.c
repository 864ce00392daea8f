/* Tries programs under several orders of sets; see lint_order.h. */
#include "tools/cli/lint_order.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "search/run/run.h"

#include <string.h>

enum { OWN_GRIDS = 24, OWN_SIDE = 16, MAX_TRIED = 40 };

struct OrderInputs {
    const TaskSet *set;
    SetOrder *order;
    Ctx ctx; /* holds the samples as values */
    int8_t cells[OWN_GRIDS][OWN_SIDE * OWN_SIDE + 8];
    Image own[OWN_GRIDS];
};

/* Rectangles and dots in few colors on small grids: objects of equal size, and colors of equal frequency, are
 * common, so that ties occur. The grids are the same every time. */
static void make_grids(OrderInputs *inputs) {
    Rng rng = {1};
    for (uint32_t k = 0; k < OWN_GRIDS; k++) {
        int8_t *cells = inputs->cells[k];
        uint32_t h = 3 + rng_below(&rng, OWN_SIDE - 2), w = 3 + rng_below(&rng, OWN_SIDE - 2);
        uint32_t shapes = 2 + rng_below(&rng, 5), colors = 2 + rng_below(&rng, 4);
        for (uint32_t s = 0; s < shapes; s++) {
            uint32_t top = rng_below(&rng, h), left = rng_below(&rng, w);
            uint32_t bottom = top + 1 + rng_below(&rng, 3), right = left + 1 + rng_below(&rng, 3);
            int8_t color = (int8_t)(1 + rng_below(&rng, colors));
            for (uint32_t i = top; i < bottom && i < h; i++) {
                for (uint32_t j = left; j < right && j < w; j++) {
                    cells[i * w + j] = color;
                }
            }
        }
        inputs->own[k] = (Image){(int32_t)h, (int32_t)w, cells};
    }
}

OrderInputs *inputs_open(const TaskSet *set) {
    Budget budget = {.steps = 20000000, .bytes = (uint64_t)256 << 20, .depth = 2000};
    Budget small = {.steps = 1000000, .bytes = 64 << 20, .depth = 10};
    OrderInputs *inputs = mem_zalloc(1, sizeof *inputs);
    if (inputs == NULL) {
        return NULL;
    }
    inputs->set = set;
    inputs->order = set_order_open(&budget);
    if (inputs->order == NULL || !ctx_open(&inputs->ctx, &small)) {
        set_order_close(inputs->order);
        mem_free(inputs);
        return NULL;
    }
    make_grids(inputs);
    return inputs;
}

void inputs_free(OrderInputs *inputs) {
    if (inputs != NULL) {
        set_order_close(inputs->order);
        ctx_close(&inputs->ctx);
        mem_free(inputs);
    }
}

Ctx *inputs_ctx(OrderInputs *inputs) {
    return set_order_ctx(inputs->order);
}

static void try_one(OrderInputs *inputs, const Program *p, bool safe, Val samples, Image input,
                    OrderVerdict *verdict) {
    Val grid = eval_grid(input), three[3] = {samples, grid, grid};
    SetOrderFinding finding;
    if (ctx_stopped(inputs_ctx(inputs))) { /* evaluations that are over soon do not look */
        return;
    }
    verdict->tried++;
    if (set_order_depends(inputs->order, p, p->nparams == 1 ? &grid : three, safe, &finding)) {
        verdict->op = verdict->differing == 0 ? finding.op : verdict->op;
        verdict->differing++;
    }
}

static void try_task(OrderInputs *inputs, const Program *p, bool safe, const Task *task,
                     OrderVerdict *verdict) {
    ctx_reset(&inputs->ctx);
    Val samples = run_samples_value(&inputs->ctx, task);
    for (int32_t k = 0; k < task->n_train; k++) {
        try_one(inputs, p, safe, samples, task->train[k].in, verdict);
    }
    for (int32_t k = 0; k < task->n_test; k++) {
        try_one(inputs, p, safe, samples, task->test[k].in, verdict);
    }
}

/* The task that a program is named after: solve_ID, perhaps with a suffix. */
static const Task *task_of(const TaskSet *set, const Program *p) {
    const char *name = strncmp(p->name, "solve_", 6) == 0 ? p->name + 6 : p->name;
    char id[TASK_MAX_ID + 1];
    for (size_t length = strlen(name); length > 0 && length <= TASK_MAX_ID; length--) {
        if (name[length] == '\0' || name[length] == '_') {
            memcpy(id, name, length);
            id[length] = '\0';
            const Task *task = task_find(set, id);
            if (task != NULL) {
                return task;
            }
        }
    }
    return NULL;
}

OrderVerdict inputs_try(OrderInputs *inputs, const Program *p, bool safe) {
    OrderVerdict verdict = {.op = p->nops};
    const TaskSet *set = inputs->set;
    const Task *task = set != NULL ? task_of(set, p) : NULL;
    if (task != NULL) {
        try_task(inputs, p, safe, task, &verdict);
        return verdict;
    }
    for (uint32_t k = 0; set == NULL && k < OWN_GRIDS; k++) {
        try_one(inputs, p, safe, VAL_EMPTY_TUPLE, inputs->own[k], &verdict);
    }
    for (size_t k = 0; set != NULL && k < set->n_tasks && verdict.tried < MAX_TRIED; k++) {
        try_task(inputs, p, safe, &set->tasks[k * 7919 % set->n_tasks], &verdict);
    }
    return verdict;
}

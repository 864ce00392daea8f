/* Getting programs ready to run; see plan.h. */
#include "cli/plan.h"

#include "core/alloc.h"
#include "lang/build.h"

bool plan_strip(Solvers *solvers) {
    for (size_t k = 0; k < solvers->list.count; k++) {
        Program *stripped = prog_strip(solvers->list.items[k]);
        if (stripped == NULL) {
            return false;
        }
        prog_free(solvers->list.items[k]);
        solvers->list.items[k] = stripped;
    }
    return true;
}

static bool same_form(const Solvers *solvers) {
    const Program *first = solvers->list.items[0];
    for (size_t k = 1; k < solvers->list.count; k++) {
        const Program *p = solvers->list.items[k];
        if (p->mode != first->mode || p->nparams != first->nparams) {
            return false;
        }
    }
    return true;
}

bool plan_all(const Solvers *solvers, const Data *data, Ctx *ctx, bool safe, bool share, Battery **battery,
              Matching *matching) {
    if (!same_form(solvers)) {
        matching->by_task = mem_zalloc(data->n_tasks, sizeof *matching->by_task);
        matching->programs = mem_array(solvers->list.count, sizeof *matching->programs);
        if (matching->by_task == NULL || matching->programs == NULL) {
            return false;
        }
        for (size_t k = 0; k < solvers->list.count; k++) {
            matching->programs[k] = (uint32_t)k;
        }
        for (size_t k = 0; k < data->n_tasks; k++) {
            matching->by_task[k] = (RunMatch){matching->programs, (uint32_t)solvers->list.count};
        }
        return true;
    }
    const Program *first = solvers->list.items[0];
    *battery = battery_new((Mode)first->mode, safe, first->nparams, share);
    for (size_t k = 0; *battery != NULL && k < solvers->list.count; k++) {
        if (battery_add(*battery, ctx, solvers->list.items[k]) < 0) {
            return false;
        }
    }
    return *battery != NULL;
}

/* Getting programs ready to run; see run_battery.h. */
#include "search/run/run_battery.h"

#include "base/alloc.h"
#include "base/check.h"
#include "engine/language/build.h"
#include "search/run/program_places.h"

bool run_battery_strip(ProgList *programs) {
    for (size_t k = 0; k < programs->count; k++) {
        Program *stripped = prog_strip(programs->items[k]);
        if (stripped == NULL) {
            return false;
        }
        prog_free(programs->items[k]);
        programs->items[k] = stripped;
    }
    return true;
}

static bool same_form(const ProgList *programs) {
    const Program *first = programs->items[0];
    for (size_t k = 1; k < programs->count; k++) {
        const Program *p = programs->items[k];
        if (p->mode != first->mode || p->nparams != first->nparams) {
            return false;
        }
    }
    return true;
}

bool run_battery_build(const ProgList *programs, size_t n_tasks, Ctx *ctx, bool safe, bool share,
                       Battery **battery, Matching *matching) {
    ASSERT(programs->count > 0 && matching->by_task == NULL && *battery == NULL, "%zu programs",
           programs->count);
    matching->places = mem_array(programs->count, sizeof *matching->places);
    if (matching->places == NULL || !program_places((const Program *const *)programs->items, programs->count,
                                                    safe, ctx, matching->places)) {
        return false;
    }
    if (!same_form(programs)) {
        matching->by_task = mem_zalloc(n_tasks, sizeof *matching->by_task);
        matching->programs = mem_array(programs->count, sizeof *matching->programs);
        if (matching->by_task == NULL || matching->programs == NULL) {
            return false;
        }
        for (size_t k = 0; k < programs->count; k++) {
            matching->programs[k] = (uint32_t)k;
        }
        for (size_t k = 0; k < n_tasks; k++) {
            matching->by_task[k] = (RunMatch){matching->programs, (uint32_t)programs->count};
        }
        return true;
    }
    const Program *first = programs->items[0];
    *battery = battery_new((Mode)first->mode, safe, first->nparams, share);
    for (size_t k = 0; *battery != NULL && k < programs->count; k++) {
        if (battery_add(*battery, ctx, programs->items[k]) < 0) {
            return false;
        }
    }
    return *battery != NULL;
}

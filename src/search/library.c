/* The library part; see library.h. */
#include "search/library.h"

#include "core/alloc.h"
#include "lang/build.h"
#include "search/parts.h"

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
    if (library->count == library->room) {
        uint32_t room = library->room ? library->room * 2 : 64;
        Program **grown = mem_grow(library->programs, room, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        library->programs = grown;
        library->room = room;
    }
    Program *copy = prog_strip(program);
    if (copy == NULL || battery_add(library->battery, ctx, copy) < 0) {
        prog_free(copy);
        return false;
    }
    library->programs[library->count++] = copy;
    return true;
}

/* Right training pairs of every program, by one pass of the battery over each pair. */
static bool count_right(Search *s, const Library *library, uint32_t *right) {
    const SearchTask *t = s->task;
    uint32_t nodes = battery_nodes(library->battery);
    BatteryRun run = {mem_array(nodes, sizeof *run.values), mem_array(nodes, sizeof *run.steps)};
    bool go_on = run.values != NULL && run.steps != NULL;
    for (uint32_t k = 0; k < t->n_train && go_on; k++) {
        ctx_reset(s->check);
        battery_run(library->battery, s->check, &t->in[k], &run);
        uint64_t steps = 1;
        for (uint32_t p = 0; p < library->count; p++) {
            uint64_t alone;
            right[p] += val_eq(battery_answer(library->battery, s->check, &run, (int)p, &alone), t->out[k]);
        }
        for (uint32_t x = 0; x < nodes; x++) {
            steps += run.steps[x];
        }
        s->values += nodes;
        go_on = search_spend(s, steps);
    }
    mem_free(run.values);
    mem_free(run.steps);
    return go_on;
}

void part_library_run(Search *s, void *state) {
    (void)state;
    const Library *library = s->limits.library;
    if (library == NULL || library->count == 0) {
        return;
    }
    uint32_t *right = mem_zalloc(library->count, sizeof *right);
    if (right != NULL && count_right(s, library, right)) {
        for (uint32_t k = 0; k < library->count; k++) {
            if (right[k] == s->task->n_train) {
                const Program *p = library->programs[k];
                search_offer(s, prog_strip(p), s->tune->library_cost + s->tune->library_call_cost * p->nops);
            }
        }
    }
    mem_free(right);
}

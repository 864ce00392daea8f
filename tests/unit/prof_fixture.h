/* Profiles made by hand, for the tests of what is done with them. */
#ifndef BATT_TESTS_PROF_FIXTURE_H
#define BATT_TESTS_PROF_FIXTURE_H

#include "tools/profiler/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const Budget BUDGET = {.steps = 50000000, .bytes = 1 << 20, .depth = 2000};

/* n tasks, the last `endless` of which ran into their budget; each calls objects, which calls nothing, and
 * apply, which calls increment. */
static inline void make_profile(Profile *p, uint32_t n, uint32_t endless, uint32_t repeats) {
    assert_true(profile_begin(p, "made by hand", PROF_TIMING, 1, repeats));
    p->tasks = profile_alloc(p, n, sizeof *p->tasks);
    assert_non_null(p->tasks);
    p->n_tasks = n;
    for (uint32_t k = 0; k < n; k++) {
        ProfTask *task = &p->tasks[k];
        char id[32];
        bool long_one = k >= n - endless;
        double ns = long_one ? 5e9 : 3000 + 100 * (k % 7);
        snprintf(id, sizeof id, "%08x", k);
        *task = (ProfTask){.id = profile_text(p, id),
                           .reason = long_one ? "steps" : "",
                           .evaluations = 4,
                           .over_budget = long_one ? 4 : 0,
                           .solved = !long_one,
                           .cells = 100,
                           .weight = 1,
                           .execute_ns = profile_alloc(p, repeats, sizeof(double)),
                           .validate_ns = profile_alloc(p, repeats, sizeof(double))};
        uint32_t names[] = {P_objects, P_apply, P_increment};
        double shares[] = {0.5, long_one ? 0.45 : 0.25, 0.15};
        uint32_t at = profile_stack(p, 0, k, true), above = at;
        p->stacks[at].total_ns = ns;
        for (int x = 0; x < 3; x++) {
            ProfRow *row = profile_row(p, task, names[x]);
            assert_non_null(row);
            if (long_one && x == 2) {
                continue;
            }
            row->calls = x == 2 ? 20 : 4;
            row->total_ns = ns * shares[x] + (x == 1 ? ns * 0.15 : 0);
            p->names[names[x]].calls += row->calls;
            above = profile_stack(p, x == 2 ? above : at, names[x], false);
            p->stacks[above].calls = row->calls;
            p->stacks[above].self_ns = ns * shares[x];
            p->stacks[above].total_ns = row->total_ns;
            for (uint32_t r = 0; r < repeats; r++) {
                row->self_ns[r] = ns * shares[x] * (1 + 0.001 * r);
            }
        }
        for (uint32_t r = 0; r < repeats; r++) {
            task->execute_ns[r] = ns * (1 + 0.001 * r);
            task->validate_ns[r] = 50;
        }
    }
    for (uint32_t r = 0; r < repeats; r++) {
        p->pass_ns[r] = 1e6;
    }
    p->phases_ns[PHASE_LOAD] = 4e5;
    p->phases_ns[PHASE_EXECUTE] = 6e5;
    p->wall_ns = 1e6;
}

#endif

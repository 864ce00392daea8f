/* Measures what merging programs into a battery gains: all programs on all samples, as one battery and one
 * by one, on one thread.
 *     bench_battery [SOLVERS.py TASKS...]; default: the built-in ones */
#include "base/alloc.h"
#include "base/clock.h"
#include "data/tasks/embedded.h"
#include "data/tasks/task.h"
#include "engine/eval/battery.h"
#include "engine/eval/eval.h"
#include "engine/language/build.h"
#include "engine/language/parse.h"

#include <stdio.h>
#include <stdlib.h>

static double seconds(void) {
    return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-9;
}

static void need(bool good, const char *why) {
    if (!good) {
        fprintf(stderr, "bench_battery: %s\n", why);
        exit(2);
    }
}

static void load_programs(ProgList *list, const char *path) {
    Lang *lang = lang_open();
    Diags diags;
    char why[200] = "out of memory";
    size_t n = 1;
    const EmbeddedFile *files = path == NULL ? embedded_solvers(&n) : NULL;
    ProgList parsed = {0};
    diags_init(&diags);
    need(lang != NULL, why);
    for (size_t k = 0; k < n; k++) {
        Source source = {0};
        if (path != NULL) {
            need(source_read(&source, path, why, sizeof why), why);
        } else {
            source = source_of(files[k].name, files[k].data, files[k].size);
        }
        need(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &parsed, &diags), "out of memory");
        source_free(&source);
    }
    for (size_t k = 0; k < parsed.count; k++) {
        if (parsed.items[k]->nparams == 1 && parsed.items[k]->mode == MODE_CORE) {
            need(progs_add(list, prog_strip(parsed.items[k])), "out of memory");
        }
    }
    progs_free(&parsed);
    diags_free(&diags);
    lang_close(lang);
}

static TaskSet *load_tasks(const char *const *paths, size_t n_paths) {
    if (n_paths > 0) {
        return task_load(paths, n_paths, NULL);
    }
    size_t n;
    const EmbeddedFile *files = embedded_tasks(&n);
    TaskBytes *bytes = mem_array(n, sizeof *bytes);
    need(bytes != NULL, "out of memory");
    for (size_t k = 0; k < n; k++) {
        bytes[k] = (TaskBytes){files[k].name, files[k].data, files[k].size};
    }
    TaskSet *set = task_load_memory(bytes, n, NULL);
    mem_free(bytes);
    return set;
}

int main(int argc, char **argv) {
    ProgList list = {0};
    load_programs(&list, argc > 1 ? argv[1] : NULL);
    TaskSet *set = load_tasks((const char *const *)argv + 2, argc > 2 ? (size_t)argc - 2 : 0);
    Budget budget = BUDGET_DEFAULT;
    Ctx ctx;
    need(set != NULL && set->n_tasks > 0 && list.count > 0, "nothing to run");
    need(prim_open(&ctx, MODE_CORE, false, &budget), "out of memory");
    Battery *b = battery_new(MODE_CORE, false, 1, true);
    need(b != NULL, "out of memory");
    double start = seconds();
    for (size_t k = 0; k < list.count; k++) {
        need(battery_add(b, &ctx, list.items[k]) >= 0, "out of memory");
    }
    double merge = seconds() - start, merged = 0, alone = 0;
    BatteryRun run = {mem_array(battery_nodes(b), sizeof *run.values),
                      mem_array(battery_nodes(b), sizeof *run.steps), NULL};
    need(run.values != NULL && run.steps != NULL, "out of memory");
    uint64_t samples = 0, failed = 0, failed_alone = 0;
    for (size_t t = 0; t < set->n_tasks; t++) {
        const Task *task = &set->tasks[t];
        for (int32_t k = 0; k < task->n_train + task->n_test; k++, samples++) {
            const TaskPair *pair = k < task->n_train ? &task->train[k] : &task->test[k - task->n_train];
            Val input = eval_grid(pair->in);
            start = seconds();
            ctx_reset(&ctx);
            battery_run(b, &ctx, &input, &run);
            for (size_t p = 0; p < list.count; p++) {
                failed += val_failed(battery_answer(b, &ctx, &run, (int)p, NULL));
            }
            merged += seconds() - start;
            start = seconds();
            for (size_t p = 0; p < list.count; p++) {
                ctx_reset(&ctx);
                failed_alone += val_failed(eval_program(&ctx, list.items[p], &input));
            }
            alone += seconds() - start;
        }
    }
    need(failed == failed_alone, "the battery has other answers");
    BatteryStats s = battery_stats(b);
    printf("battery %u programs, %llu samples: %llu calls, %u after merging (and %u computed once), sharing "
           "%.2f\n",
           s.programs, (unsigned long long)samples, (unsigned long long)s.calls_before, s.calls_after,
           s.constants, (double)s.calls_before / (s.calls_after + s.constants));
    printf(
        "battery merging %.1f us a program; running merged %.4f s, one by one %.4f s: %.2f times as fast\n",
        merge * 1e6 / (double)list.count, merged, alone, alone / merged);
    mem_free(run.values);
    mem_free(run.steps);
    battery_free(b);
    prim_close(&ctx);
    task_set_free(set);
    progs_free(&list);
    return 0;
}

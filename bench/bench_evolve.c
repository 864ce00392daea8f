/* Throughput of evolution on the example tasks: distinct program x sample evaluations a second, on one thread
 * and on two, from single-primitive seeds.   bench_evolve [SECONDS [JOBS...]] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/alloc.h"
#include "evolve/evolve.h"
#include "task/embedded.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double measure(const TaskSet *set, const Differs *differs, unsigned jobs, double limit) {
    EvolveOptions options = EVOLVE_OPTIONS_DEFAULT;
    const Task **tasks = mem_array(set->n_tasks, sizeof *tasks);
    Evolve e;
    options.jobs = jobs;
    for (size_t k = 0; tasks != NULL && k < set->n_tasks; k++) {
        tasks[k] = &set->tasks[k];
    }
    if (tasks == NULL || !evolve_open(&e, &options, tasks, set->n_tasks, differs) ||
        !evolve_seed_primitives(&e, MODE_CORE)) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    double start = seconds(), wall;
    clock_t cpu = clock();
    do {
        if (!evolve_step(&e, NULL)) {
            exit(2);
        }
        wall = seconds() - start;
    } while (wall < limit);
    const EvolveFigures *f = &e.figures;
    double rate = (double)f->evaluations / wall, busy = (double)(clock() - cpu) / CLOCKS_PER_SEC;
    printf("evolve jobs=%u  %.0f distinct evaluations/s (%.0f a second of processor time)  candidates %llu  "
           "distinct %llu  generations %llu  fits %zu  sound %zu  solved %zu/%zu\n",
           jobs, rate, (double)f->evaluations / busy, (unsigned long long)f->candidates,
           (unsigned long long)f->distinct, (unsigned long long)f->generation, f->fits, f->sound, f->solved,
           e.n_tasks);
    evolve_close(&e);
    mem_free(tasks);
    return rate;
}

int main(int argc, char **argv) {
    size_t n;
    const EmbeddedFile *files = embedded_tasks(&n);
    TaskBytes *bytes = mem_array(n, sizeof *bytes);
    for (size_t k = 0; bytes != NULL && k < n; k++) {
        bytes[k] = (TaskBytes){files[k].name, files[k].data, files[k].size};
    }
    TaskSet *set = bytes != NULL ? task_load_memory(bytes, n, NULL) : NULL;
    Differs differs;
    char why[200];
    if (set == NULL || !differs_open(&differs, NULL, 0, why, sizeof why)) {
        fprintf(stderr, "out of memory\n");
        return 2;
    }
    double limit = argc > 1 ? atof(argv[1]) : 5;
    if (argc > 2) {
        for (int k = 2; k < argc; k++) {
            measure(set, &differs, (unsigned)atoi(argv[k]), limit);
        }
    } else {
        double one = measure(set, &differs, 1, limit), two = measure(set, &differs, 2, limit);
        printf("evolve two threads are %.2f times as fast as one\n", two / one);
    }
    differs_close(&differs);
    task_set_free(set);
    mem_free(bytes);
    return 0;
}

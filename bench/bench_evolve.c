/* Throughput of evolution on the example tasks, from single-primitive founders: distinct program x
 * sample evaluations per second on one thread and on two. How well two threads can scale depends on the
 * machine, so the throughput of two single-threaded processes that run at the same time is printed
 * beside it. Every run does the same work; a figure is the best of several rounds, taken in turn.
 * bench_evolve [GENERATIONS [ROUNDS]] */
#include "base/alloc.h"
#include "base/clock.h"
#include "data/tasks/embedded.h"
#include "search/evolution/evolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Figures {
    double rate;   /* evaluations per second */
    double by_cpu; /* and a second of processor time */
    double busy;   /* of the threads' time, the part in which they worked */
    EvolveFigures counts;
} Figures;

static double seconds(clockid_t clock) {
    return (double)clock_ns(clock) * 1e-9;
}

static void must(bool good) {
    if (!good) {
        fprintf(stderr, "bench_evolve: out of memory, or a process failed\n");
        exit(2);
    }
}

static Figures measure(const TaskSet *set, const Differs *differs, unsigned jobs, uint64_t generations) {
    EvolveOptions options = EVOLVE_OPTIONS_DEFAULT;
    const Task **tasks = mem_array(set->n_tasks, sizeof *tasks);
    Evolve e;
    options.jobs = jobs;
    for (size_t k = 0; tasks != NULL && k < set->n_tasks; k++) {
        tasks[k] = &set->tasks[k];
    }
    must(tasks != NULL && evolve_open(&e, &options, tasks, set->n_tasks, differs) &&
         evolve_add_primitives(&e, MODE_CORE));
    double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), busy = 0;
    while (e.figures.generation < generations) {
        must(evolve_generation(&e, NULL));
    }
    double wall = seconds(CLOCK_MONOTONIC) - start;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    for (unsigned k = 0; k < jobs; k++) {
        busy += (double)e.pool.workers[k].busy_ns * 1e-9;
    }
    double evaluations = (double)COUNTED(&e.figures.statistics, EVALUATIONS);
    Figures f = {evaluations / wall, evaluations / cpu, busy / (wall * jobs), e.figures};
    evolve_close(&e);
    mem_free(tasks);
    return f;
}

/* The sum of the rates of two processes that work at the same time. */
static double measure_two(const TaskSet *set, const Differs *differs, uint64_t generations) {
    double sum = 0, rate;
    int ends[2];
    must(pipe(ends) == 0);
    fflush(stdout);
    for (int k = 0; k < 2; k++) {
        pid_t child = fork();
        must(child >= 0);
        if (child == 0) {
            rate = measure(set, differs, 1, generations).rate;
            _exit(write(ends[1], &rate, sizeof rate) != sizeof rate);
        }
    }
    for (int k = 0; k < 2; k++) {
        int status;
        must(wait(&status) >= 0 && status == 0 && read(ends[0], &rate, sizeof rate) == sizeof rate);
        sum += rate;
    }
    close(ends[0]);
    close(ends[1]);
    return sum;
}

static void report(unsigned jobs, const Figures *f) {
    const EvolveFigures *c = &f->counts;
    printf("evolve jobs=%u  %.0f distinct evaluations/s (%.0f a second of processor time)  threads busy %.1f "
           "%%  "
           "candidates %llu  distinct %llu  generations %llu  fits %zu  sound %zu  solved %zu\n",
           jobs, f->rate, f->by_cpu, 100 * f->busy, (unsigned long long)COUNTED(&c->statistics, CANDIDATES),
           (unsigned long long)COUNTED(&c->statistics, DISTINCT), (unsigned long long)c->generation, c->fits,
           c->sound, c->solved);
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
    must(set != NULL && differs_open(&differs, true, NULL, 0, why, sizeof why));
    uint64_t generations = argc > 1 ? strtoull(argv[1], NULL, 10) : 20;
    int rounds = argc > 2 ? atoi(argv[2]) : 3;
    Figures best[2] = {0};
    double processes = 0;
    for (int round = 0; round < rounds; round++) {
        for (unsigned k = 0; k < 2; k++) {
            Figures f = measure(set, &differs, k + 1, generations);
            best[k] = f.rate > best[k].rate ? f : best[k];
        }
        double two = measure_two(set, &differs, generations);
        processes = two > processes ? two : processes;
    }
    report(1, &best[0]);
    report(2, &best[1]);
    printf("evolve two threads are %.2f times as fast as one; two processes at once %.2f times\n",
           best[1].rate / best[0].rate, processes / best[0].rate);
    differs_close(&differs);
    task_set_free(set);
    mem_free(bytes);
    return 0;
}

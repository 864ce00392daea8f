/* batt bench engine: times whole evaluations, counts allocations, and times the start of the program. */
#include "base/alloc.h"
#include "base/clock.h"
#include "tools/bench/cmd_bench.h"
#include "tools/profiler/phase.h"
#include "tools/profiler/timing.h"

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Milliseconds to start this program, let it print its help and end; NAN if it cannot be started. */
static double start_up_ms(unsigned rounds) {
    char self[] = "/proc/self/exe", help[] = "help";
    char *arguments[] = {self, help, NULL};
    double best = INFINITY;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    for (unsigned k = 0; k < rounds; k++) {
        pid_t child;
        int status;
        uint64_t start = clock_now_ns();
        if (posix_spawn(&child, self, &quiet, NULL, arguments, environ) != 0 ||
            waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            best = NAN;
            break;
        }
        best = fmin(best, (double)(clock_now_ns() - start) * 1e-6);
    }
    posix_spawn_file_actions_destroy(&quiet);
    return best;
}

int bench_suite_engine(BenchRun *run) {
    BenchEngine e;
    if (!bench_engine(&e, run->rounds * 4, 10 * (double)run->options->slice)) {
        return cli_error(run->cli, MEM_NONE);
    }
    if (e.typical_fails) {
        return cli_error(run->cli, "the typical program fails, so it cannot be timed");
    }
    double start_up = start_up_ms(run->rounds);
    out_fmt(run->out, "a program of 15 lines on a 12x12 grid      %8.2f us\n", e.typical_ns * 1e-3);
    out_fmt(run->out, "objects on 30x30 cells of ten-color noise  %8.2f us\n", e.objects_ns * 1e-3);
    out_fmt(run->out, "a program of one call that fails           %8.1f ns\n", e.failed_ns);
    out_fmt(run->out, "a program of one call that does nothing    %8.1f ns\n", e.empty_ns);
    out_fmt(run->out, "heap allocations in 100 evaluations        %8llu\n",
            (unsigned long long)e.allocations);
    out_fmt(run->out, "start of the program to its end            %8.2f ms\n\n", start_up);
    json_key(run->json, "engine");
    json_begin_object(run->json);
    json_kv_fixed(run->json, "typical_us", e.typical_ns * 1e-3, 3);
    json_kv_fixed(run->json, "objects_30x30_us", e.objects_ns * 1e-3, 3);
    json_kv_fixed(run->json, "failed_ns", e.failed_ns, 2);
    json_kv_fixed(run->json, "empty_ns", e.empty_ns, 2);
    json_kv_uint(run->json, "allocations", e.allocations);
    json_kv_fixed(run->json, "start_up_ms", start_up, 3);
    json_end_object(run->json);
    return EXIT_DONE;
}

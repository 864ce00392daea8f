/* Starts other processes and reads the figures that they print; see cmd_bench.h. */
#include "tools/bench/cmd_bench.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool bench_child_numbers(char *const *arguments, bool on_path, double *to, size_t n) {
    char line[64];
    int ends[2], status = -1;
    pid_t child = -1;
    if (pipe(ends) != 0) {
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    bool started =
        (on_path ? posix_spawnp : posix_spawn)(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    size_t read = 0;
    for (; from != NULL && read < n && fgets(line, sizeof line, from) != NULL; read++) {
        to[read] = strtod(line, NULL);
    }
    if (from != NULL) {
        fclose(from);
    }
    bool ended =
        started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return ended && read == n;
}

double bench_child_number(char *const *arguments, bool on_path) {
    double number;
    return bench_child_numbers(arguments, on_path, &number, 1) ? number : NAN;
}

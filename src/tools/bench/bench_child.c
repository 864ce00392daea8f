/* Starts other processes and reads the figure that they print; see cmd_bench.h. */
#include "tools/bench/cmd_bench.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

double bench_child_number(char *const *arguments, bool on_path) {
    char line[64] = "";
    int ends[2], status = -1;
    pid_t child = -1;
    if (pipe(ends) != 0) {
        return NAN;
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
    bool read = from != NULL && fgets(line, sizeof line, from) != NULL;
    if (from != NULL) {
        fclose(from);
    }
    bool ended =
        started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return ended && read ? strtod(line, NULL) : NAN;
}

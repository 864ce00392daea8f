/* batt profile compare OLD NEW with two programs: runs both in turn, so that other work on the machine
 * affects both alike, and leaves a profile of each with all its runs. */
#include "base/alloc.h"
#include "tools/cli/cmd_profile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

bool profile_is_program(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

typedef struct ChildArgs { /* arguments of a child; owned */
    char **items;
    size_t count;
    bool failed;
} ChildArgs;

static void add(ChildArgs *w, const char *text) {
    char **more = mem_grow(w->items, w->count + 2, sizeof *more);
    char *copy = more != NULL ? mem_strndup(text, strlen(text)) : NULL;
    w->items = more != NULL ? more : w->items;
    if (copy == NULL) {
        w->failed = true;
        return;
    }
    more[w->count++] = copy;
    more[w->count] = NULL;
}

static void add_number(ChildArgs *w, const char *option, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    add(w, option);
    add(w, text);
}

static void add_time(ChildArgs *w, const char *option, int64_t ns) {
    char text[40];
    snprintf(text, sizeof text, "%.9f", (double)ns * 1e-9);
    add(w, option);
    add(w, text);
}

static void add_list(ChildArgs *w, const char *option, const CliList *list) {
    for (size_t k = 0; k < list->count; k++) {
        add(w, option);
        add(w, list->items[k]);
    }
}

static void add_text(ChildArgs *w, const char *option, const char *text) {
    if (text != NULL) {
        add(w, option);
        add(w, text);
    }
}

/* Options that choose tasks and programs, and how they are run, are passed to both alike. */
static void make_args(ChildArgs *w, const ProfileOptions *opt, const char *program, const char *to,
                      int n_paths, char **paths) {
    static const char *const modes[] = {"core", "batt"};
    add(w, program);
    add(w, "profile");
    add(w, "batch");
    add(w, "--append");
    add_text(w, "--output", to);
    add_list(w, "--solvers", &opt->solvers);
    add_list(w, "--id", &opt->data.ids);
    add_text(w, "--filter", opt->data.filter);
    add_number(w, "--start", opt->data.start);
    add_number(w, "--count", opt->data.count);
    add_number(w, "--max-side", opt->data.max_side);
    add_text(w, "--shard", opt->data.shard);
    add_text(w, "--shard-costs", opt->data.costs);
    add_number(w, "--repeat", opt->repeat);
    add_number(w, "--warmup", opt->warmup);
    add_number(w, "--jobs", opt->jobs);
    add_number(w, "--max-steps", opt->max_steps);
    add_number(w, "--max-memory", opt->max_memory);
    add_time(w, "--timeout", opt->timeout);
    add_text(w, "--mode", opt->mode >= 0 ? modes[opt->mode] : NULL);
    const struct {
        bool set;
        const char *name;
    } flags[] = {{opt->all, "--all"},
                 {opt->no_share, "--no-share"},
                 {opt->safe, "--safe"},
                 {opt->data.strict, "--strict"}};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        if (flags[k].set) {
            add(w, flags[k].name);
        }
    }
    add(w, "--");
    for (int k = 0; k < n_paths; k++) {
        add(w, paths[k]);
    }
}

/* Waits for a child; once the command is stopped, the child is, too: a signal may have been for this process
 * alone. */
static bool wait_for(const Cli *cli, pid_t child, int *status) {
    enum { LOOK_NS = 10000000, PATIENCE = 50 };
    pid_t ended;
    for (int looks = 0; (ended = waitpid(child, status, WNOHANG)) == 0;) {
        if (cli_stopped(cli) && looks++ % PATIENCE == 0) {
            kill(child, looks == 1 ? SIGTERM : SIGKILL);
        }
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    return ended == child;
}

static int run_child(const Cli *cli, char *const *arguments) {
    pid_t child = -1;
    int status = -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    bool ended = started && wait_for(cli, child, &status);
    if (cli_stopped(cli)) {
        return EXIT_INTERRUPTED;
    }
    return ended && WIFEXITED(status) && WEXITSTATUS(status) <= EXIT_SHORT
               ? EXIT_DONE
               : cli_error(cli, "%s profile batch failed", arguments[0]);
}

int profile_run_both(const Cli *cli, const ProfileOptions *opt, const char *const programs[2],
                     char files[2][PROFILE_PATH], int n_paths, char **paths) {
    const char *folder = getenv("TMPDIR");
    char place[PROFILE_PATH - 32];
    snprintf(place, sizeof place, "%s/batt-compare-XXXXXX", folder != NULL ? folder : "/tmp");
    if (mkdtemp(place) == NULL) {
        return cli_error(cli, "%s: cannot be made", place);
    }
    ChildArgs args[2] = {{0}};
    int code = EXIT_DONE;
    for (int side = 0; side < 2; side++) {
        snprintf(files[side], PROFILE_PATH, "%s/%s.json", place, side == 0 ? "before" : "after");
        make_args(&args[side], opt, programs[side], files[side], n_paths, paths);
        code = args[side].failed ? cli_error(cli, MEM_NONE) : code;
    }
    for (int64_t k = 0; k < 2 * opt->runs && code == EXIT_DONE; k++) {
        int side = (int)((k + k / 2) % 2); /* neither is always first */
        code = run_child(cli, args[side].items);
    }
    for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < args[side].count; k++) {
            mem_free(args[side].items[k]);
        }
        mem_free(args[side].items);
    }
    return code;
}

void profile_forget_both(char files[2][PROFILE_PATH]) {
    for (int side = 0; side < 2; side++) {
        unlink(files[side]);
    }
    char *slash = strrchr(files[0], '/');
    if (slash != NULL) {
        *slash = '\0';
        rmdir(files[0]);
    }
}

/* batt: the command line. Finds the command, runs it, handles signals, and makes sure that the output was
 * written. */
#include "base/callstack.h"
#include "base/out.h"
#include "build_commit.h"
#include "tools/cli/cli.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The one mutable static of the program: a signal handler has no other way to tell anyone. */
static struct {
    Stop stop;
    atomic_int saving; /* files that are being written just now (cli_save) */
} asked;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may not read `saving`");

/* After a lost connection there may be nobody left to write to, and the files still have to be written. */
static void request_stop(int signal_number) {
    stop_request(&asked.stop);
    if (signal_number == SIGHUP) {
        signal(SIGPIPE, SIG_IGN);
    }
}

/* A command that does not poll has nothing to show before it ends. A file that it is writing is completed
 * first: no temporary file stays. */
static void leave(int signal_number) {
    request_stop(signal_number);
    if (atomic_load(&asked.saving) == 0) {
        _exit(EXIT_INTERRUPTED);
    }
}

/* The first Ctrl-C asks the command to stop, the second one kills the process. SIGHUP may come twice by
 * itself, from the terminal and from the shell; under nohup it stays ignored. */
static void watch_signals(bool polls) {
    struct sigaction action = {.sa_handler = polls ? request_stop : leave, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction inherited;
    action.sa_flags = SA_RESTART;
    if (sigaction(SIGHUP, NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
}

static int print(void (*write)(Out *, const TermStyle *, const CliEntry *), const Cli *cli) {
    Out out;
    out_init(&out);
    write(&out, &cli->style, cli->entry);
    bool good = cli_print(cli, &out);
    out_free(&out);
    return good ? EXIT_DONE : EXIT_SHORT;
}

static void write_overview(Out *out, const TermStyle *style, const CliEntry *entry) {
    (void)entry;
    cli_help_overview(out, style);
}

/* The version on a line of its own; then which build it is and what is in it. */
static void say_version(void) {
    puts("batt " BATT_VERSION_TEXT);
    puts("commit    " BATT_BUILD_COMMIT ", " BATT_BUILD_DATE);
#ifdef __clang__
    puts("compiler  clang " __clang_version__);
#else
    puts("compiler  gcc " __VERSION__);
#endif
#ifdef BATT_NO_SERVE
    const char *serve = "no page (batt serve)";
#else
    const char *serve = "page (batt serve)";
#endif
#ifdef BATT_NO_PLUGINS
    const char *plugins = "no OpenCL, no MPI";
#else
    const char *plugins = "OpenCL and MPI where they are installed";
#endif
    printf("features  %s, %s%s\n", serve, plugins,
#ifdef BATT_CHECKED
           ", assertions"
#else
           ""
#endif
    );
}

static int dispatch(Cli *cli, int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        return print(write_overview, cli);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        say_version();
        return EXIT_DONE;
    }
    const CliEntry *entry = cli_find(argv[1]);
    if (!entry) {
        return cli_unknown_command(cli, argv[1]);
    }
    cli->entry = entry;
    return cli_execute(cli, argc - 2, argv + 2);
}

/* Whatever the command returned: output that could not be written is an error. The cause is determined again,
 * since errno has changed in the meantime. */
static int check_output(const Cli *cli, int status) {
    bool lost = ferror(stdout) != 0 || fflush(stdout) != 0;
    if (!lost) {
        return status;
    }
    clearerr(stdout);
    errno = 0;
    bool again = write(STDOUT_FILENO, "\n", 1) == 1;
    cli_error(cli, "cannot write to standard output: %s",
              again || errno == 0 ? "part of it was rejected" : strerror(errno));
    return status == EXIT_INTERRUPTED ? status : EXIT_SHORT;
}

typedef struct MainCall {
    int argc;
    char **argv;
    int status;
} MainCall;

static void answer(void *arg) {
    MainCall *call = arg;
    Cli cli = {.stop = &asked.stop, .saving = &asked.saving, .watch = watch_signals};
    cli_restyle(&cli);
    call->status = dispatch(&cli, call->argc, call->argv);
    call->status = check_output(&cli, call->status);
}

int main(int argc, char **argv) {
    /* If the reader of our output goes away, end quietly, even if our parent ignores the signal. */
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ,
           SIG_IGN);         /* a file that may not grow is a write error like others, reported and rescued */
    mallopt(M_ARENA_MAX, 1); /* hot loops do not allocate, and every further arena takes 64 MB of addresses */
    MainCall call = {argc, argv, EXIT_BAD};
    if (!callstack_run(answer, &call)) {
        fputs("batt: the stack limit is below 8 MiB and a thread with a larger stack cannot be started; "
              "raise the limit with 'ulimit -s 8192'\n",
              stderr);
    }
    return call.status;
}

/* The frame of the command line: what a command declares, and what it is given.
 *
 * A command lives in src/cli/cmd_NAME.c, which defines `const CliCommand cmd_NAME`; a line in commands.def
 * makes it known. From its tables come parsing, range checks, `--help`, the man page and the shell
 * completion, so an option is written down once. Options are stored in a struct of the command's own, which
 * the frame owns while the command runs.
 *
 *     typedef struct Options { bool json; int64_t jobs; CliList solvers; } Options;
 *
 *     static const CliOption options[] = {
 *         CLI_FLAG(Options, json, 0, "json", "write JSON"),
 *         CLI_INT(Options, jobs, 'j', "jobs", "N", "0", 0, 1024, "worker threads; 0: one a core"),
 *         CLI_LIST(Options, solvers, 's', "solvers", "FILE", "solver file or folder; may be given several
 * times"), CLI_END};
 *
 *     static const CliExample examples[] = {{"batt run", "the example tasks", false}, {0}};
 *
 *     static int run(Cli *cli, const void *given, int argc, char **argv) { const Options *opt = given; ... }
 *
 *     const CliCommand cmd_run = {.arguments = "[TASKS...]", .max_args = -1, .options = options,
 *                                 .size = sizeof(Options), .examples = examples, .run = run};
 */
#ifndef BATT_CLI_CLI_H
#define BATT_CLI_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "display/term.h"

enum { EXIT_DONE = 0, EXIT_SHORT = 1, EXIT_BAD = 2, EXIT_INTERRUPTED = 130 };

/* ---- declaring options ---- */

typedef enum CliKind {
    CLI_KIND_END,
    CLI_KIND_FLAG,   /* bool */
    CLI_KIND_INT,    /* int64_t */
    CLI_KIND_SIZE,   /* int64_t, bytes: 64M, 1G */
    CLI_KIND_TIME,   /* int64_t, nanoseconds: 5s, 200ms, 8h; a bare number is seconds */
    CLI_KIND_REAL,   /* double */
    CLI_KIND_TEXT,   /* const char * */
    CLI_KIND_LIST,   /* CliList: every occurrence, in order */
    CLI_KIND_CHOICE, /* int: index into the words of `value` ("auto|never|always") */
} CliKind;

typedef struct CliList {
    const char **items;
    size_t count;
} CliList;

typedef struct CliOption {
    CliKind kind;
    char letter;        /* short form, or 0 */
    const char *name;   /* long form, without dashes */
    size_t offset;      /* of the field in the command's struct */
    const char *value;  /* what stands for the argument in the help; the words of a choice */
    const char *preset; /* default, as one would type it; NULL: CLI_UNSET, NAN, NULL or -1 */
    int64_t min, max;   /* inclusive */
    const char *help;
} CliOption;

#define CLI_UNSET INT64_MIN

/* The address of a field, refusing (by a warning) one of another type. */
#define CLI_AT(T, field, type) (offsetof(T, field) + 0 * sizeof(&((T *)0)->field == (type *)0))

#define CLI_FLAG(T, field, letter, name, help) \
    { CLI_KIND_FLAG, letter, name, CLI_AT(T, field, bool), NULL, NULL, 0, 0, help }
#define CLI_INT(T, field, letter, name, value, preset, min, max, help) \
    { CLI_KIND_INT, letter, name, CLI_AT(T, field, int64_t), value, preset, min, max, help }
#define CLI_SIZE(T, field, letter, name, preset, min, max, help) \
    { CLI_KIND_SIZE, letter, name, CLI_AT(T, field, int64_t), "SIZE", preset, min, max, help }
#define CLI_TIME(T, field, letter, name, preset, min_ns, max_ns, help) \
    { CLI_KIND_TIME, letter, name, CLI_AT(T, field, int64_t), "TIME", preset, min_ns, max_ns, help }
#define CLI_REAL(T, field, letter, name, value, preset, min, max, help) \
    { CLI_KIND_REAL, letter, name, CLI_AT(T, field, double), value, preset, min, max, help }
#define CLI_TEXT(T, field, letter, name, value, preset, help) \
    { CLI_KIND_TEXT, letter, name, CLI_AT(T, field, const char *), value, preset, 0, 0, help }
#define CLI_LIST(T, field, letter, name, value, help) \
    { CLI_KIND_LIST, letter, name, CLI_AT(T, field, CliList), value, NULL, 0, 0, help }
#define CLI_CHOICE(T, field, letter, name, words, preset, help) \
    { CLI_KIND_CHOICE, letter, name, CLI_AT(T, field, int), words, preset, 0, 0, help }
#define CLI_END \
    { CLI_KIND_END, 0, NULL, 0, NULL, NULL, 0, 0, NULL }

#define CLI_SECOND INT64_C(1000000000)
#define CLI_DAY (86400 * CLI_SECOND)

/* ---- declaring commands ---- */

typedef struct CliExample {
    const char *line;
    const char *note;
    bool needs_files; /* false: a test runs it, in an empty folder, and wants exit code 0 or 1 */
} CliExample;

typedef struct Cli Cli;

typedef struct CliCommand {
    const char *arguments;      /* "EXPR...": what follows the options in the usage line; NULL: nothing */
    const char *words;          /* "stats|best|list": what the first argument may be; NULL: anything */
    int min_args, max_args;     /* max_args -1: any number */
    const char *details;        /* paragraphs, one line each; wrapped by the frame. May be NULL */
    const CliOption *options;   /* ends with CLI_END; may be NULL */
    size_t size;                /* of the struct that the options fill */
    const CliExample *examples; /* ends with {0}; may be NULL */
    bool interruptible;         /* polls cli->stop; the others are simply ended by Ctrl-C */
    int (*run)(Cli *cli, const void *options, int argc, char **argv);
} CliCommand;

typedef struct CliEntry {
    const char *name;
    const char *summary;
    const CliCommand *command;
} CliEntry;

extern const CliEntry cli_commands[]; /* from commands.def, ends with a NULL name */
const CliEntry *cli_find(const char *name);

/* ---- what a command is given ---- */

struct Cli {
    const CliEntry *entry;
    TermOptions
        term_options;      /* --color is set; a command may add palette and digits, then call cli_restyle */
    TermStyle style;       /* for standard output */
    TermStyle error_style; /* for standard error */
    const volatile sig_atomic_t
        *stop;   /* true once Ctrl-C was pressed: finish what is at hand, write it, return */
    void *lists; /* storage behind CliList */
};

bool cli_stopped(const Cli *cli);
void cli_restyle(Cli *cli);

/* Prints "batt COMMAND: ..." to standard error and returns EXIT_BAD. Control characters are made harmless. */
int cli_error(const Cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Index of `given` among the words "a|b|c"; -1 after an error message that suggests the nearest. `what` names
 * it. */
int cli_word(const Cli *cli, const char *what, const char *given, const char *words);

/* ---- inside the frame ---- */

/* Fills `options` (size bytes) and compacts argv to the arguments that are none. Reports every error. */
bool cli_parse(Cli *cli, const CliCommand *command, void *options, int *argc, char **argv, bool *help);
bool cli_parse_size(const char *text, int64_t *bytes);
bool cli_parse_time(const char *text, int64_t *nanoseconds);

struct Out;
void cli_help_overview(struct Out *out, const TermStyle *style);
void cli_help_command(struct Out *out, const TermStyle *style, const CliEntry *entry);
void cli_help_man(struct Out *out);
void cli_help_completion(struct Out *out);
void cli_help_examples(struct Out *out); /* those that tests may run, one a line */

/* Options that every command has. */
typedef struct CliCommon {
    bool help;
    int color;
} CliCommon;
extern const CliOption cli_common_options[];

#endif

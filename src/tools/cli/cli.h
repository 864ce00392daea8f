/* The frame of the command line: what a command declares, and what it is given.
 *
 * A command lives in src/tools/cli/cmd_NAME.c, which defines `const CliCommand cmd_NAME`; a line in
 * commands.def makes it known. Parsing, range checks, `--help`, the man page and the shell completion all
 * come from its tables, so an option is written down only once. Options are stored in a struct of the
 * command's own, which the frame owns while the command runs.
 *
 *     typedef struct Options { bool json; int64_t jobs; CliList solvers; } Options;
 *
 *     static const CliOption options[] = {
 *         CLI_FLAG(Options, json, 0, "json", "write JSON"),
 *         CLI_INT(Options, jobs, 'j', "jobs", "N", "0", 0, 1024, "worker threads; 0: one per core"),
 *         CLI_LIST(Options, solvers, 's', "solvers", "FILE", "solver file or folder; may be repeated"),
 *         CLI_END};
 *
 *     static const CliExample examples[] = {{"batt run", "the example tasks", false}, {0}};
 *
 *     static int run(Cli *cli, const void *given, int argc, char **argv) { const Options *opt = given; ... }
 *
 *     const CliCommand cmd_run = {.arguments = "[TASKS...]", .max_args = -1, .options = options,
 *                                 .size = sizeof(Options), .examples = examples, .run = run}; */
#ifndef BATT_TOOLS_CLI_CLI_H
#define BATT_TOOLS_CLI_CLI_H

#include "base/stop.h"
#include "tools/display/term.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
    CLI_KIND_GROUP,  /* no option: the heading of those that follow, in the help */
} CliKind;

typedef struct CliList {
    const char **items;
    size_t count;
} CliList;

/* What the file behind an option is for. Before a command begins, the frame checks that every file to be
 * written can be written, is not also an input, and does not replace a file that batt did not write. */
typedef enum CliRole {
    CLI_ROLE_NONE, /* no file */
    CLI_ROLE_READ,
    CLI_ROLE_WRITE,  /* replaced as a whole; a file not written by batt only with --force */
    CLI_ROLE_FOLDER, /* files are put there; created if missing */
    CLI_ROLE_GROW,   /* added to: a store, a history */
} CliRole;

typedef struct CliOption {
    CliKind kind;
    char letter;        /* short form, or 0 */
    const char *name;   /* long form, without dashes */
    size_t offset;      /* of the field in the command's struct */
    const char *value;  /* the name of the argument in the help; the words of a choice */
    const char *preset; /* default, as the user would type it; NULL: CLI_UNSET, NAN, NULL or -1 */
    int64_t min, max;   /* inclusive */
    const char *help;
    CliRole role;
} CliOption;

#define CLI_UNSET INT64_MIN

/* The offset of a field; the compiler warns if it is of another type. */
#define CLI_AT(T, field, type) (offsetof(T, field) + 0 * sizeof(&((T *)0)->field == (type *)0))

#define CLI_FLAG(T, field, letter, name, help) \
    { CLI_KIND_FLAG, letter, name, CLI_AT(T, field, bool), NULL, NULL, 0, 0, help, CLI_ROLE_NONE }
#define CLI_INT(T, field, letter, name, value, preset, min, max, help) \
    { CLI_KIND_INT, letter, name, CLI_AT(T, field, int64_t), value, preset, min, max, help, CLI_ROLE_NONE }
#define CLI_SIZE(T, field, letter, name, preset, min, max, help) \
    { CLI_KIND_SIZE, letter, name, CLI_AT(T, field, int64_t), "SIZE", preset, min, max, help, CLI_ROLE_NONE }
#define CLI_TIME(T, field, letter, name, preset, min_ns, max_ns, help)                                \
    {                                                                                                 \
        CLI_KIND_TIME, letter, name, CLI_AT(T, field, int64_t), "TIME", preset, min_ns, max_ns, help, \
            CLI_ROLE_NONE                                                                             \
    }
#define CLI_REAL(T, field, letter, name, value, preset, min, max, help) \
    { CLI_KIND_REAL, letter, name, CLI_AT(T, field, double), value, preset, min, max, help, CLI_ROLE_NONE }
#define CLI_TEXT(T, field, letter, name, value, preset, help) \
    { CLI_KIND_TEXT, letter, name, CLI_AT(T, field, const char *), value, preset, 0, 0, help, CLI_ROLE_NONE }
#define CLI_LIST(T, field, letter, name, value, help) \
    { CLI_KIND_LIST, letter, name, CLI_AT(T, field, CliList), value, NULL, 0, 0, help, CLI_ROLE_NONE }
#define CLI_CHOICE(T, field, letter, name, words, preset, help) \
    { CLI_KIND_CHOICE, letter, name, CLI_AT(T, field, int), words, preset, 0, 0, help, CLI_ROLE_NONE }
/* An option that names a file or a folder, or a list of them. */
#define CLI_FILE(T, field, letter, name, value, role, help) \
    { CLI_KIND_TEXT, letter, name, CLI_AT(T, field, const char *), value, NULL, 0, 0, help, role }
#define CLI_FILES(T, field, letter, name, value, role, help) \
    { CLI_KIND_LIST, letter, name, CLI_AT(T, field, CliList), value, NULL, 0, 0, help, role }
/* Options that follow are listed under this heading, except those that CliCommand.main names. */
#define CLI_GROUP(title) \
    { CLI_KIND_GROUP, 0, NULL, 0, NULL, NULL, 0, 0, title, CLI_ROLE_NONE }
#define CLI_END \
    { CLI_KIND_END, 0, NULL, 0, NULL, NULL, 0, 0, NULL, CLI_ROLE_NONE }

#define CLI_SECOND INT64_C(1000000000)
#define CLI_DAY (86400 * CLI_SECOND)

/* ---- declaring commands ---- */

typedef struct CliExample {
    const char *line;
    const char *note;
    bool needs_files; /* false: a test runs it in an empty folder and expects exit code 0 or 1 */
} CliExample;

typedef struct Cli Cli;

typedef struct CliCommand {
    const char *arguments;  /* "EXPR...": what follows the options in the usage line; NULL: nothing */
    const char *words;      /* "stats|best|list": what the first argument may be; NULL: anything */
    const char *completes;  /* what shells offer for arguments: a list of `batt help --words`; NULL: files */
    int min_args, max_args; /* max_args -1: any number */
    int output_arg;         /* which argument is a file to write; 0: none */
    const char *details;    /* paragraphs, one line each, wrapped by the frame; may be NULL */
    const CliOption *options; /* ends with CLI_END; may be NULL */
    size_t size;              /* of the struct that the options fill */
    const char *main; /* "solvers id diff": the options that the help shows first, five or so; NULL: all */
    const CliExample *examples; /* ends with {0}; may be NULL */
    bool interruptible;         /* polls cli->stop; other commands end at once, with what they had saved */
    bool ranked; /* ranks of a launcher can share its work; other commands refuse to run there */
    int (*run)(Cli *cli, const void *options, int argc, char **argv);
} CliCommand;

typedef struct CliEntry {
    const char *name;
    const char *group; /* heading in the overview, "search"; commands of a group follow each other */
    const char *summary;
    const CliCommand *command;
} CliEntry;

extern const CliEntry
    cli_commands[]; /* from commands.def, ends with a NULL name; commands.c, or the library's */
const CliEntry *cli_find(const char *name);

/* ---- what a command is given ---- */

struct Cli {
    const CliEntry *entry;
    /* --color is set; a command may add palette and digits, then call cli_restyle */
    TermOptions term_options;
    TermStyle style;            /* for standard output */
    TermStyle error_style;      /* for standard error */
    const Stop *stop;           /* set once Ctrl-C was pressed: finish the work at hand, write it, return */
    atomic_int *saving;         /* counts files being written: a signal waits for them */
    void *lists;                /* storage behind CliList */
    bool force;                 /* files that batt did not write may be replaced */
    bool reads;                 /* options named files, though perhaps not tasks */
    struct Ranks *ranks;        /* the other processes of a launcher; NULL: alone */
    const struct OwnPrims *own; /* primitives of one's own, inside the library; NULL: none */
    size_t *refused;            /* tasks and files that could not be read while others could: exit code 1 */
    FILE *out, *err;            /* NULL: the standard ones */
    /* NULL inside the library. Called before the command begins: signals are handled from now on. */
    void (*watch)(bool interruptible);
};

static inline FILE *cli_out(const Cli *cli) {
    return cli->out != NULL ? cli->out : stdout;
}
static inline FILE *cli_err(const Cli *cli) {
    return cli->err != NULL ? cli->err : stderr;
}

bool cli_stopped(const Cli *cli);
void cli_restyle(Cli *cli); /* after a change of term_options */

bool cli_same_file(const char *a, const char *b); /* whatever their names; both must exist */
int cli_no_memory(const Cli *cli);                /* reports it and returns EXIT_BAD */
/* The same where workers could not reserve their memory (a limit of address space, usually), with what to
 * change. 0 jobs: one per processor. */
int cli_no_workers(const Cli *cli, int64_t jobs, int64_t bytes);
/* Prints "batt COMMAND: ..." to standard error and returns EXIT_BAD. Control characters are made harmless. */
int cli_error(const Cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct Out;
/* To standard output. False: out of memory, which is reported, or it cannot be written, which main reports.
 */
bool cli_print(const Cli *cli, const struct Out *out);

/* Writes a file whole or not at all. If that fails at the end of long work, the text goes to a file in the
 * working directory or the temporary folder, which the message names, or else to standard output; false is
 * returned then. */
bool cli_save(const Cli *cli, const struct Out *out, const char *path);
/* Whether a file that no option names may be written; if not, that is reported. */
bool cli_may_replace(const Cli *cli, const char *path);

/* Index of `given` among the words "a|b|c"; -1 after an error message that suggests the nearest. `what` says
 * what the word is for. */
int cli_word(const Cli *cli, const char *what, const char *given, const char *words);

/* ---- inside the frame ---- */

/* Runs cli->entry with its options and arguments, without its name; returns the exit code. */
int cli_execute(Cli *cli, int argc, char **argv);
int cli_unknown_command(const Cli *cli, const char *name); /* reports it and returns EXIT_BAD */

/* Fills `options` (size bytes) and compacts argv to the arguments that are not options. Reports every
 * error. */
bool cli_parse(Cli *cli, const CliCommand *command, void *options, int *argc, char **argv, bool *help);
bool cli_parse_size(const char *text, int64_t *bytes);
bool cli_parse_time(const char *text, int64_t *nanoseconds);

/* The options of a table, without its headings; NULL: no more. */
const CliOption *cli_first_option(const CliOption *table);
const CliOption *cli_next_option(const CliOption *option);

void cli_help_overview(struct Out *out, const TermStyle *style);
void cli_help_command(struct Out *out, const TermStyle *style, const CliEntry *entry);
void cli_help_man(struct Out *out); /* batt(1), and batt-COMMAND(1) */
void cli_help_man_command(struct Out *out, const CliEntry *entry);
void cli_help_completion(struct Out *out);
void cli_help_completion_zsh(struct Out *out);
void cli_help_completion_fish(struct Out *out);
void cli_help_examples(struct Out *out); /* examples that tests may run, one per line */

/* Options that every command has. */
typedef struct CliCommon {
    bool force, help;
    int color;
} CliCommon;
const CliOption *cli_common_options(const CliCommand *command); /* --force only where files are replaced */

/* Checks the files named by options, and arguments that are files; see CliRole. Reports every problem. */
bool cli_check_files(Cli *cli, const CliCommand *command, const void *options, int argc, char **argv);

#endif

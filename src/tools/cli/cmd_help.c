/* batt help: prints the overview, or one command's options. Also writes the man pages, the completion for
 * shells, and the words that the completion offers. */
#include "base/out.h"
#include "data/tasks/task.h"
#include "engine/primitives/prim.h"
#include "tools/cli/cli.h"
#include "tools/cli/data.h"
#include "tools/cli/strategies_option.h"
#include "tools/cli/tunables_option.h"

#include <stdio.h>

typedef struct Options {
    bool man;
    int completion;
    int words;
    bool examples;
} Options;

static const CliOption options[] = {
    CLI_FLAG(Options, man, 0, "man", "write a man page (roff): of batt, or of COMMAND"),
    CLI_CHOICE(Options, completion, 0, "completion", "bash|zsh|fish", NULL,
               "write the completion for a shell"),
    CLI_CHOICE(Options, words, 0, "words", "commands|topics|primitives|ids", NULL,
               "list what can be typed, for shells; ids: of the files that follow"),
    CLI_FLAG(Options, examples, 0, "examples", "list the examples that need no files, one per line"),
    CLI_END};

static const CliExample examples[] = {{"batt help", "the commands", false},
                                      {"batt help help", "the options of a command", false},
                                      {"batt help strategies", "the strategies of search", false},
                                      {"batt help tunables", "the parameters of search", false},
                                      {0}};

static const struct Topic {
    const char *name;
    void (*list)(Out *, const TermStyle *);
} topics[] = {{"strategies", strategies_list}, {"tunables", tunables_list}};
enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

/* The index of a word among the commands and, after them, the topics; -1 after an error message. */
static int index_of(const Cli *cli, const char *word) {
    Out names;
    out_init(&names);
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        out_fmt(&names, "%s|", entry->name);
    }
    for (int k = 0; k < TOPIC_COUNT; k++) {
        out_fmt(&names, "%s%s", k > 0 ? "|" : "", topics[k].name);
    }
    int index = cli_word(cli, "command", word, names.data);
    out_free(&names);
    return index;
}

static void list_ids(Out *out, int n, char **paths) {
    TaskLoadOptions how = {0};
    TaskSet *set = n > 0 ? task_load((const char *const *)paths, (size_t)n, &how) : data_examples();
    for (size_t k = 0; set != NULL && k < set->n_tasks; k++) {
        out_fmt(out, "%s\n", set->tasks[k].id);
    }
    task_set_free(set);
}

static void list_words(Out *out, int which, int n, char **paths) {
    enum { COMMANDS, TOPICS, PRIMITIVES, IDS };
    for (const CliEntry *entry = cli_commands; which <= TOPICS && entry->name; entry++) {
        out_fmt(out, "%s\n", entry->name);
    }
    for (int k = 0; which == TOPICS && k < TOPIC_COUNT; k++) {
        out_fmt(out, "%s\n", topics[k].name);
    }
    for (uint32_t id = 0; which == PRIMITIVES && id < PRIM_COUNT; id++) {
        out_fmt(out, "%s\n", prim_table[id].name);
    }
    if (which == IDS) {
        list_ids(out, n, paths);
    }
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    if (argc > 1 && opt->words < 0) {
        return cli_error(cli, "unexpected argument '%s'", argv[1]);
    }
    int index = argc > 0 && opt->words < 0 ? index_of(cli, argv[0]) : 0, commands = 0;
    if (index < 0) {
        return EXIT_BAD;
    }
    while (cli_commands[commands].name != NULL) {
        commands++;
    }
    static void (*const completions[])(Out *) = {cli_help_completion, cli_help_completion_zsh,
                                                 cli_help_completion_fish};
    Out out;
    out_init(&out);
    if (opt->man && argc > 0 && index < commands) {
        cli_help_man_command(&out, &cli_commands[index]);
    } else if (opt->man) {
        cli_help_man(&out);
    } else if (opt->words >= 0) {
        list_words(&out, opt->words, argc, argv);
    } else if (opt->completion >= 0) {
        completions[opt->completion](&out);
    } else if (opt->examples) {
        cli_help_examples(&out);
    } else if (index >= commands) {
        topics[index - commands].list(&out, &cli->style);
    } else if (argc > 0) {
        cli_help_command(&out, &cli->style, &cli_commands[index]);
    } else {
        cli_help_overview(&out, &cli->style);
    }
    bool good = cli_print(cli, &out);
    out_free(&out);
    return good ? EXIT_DONE : EXIT_SHORT;
}

const CliCommand cmd_help = {.arguments = "[COMMAND|strategies|tunables]",
                             .completes = "topics",
                             .max_args = -1,
                             .options = options,
                             .size = sizeof(Options),
                             .examples = examples,
                             .run = run};

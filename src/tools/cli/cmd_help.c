/* batt help: prints the overview, or one command's options. Also writes the man page and the completion for
 * `make docs`. */
#include "base/out.h"
#include "tools/cli/cli.h"
#include "tools/cli/strategies_option.h"
#include "tools/cli/tunables_option.h"

#include <stdio.h>

typedef struct Options {
    bool man;
    int completion;
    bool examples;
} Options;

static const CliOption options[] = {
    CLI_FLAG(Options, man, 0, "man", "write the man page (roff)"),
    CLI_CHOICE(Options, completion, 0, "completion", "bash|zsh|fish", NULL,
               "write the completion for a shell"),
    CLI_FLAG(Options, examples, 0, "examples", "list the examples that need no files, one per line"),
    CLI_END};

static const CliExample examples[] = {{"batt help", "the commands", false},
                                      {"batt help help", "the options of a command", false},
                                      {"batt help strategies", "what search consists of", false},
                                      {"batt help tunables", "the numbers that steer search", false},
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

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    int index = argc > 0 ? index_of(cli, argv[0]) : 0, commands = 0;
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
    if (opt->man) {
        cli_help_man(&out);
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
                             .max_args = 1,
                             .options = options,
                             .size = sizeof(Options),
                             .examples = examples,
                             .run = run};

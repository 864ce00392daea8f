/* Writes the man pages from the commands' tables, so that they cannot fall behind the options: batt(1) with
 * an overview, and batt-COMMAND(1) for each command. */
#include "base/out.h"
#include "build_commit.h"
#include "tools/cli/cli.h"

#include <ctype.h>
#include <string.h>

/* Text with the special characters of roff escaped. */
static void roff(Out *out, const char *text) {
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) {
            out_str(out, "\\&");
        }
        line_start = *text == '\n';
        if (*text == '\\') {
            out_str(out, "\\e");
        } else if (*text == '-') {
            out_str(out, "\\-");
        } else if (*text == '\'') {
            out_str(out, "\\(aq");
        } else if (*text == '\n') {
            out_str(out, "\n.PP\n");
        } else {
            out_char(out, *text);
        }
    }
}

/* Details of a command: paragraphs, and lists of lines "TERM<TAB>TEXT". */
static void man_details(Out *out, const char *text) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        char line[2048];
        size_t copied = length < sizeof line - 1 ? length : sizeof line - 1;
        memcpy(line, text, copied);
        line[copied] = '\0';
        char *tab = strchr(line, '\t');
        if (tab) {
            *tab = '\0';
        }
        out_str(out, tab ? ".TP\n.B " : ".PP\n");
        roff(out, line);
        out_char(out, '\n');
        if (tab) {
            roff(out, tab + 1);
            out_char(out, '\n');
        }
        text += length + (text[length] == '\n');
    }
}

static void man_option(Out *out, const CliOption *option) {
    out_str(out, ".TP\n");
    if (option->letter) {
        out_fmt(out, "\\fB\\-%c\\fR, ", option->letter);
    }
    out_str(out, "\\fB\\-\\-");
    roff(out, option->name);
    out_str(out, "\\fR");
    if (option->value) {
        out_str(out, " \\fI");
        roff(out, option->value);
        out_str(out, "\\fR");
    }
    out_char(out, '\n');
    roff(out, option->help);
    if (option->preset && *option->preset) {
        out_str(out, " (default ");
        roff(out, option->preset);
        out_char(out, ')');
    }
    out_char(out, '\n');
}

static void man_options(Out *out, const CliOption *options) {
    for (const CliOption *option = cli_first_option(options); option; option = cli_next_option(option)) {
        man_option(out, option);
    }
}

static void man_examples(Out *out, const CliExample *examples) {
    for (const CliExample *example = examples; example && example->line; example++) {
        out_str(out, ".TP\n.B ");
        roff(out, example->line);
        out_char(out, '\n');
        roff(out, example->note);
        out_char(out, '\n');
    }
}

/* The title and the name; `name` is empty for batt(1). */
static void man_head(Out *out, const char *name, const char *summary) {
    out_str(out, ".\\\" Written by `batt help --man` from the tables of src/tools/cli.\n.TH BATT");
    const char *dash = *name ? "\\-" : "";
    out_str(out, dash);
    for (const char *c = name; *c; c++) {
        out_char(out, (char)toupper((unsigned char)*c));
    }
    out_fmt(out, " 1 \"%s\" \"batt %s\" \"User Commands\"\n.SH NAME\nbatt%s%s \\- ", BATT_BUILD_DATE,
            BATT_VERSION_TEXT, dash, name);
    roff(out, summary);
    out_char(out, '\n');
}

/* What is the same for every command. */
static void man_tail(Out *out) {
    out_str(out,
            ".SH EXIT STATUS\n"
            ".TP\n0\ndone\n"
            ".TP\n1\nran, but did not reach what was asked (a task unsolved, a vector wrong)\n"
            ".TP\n2\nbad usage or unreadable input\n"
            ".TP\n130\ninterrupted; what there was has been written\n"
            ".SH FILES\n"
            ".TP\n.I *.json\ntasks, challenges with their solutions, submissions, profiles\n"
            ".TP\n.I *.jsonl\na task in every line; histories of runs\n"
            ".TP\n.I *.py\nsolver programs\n"
            ".TP\n.I *.batt\nstores of programs, SQLite databases\n"
            ".SH ENVIRONMENT\n.TP\nNO_COLOR\nif set and not empty, no color unless \\-\\-color always\n");
}

static void man_see_also(Out *out, const char *but) {
    out_str(out, ".SH SEE ALSO\n");
    if (but != NULL) {
        out_str(out, ".BR batt (1)");
    }
    bool first = but == NULL;
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        if (but == NULL || strcmp(entry->name, but) != 0) {
            out_fmt(out, "%s.BR batt\\-%s (1)", first ? "" : ",\n", entry->name);
            first = false;
        }
    }
    out_char(out, '\n');
}

void cli_help_man_command(Out *out, const CliEntry *entry) {
    const CliCommand *command = entry->command;
    man_head(out, entry->name, entry->summary);
    out_fmt(out, ".SH SYNOPSIS\n.B batt %s\n[OPTION...] ", entry->name);
    roff(out, command->arguments ? command->arguments : "");
    out_str(out, "\n.SH DESCRIPTION\n");
    roff(out, entry->summary);
    out_str(out, ".\n");
    if (command->details) {
        man_details(out, command->details);
    }
    out_str(out, ".SH OPTIONS\n");
    man_options(out, command->options);
    man_options(out, cli_common_options(command));
    if (command->examples) {
        out_str(out, ".SH EXAMPLES\n");
        man_examples(out, command->examples);
    }
    man_tail(out);
    man_see_also(out, entry->name);
}

void cli_help_man(Out *out) {
    man_head(out, "", "program search for ARC");
    out_str(
        out,
        ".SH SYNOPSIS\n.B batt\n.I COMMAND\n[OPTION...] [ARGUMENT...]\n"
        ".SH DESCRIPTION\n"
        "batt reads ARC tasks and solver programs, runs the programs on the tasks, searches for new "
        "programs,\n"
        "and shows where the time goes. Without data a command uses the examples embedded in the binary.\n"
        ".PP\nOptions may come before or after arguments; \\fB\\-\\-\\fR ends them.\n"
        "Sizes take K, M or G; times take ns, us, ms, s, m, h or d.\n"
        ".SH COMMANDS\nEach has a page of its own, such as\n.BR batt\\-solve (1).\n");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        out_fmt(out, ".TP\n.B %s\n", entry->name);
        roff(out, entry->summary);
        out_char(out, '\n');
    }
    out_str(out, ".SH OPTIONS OF EVERY COMMAND\n");
    man_options(out, cli_common_options(NULL));
    man_tail(out);
    man_see_also(out, NULL);
}

/* Writes the man page from the commands' tables: `make docs` updates the file and a test compares it, so that
 * it cannot fall behind the options. */
#include "base/out.h"
#include "tools/cli/cli.h"

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

static void man_command(Out *out, const CliEntry *entry) {
    const CliCommand *command = entry->command;
    out_fmt(out, ".SS batt %s [OPTION...] ", entry->name);
    roff(out, command->arguments ? command->arguments : "");
    out_str(out, "\n");
    roff(out, entry->summary);
    out_str(out, ".\n");
    if (command->details) {
        man_details(out, command->details);
    }
    man_options(out, command->options);
    if (cli_common_options(command) != cli_common_options(NULL)) {
        man_option(out, cli_common_options(command)); /* --force */
    }
    man_examples(out, command->examples);
}

void cli_help_man(Out *out) {
    out_str(
        out,
        ".\\\" Written by `make docs` from the tables of src/tools/cli; do not edit.\n"
        ".TH BATT 1 \"\" \"batt " BATT_VERSION_TEXT "\" \"User Commands\"\n"
        ".SH NAME\nbatt \\- program search for ARC\n"
        ".SH SYNOPSIS\n.B batt\n.I COMMAND\n[OPTION...] [ARGUMENT...]\n"
        ".SH DESCRIPTION\n"
        "batt reads ARC tasks and solver programs, runs the programs on the tasks, searches for new "
        "programs,\n"
        "and shows where the time goes. Without data a command uses the examples embedded in the binary.\n"
        ".PP\nOptions may come before or after arguments; \\fB\\-\\-\\fR ends them.\n"
        "Sizes take K, M or G; times take ns, us, ms, s, m, h or d.\n"
        ".SH OPTIONS OF EVERY COMMAND\n");
    man_options(out, cli_common_options(NULL));
    out_str(out, ".SH COMMANDS\n");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        man_command(out, entry);
    }
    out_str(out,
            ".SH EXIT STATUS\n"
            ".TP\n0\ndone\n"
            ".TP\n1\nran, but did not reach what was asked (a task unsolved, a vector wrong)\n"
            ".TP\n2\nbad usage or unreadable input\n"
            ".TP\n130\ninterrupted; what there was has been written\n"
            ".SH ENVIRONMENT\n.TP\nNO_COLOR\nif set and not empty, no color unless \\-\\-color always\n");
}

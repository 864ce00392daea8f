/* Writes the man page and the bash completion from the commands' tables: `make docs` updates both files and a
 * test compares them, so that neither can fall behind the options. */
#include "cli/cli.h"
#include "core/out.h"

#include <string.h>

/* ---- man page ---- */

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
    for (const CliOption *option = options; option && option->kind != CLI_KIND_END; option++) {
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
        out_str(out, ".PP\n");
        roff(out, command->details);
        out_str(out, "\n");
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
        ".\\\" Written by `make docs` from the tables of src/cli; do not edit.\n"
        ".TH BATT 1 \"\" \"batt " BATT_VERSION_TEXT "\" \"User Commands\"\n"
        ".SH NAME\nbatt \\- program search for ARC\n"
        ".SH SYNOPSIS\n.B batt\n.I COMMAND\n[OPTION...] [ARGUMENT...]\n"
        ".SH DESCRIPTION\n"
        "batt reads ARC tasks and solver programs, runs the programs on the tasks, searches for new "
        "programs,\n"
        "and shows where the time goes. Without data a command uses the examples embedded in the binary.\n"
        ".PP\nOptions may stand before or after arguments; \\fB\\-\\-\\fR ends them.\n"
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

/* ---- completion ---- */

static void words_of(Out *out, const char *words) {
    for (; *words; words++) {
        out_char(out, *words == '|' ? ' ' : *words);
    }
}

static void completion_options(Out *out, const CliOption *options) {
    for (const CliOption *option = options; option && option->kind != CLI_KIND_END; option++) {
        out_fmt(out, " --%s", option->name);
        if (option->letter) {
            out_fmt(out, " -%c", option->letter);
        }
    }
}

/* A case per option whose argument is one of a few words. */
static void completion_choices(Out *out, const char *command, const CliOption *options) {
    for (const CliOption *option = options; option && option->kind != CLI_KIND_END; option++) {
        if (option->kind != CLI_KIND_CHOICE) {
            continue;
        }
        out_fmt(out, "    %s:--%s)\n        words=\"", command, option->name);
        words_of(out, option->value);
        out_str(out, "\"\n        ;;\n");
    }
}

void cli_help_completion(Out *out) {
    out_str(out,
            "# Completion of batt for bash. Written by `make docs` from the tables of src/cli; do not edit.\n"
            "# shellcheck shell=bash\n"
            "_batt() {\n"
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
            "command=${COMP_WORDS[1]} words=\n"
            "    COMPREPLY=()\n"
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
            "        mapfile -t COMPREPLY < <(compgen -W \"");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        out_fmt(out, "%s ", entry->name);
    }
    out_str(out, "--help --version\" -- \"$word\")\n"
                 "        return\n"
                 "    fi\n"
                 "    case $command:$before in\n");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        completion_choices(out, entry->name, entry->command->options);
    }
    completion_choices(out, "*", cli_common_options(NULL));
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        if (!entry->command->words) {
            continue;
        }
        out_fmt(out, "    %s:%s)\n        words=\"", entry->name, entry->name);
        words_of(out, entry->command->words);
        out_str(out, "\"\n        ;;\n");
    }
    out_str(out, "    esac\n"
                 "    if [ -z \"$words\" ] && [[ $word == -* ]]; then\n"
                 "        case $command in\n");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        out_fmt(out, "        %s)\n            words=\"", entry->name);
        Out list;
        out_init(&list);
        completion_options(&list, entry->command->options);
        completion_options(&list, cli_common_options(entry->command));
        out_str(out, *list.data ? list.data + 1 : "");
        out->failed |= list.failed;
        out_free(&list);
        out_str(out, "\"\n            ;;\n");
    }
    out_str(out, "        esac\n"
                 "    fi\n"
                 "    [ -n \"$words\" ] && mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                 "}\n"
                 "complete -o default -F _batt batt\n");
}

/* Writes the output of `batt`, `batt help` and `--help` from the commands' own tables. */
#include "base/out.h"
#include "tools/cli/cli.h"

#include <string.h>

/* The first steps in the overview; tests run them like the examples of a command. */
static const CliExample first_steps[] = {
    {"batt run", "solve the example tasks with the example programs", false},
    {"batt show 8c5f9c65", "draw one of them", false},
    {"batt trace 8c5f9c65", "run its program line by line", false},
    {0}};

enum { WIDEST = 100 }; /* lines longer than this are hard to read, however wide the terminal */

static size_t line_width(const TermStyle *style) {
    return style->width && style->width < WIDEST ? style->width : WIDEST;
}

/* Writes a paragraph broken at `width`, with following lines indented. The first word goes to `column`. */
static void wrap(Out *out, const char *text, size_t column, size_t indent, size_t width) {
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " ");
        char word[256];
        size_t copied = length < sizeof word - 1 ? length : sizeof word - 1;
        memcpy(word, text, copied);
        word[copied] = '\0';
        size_t columns = out_columns(word);
        if (!first && column + 1 + columns > width) {
            out_char(out, '\n');
            out_repeat(out, " ", indent);
            column = indent;
            first = true;
        }
        if (!first) {
            out_char(out, ' ');
            column++;
        }
        out_str(out, word);
        column += columns;
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    out_char(out, '\n');
}

/* Where the texts of a list begin: two columns after its longest term, unless that is very long. */
static size_t list_column(const char *text) {
    size_t widest = 0;
    for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
        size_t term = strcspn(text, "\t\n");
        if (text[term] == '\t' && term > widest && term <= 24) {
            widest = term;
        }
    }
    return 2 + widest + 2;
}

/* Writes the lines of `text` as paragraphs. A line "TERM<TAB>TEXT" is an item of a list. */
static void paragraphs(Out *out, const char *text, size_t width) {
    size_t column = list_column(text);
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        char line[2048];
        size_t copied = length < sizeof line - 1 ? length : sizeof line - 1;
        memcpy(line, text, copied);
        line[copied] = '\0';
        char *tab = strchr(line, '\t');
        if (tab) {
            *tab = '\0';
            size_t used = 2 + out_columns(line);
            out_fmt(out, "  %s", line);
            if (used + 2 > column) {
                out_char(out, '\n');
                used = 0;
            }
            out_repeat(out, " ", column - used);
            wrap(out, tab + 1, column, column, width);
        } else {
            wrap(out, line, 0, 0, width);
        }
        text += length + (text[length] == '\n');
    }
}

/* "-j, --jobs N" */
static void option_form(Out *out, const CliOption *option) {
    if (option->letter) {
        out_fmt(out, "-%c, ", option->letter);
    } else {
        out_str(out, "    ");
    }
    out_fmt(out, "--%s", option->name);
    if (option->value) {
        out_fmt(out, " %s", option->value);
    }
}

static void option_lines(Out *out, const CliOption *option, size_t column, size_t width) {
    Out form, text;
    out_init(&form);
    out_init(&text);
    option_form(&form, option);
    out_str(&text, option->help);
    if (option->preset && *option->preset) {
        out_fmt(&text, " (default %s)", option->preset);
    }
    out_fmt(out, "  %s", form.data);
    size_t used = 2 + out_columns(form.data);
    if (used + 2 > column) {
        out_char(out, '\n');
        used = 0;
    }
    out_repeat(out, " ", column - used);
    wrap(out, text.data, column, column, width);
    out->failed |= form.failed || text.failed;
    out_free(&form);
    out_free(&text);
}

static size_t widest_form(const CliOption *options, size_t widest) {
    for (const CliOption *option = cli_first_option(options); option; option = cli_next_option(option)) {
        size_t columns = 6 + strlen(option->name) + (option->value ? 1 + strlen(option->value) : 0);
        if (columns > widest && columns <= 30) {
            widest = columns;
        }
    }
    return widest;
}

static void example_lines(Out *out, const CliExample *examples, const TermStyle *style) {
    size_t widest = 0;
    for (const CliExample *example = examples; example->line; example++) {
        size_t columns = out_columns(example->line);
        if (columns > widest && columns <= 48) {
            widest = columns;
        }
    }
    for (const CliExample *example = examples; example->line; example++) {
        size_t columns = out_columns(example->line);
        out_fmt(out, "  %s%s%s", term_attr(style, ATTR_NAME), example->line, term_attr(style, ATTR_RESET));
        if (columns > widest) {
            out_char(out, '\n');
            columns = 0;
            out_repeat(out, " ", 2);
        }
        out_repeat(out, " ", widest + 2 - columns);
        wrap(out, example->note, widest + 4, widest + 4, line_width(style));
    }
}

static void heading(Out *out, const TermStyle *style, const char *text) {
    out_fmt(out, "\n%s%s%s\n", term_attr(style, ATTR_BOLD), text, term_attr(style, ATTR_RESET));
}

void cli_help_overview(Out *out, const TermStyle *style) {
    out_fmt(out,
            "%sbatt%s searches for programs that solve ARC puzzles, runs them, and shows what they do.\n",
            term_attr(style, ATTR_BOLD), term_attr(style, ATTR_RESET));
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        if (entry == cli_commands || strcmp(entry->group, entry[-1].group) != 0) {
            heading(out, style, entry->group);
        }
        out_fmt(out, "  %s%-12s%s", term_attr(style, ATTR_NAME), entry->name, term_attr(style, ATTR_RESET));
        wrap(out, entry->summary, 14, 14, line_width(style));
    }
    heading(out, style, "first steps");
    example_lines(out, first_steps, style);
    out_str(out, "\n'batt COMMAND --help' explains a command. Without data, commands use 48 built-in example "
                 "tasks.\n");
}

/* Whether an option is among the words of CliCommand.main. */
static bool is_main(const CliCommand *command, const CliOption *option) {
    size_t length = strlen(option->name);
    for (const char *word = command->main; word && *word; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        if (strcspn(word, " ") == length && memcmp(word, option->name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The common options, in the order of the table; all of them if there is no choice. */
static void main_options(Out *out, const CliCommand *command, size_t column, size_t width) {
    const CliOption *option = cli_first_option(command->options);
    for (; option; option = cli_next_option(option)) {
        if (!command->main || is_main(command, option)) {
            option_lines(out, option, column, width);
        }
    }
    option = cli_first_option(command->main ? NULL : cli_common_options(command));
    for (; option; option = cli_next_option(option)) {
        option_lines(out, option, column, width);
    }
}

/* The others, under the headings of the table. */
static void other_options(Out *out, const TermStyle *style, const CliCommand *command, size_t column) {
    const char *title = "more options";
    for (const CliOption *row = command->options; row->kind != CLI_KIND_END; row++) {
        if (row->kind == CLI_KIND_GROUP) {
            title = row->help;
        } else if (!is_main(command, row)) {
            if (title) {
                heading(out, style, title);
            }
            title = NULL;
            option_lines(out, row, column, line_width(style));
        }
    }
    heading(out, style, "in every command");
    const CliOption *option = cli_first_option(cli_common_options(command));
    for (; option; option = cli_next_option(option)) {
        option_lines(out, option, column, line_width(style));
    }
}

void cli_help_command(Out *out, const TermStyle *style, const CliEntry *entry) {
    const CliCommand *command = entry->command;
    size_t width = line_width(style);
    out_fmt(out, "%sbatt %s%s: %s\n\n", term_attr(style, ATTR_BOLD), entry->name,
            term_attr(style, ATTR_RESET), entry->summary);
    out_fmt(out, "usage: batt %s [OPTION...]%s%s\n", entry->name, command->arguments ? " " : "",
            command->arguments ? command->arguments : "");
    if (command->details) {
        out_char(out, '\n');
        paragraphs(out, command->details, width);
    }
    size_t column = 4 + widest_form(cli_common_options(command), widest_form(command->options, 0));
    heading(out, style, command->main ? "common options" : "options");
    main_options(out, command, column, width);
    if (command->examples) {
        heading(out, style, "examples");
        example_lines(out, command->examples, style);
    }
    if (command->main) {
        other_options(out, style, command, column);
    }
}

void cli_help_examples(Out *out) {
    for (const CliExample *example = first_steps; example->line; example++) {
        out_fmt(out, "%s\n", example->line);
    }
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        for (const CliExample *example = entry->command->examples; example && example->line; example++) {
            if (!example->needs_files) {
                out_fmt(out, "%s\n", example->line);
            }
        }
    }
}

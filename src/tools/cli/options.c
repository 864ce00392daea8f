/* Parses a command line by a table of options: long and short forms, attached and separate arguments, ranges,
 * defaults. All errors are reported, not just the first. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/nearest.h"
#include "tools/cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const CliOption common_options[] = {
    CLI_FLAG(CliCommon, force, 0, "force", "overwrite files that batt did not write"),
    CLI_CHOICE(CliCommon, color, 0, "color", "auto|never|always", "auto",
               "colored output; auto: on a terminal, unless NO_COLOR is set"),
    CLI_FLAG(CliCommon, help, 'h', "help", "show this help"), CLI_END};

/* The option at or after a row, past headings. */
static const CliOption *option_from(const CliOption *row) {
    while (row && row->kind == CLI_KIND_GROUP) {
        row++;
    }
    return row && row->kind != CLI_KIND_END ? row : NULL;
}

const CliOption *cli_first_option(const CliOption *table) {
    return option_from(table);
}

const CliOption *cli_next_option(const CliOption *option) {
    return option_from(option + 1);
}

const CliOption *cli_common_options(const CliCommand *command) {
    if (command && command->output_arg > 0) {
        return common_options;
    }
    const CliOption *option = cli_first_option(command ? command->options : NULL);
    for (; option; option = cli_next_option(option)) {
        if (option->role == CLI_ROLE_WRITE || option->role == CLI_ROLE_FOLDER) {
            return common_options;
        }
    }
    return common_options + 1;
}

/* The command line being parsed. */
typedef struct Reading {
    Cli *cli;
    const CliCommand *command;
    char *options; /* the command's struct */
    CliCommon common;
    const CliOption **list_of; /* for each use of a list option: the option */
    const char **list_text;    /* and its argument */
    size_t uses;
    bool good;
} Reading;

/* ---- values ---- */

typedef struct Unit {
    const char *name;
    double scale;
} Unit;

/* A non-negative number, perhaps with a fraction, and a unit from the list (ends with a NULL name). */
static bool parse_with_unit(const char *text, const Unit *units, int64_t *result) {
    if (!(*text >= '0' && *text <= '9')) {
        return false;
    }
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        return false;
    }
    char *end;
    double number = strtod(text, &end);
    for (; units->name; units++) {
        if (strcmp(end, units->name) == 0) {
            number *= units->scale;
            if (!(number < 9e18)) {
                return false;
            }
            *result = (int64_t)number;
            return true;
        }
    }
    return false;
}

bool cli_parse_size(const char *text, int64_t *bytes) {
    static const double k = 1024;
    const Unit units[] = {{"", 1},          {"B", 1},          {"K", k},           {"KB", k},
                          {"KiB", k},       {"M", k * k},      {"MB", k * k},      {"MiB", k * k},
                          {"G", k * k * k}, {"GB", k * k * k}, {"GiB", k * k * k}, {"T", k * k * k * k},
                          {"k", k},         {"m", k * k},      {"g", k * k * k},   {NULL, 0}};
    return parse_with_unit(text, units, bytes);
}

bool cli_parse_time(const char *text, int64_t *nanoseconds) {
    static const Unit units[] = {{"", 1e9},   {"s", 1e9},    {"ms", 1e6},   {"us", 1e3},    {"ns", 1},
                                 {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {NULL, 0}};
    return parse_with_unit(text, units, nanoseconds);
}

static bool parse_int(const char *text, int64_t *result) {
    char *end;
    errno = 0;
    *result = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *text != ' ' && *text != '\t' && *text != '\n';
}

static bool parse_real(const char *text, double *result) {
    char *end;
    *result = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*result) && *text != ' ' && *text != '\t' && *text != '\n';
}

/* Index of a word in "a|b|c", or -1. */
static int find_word(const char *given, size_t length, const char *words) {
    for (int index = 0;; index++) {
        size_t width = strcspn(words, "|");
        if (width == length && memcmp(given, words, width) == 0) {
            return index;
        }
        if (!words[width]) {
            return -1;
        }
        words += width + 1;
    }
}

int cli_word(const Cli *cli, const char *what, const char *given, const char *words) {
    int index = find_word(given, strlen(given), words);
    if (index >= 0) {
        return index;
    }
    Nearest nearest = nearest_to(given, strlen(given));
    char copy[512], *rest = copy;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; (word = strsep(&rest, "|"));) {
        nearest_offer(&nearest, word);
    }
    if (nearest.best) {
        cli_error(cli, "unknown %s '%s'; did you mean '%s'?", what, given, nearest.best);
    } else {
        cli_error(cli, "unknown %s '%s'; expected %s", what, given, words);
    }
    return -1;
}

/* ---- options ---- */

static void *field(Reading *r, const CliOption *option) {
    bool common =
        option >= common_options && option < common_options + sizeof common_options / sizeof *common_options;
    ASSERT(common || option->offset < r->command->size, "--%s lies beyond the options of its command",
           option->name);
    return (common ? (char *)&r->common : r->options) + option->offset;
}

static void bad(Reading *r) {
    r->good = false;
}

/* "1024" as "1K", nanoseconds as "5s": bounds in messages look like what the user types. */
static const char *bound(CliKind kind, int64_t n, char *text, size_t size) {
    static const Unit sizes[] = {{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"", 1}};
    static const Unit times[] = {{"d", 86400e9}, {"h", 3600e9}, {"s", 1e9},
                                 {"ms", 1e6},    {"us", 1e3},   {"ns", 1}};
    const Unit *units = kind == CLI_KIND_SIZE ? sizes : times;
    if ((kind == CLI_KIND_SIZE || kind == CLI_KIND_TIME) && n != 0) {
        while (n % (int64_t)units->scale) {
            units++;
        }
        snprintf(text, size, "%lld%s", (long long)(n / (int64_t)units->scale), units->name);
    } else {
        snprintf(text, size, "%lld", (long long)n);
    }
    return text;
}

static void check_range(Reading *r, const CliOption *option, const char *given, bool inside) {
    if (inside) {
        return;
    }
    char low[32], high[32];
    bound(option->kind, option->min, low, sizeof low);
    bound(option->kind, option->max, high, sizeof high);
    if (option->max == INT64_MAX) {
        cli_error(r->cli, "--%s %s: must be at least %s", option->name, given, low);
    } else {
        cli_error(r->cli, "--%s %s: must be from %s to %s", option->name, given, low, high);
    }
    bad(r);
}

static void set_number(Reading *r, const CliOption *option, const char *text) {
    int64_t number;
    bool read = option->kind == CLI_KIND_INT    ? parse_int(text, &number)
                : option->kind == CLI_KIND_SIZE ? cli_parse_size(text, &number)
                                                : cli_parse_time(text, &number);
    if (!read) {
        cli_error(r->cli, "--%s '%s': expected %s", option->name, text,
                  option->kind == CLI_KIND_INT    ? "a whole number"
                  : option->kind == CLI_KIND_SIZE ? "a size such as 64M"
                                                  : "a time such as 5s or 200ms");
        bad(r);
        return;
    }
    check_range(r, option, text, number >= option->min && number <= option->max);
    *(int64_t *)field(r, option) = number;
}

static void set(Reading *r, const CliOption *option, const char *text) {
    void *target = field(r, option);
    double real;
    switch (option->kind) {
    case CLI_KIND_FLAG:
        *(bool *)target = true;
        return;
    case CLI_KIND_INT:
    case CLI_KIND_SIZE:
    case CLI_KIND_TIME:
        set_number(r, option, text);
        return;
    case CLI_KIND_REAL:
        if (parse_real(text, &real)) {
            check_range(r, option, text, real >= (double)option->min && real <= (double)option->max);
            *(double *)target = real;
        } else {
            cli_error(r->cli, "--%s '%s': expected a number", option->name, text);
            bad(r);
        }
        return;
    case CLI_KIND_TEXT:
        *(const char **)target = text;
        return;
    case CLI_KIND_LIST:
        r->list_of[r->uses] = option;
        r->list_text[r->uses++] = text;
        return;
    case CLI_KIND_CHOICE: {
        char what[64];
        snprintf(what, sizeof what, "value of --%s", option->name);
        int index = cli_word(r->cli, what, text, option->value);
        if (index < 0) {
            bad(r);
        } else {
            *(int *)target = index;
        }
        return;
    }
    case CLI_KIND_END:
    case CLI_KIND_GROUP:
        return;
    }
}

static void set_default(Reading *r, const CliOption *option) {
    if (option->preset) {
        set(r, option, option->preset);
        return;
    }
    void *target = field(r, option);
    switch (option->kind) {
    case CLI_KIND_INT:
    case CLI_KIND_SIZE:
    case CLI_KIND_TIME:
        *(int64_t *)target = CLI_UNSET;
        break;
    case CLI_KIND_REAL:
        *(double *)target = NAN;
        break;
    case CLI_KIND_CHOICE:
        *(int *)target = -1;
        break;
    default: /* already zero */
        break;
    }
}

/* Finds an option by its letter or (name not NULL) its long name, among the command's own, then the common
 * ones. */
static const CliOption *find(Reading *r, char letter, const char *name, size_t length) {
    const CliOption *tables[2] = {r->command->options, cli_common_options(r->command)};
    for (int t = 0; t < 2; t++) {
        for (const CliOption *option = cli_first_option(tables[t]); option;
             option = cli_next_option(option)) {
            if (name ? strlen(option->name) == length && memcmp(option->name, name, length) == 0
                     : option->letter == letter) {
                return option;
            }
        }
    }
    return NULL;
}

static void unknown(Reading *r, const char *name, size_t length) {
    Nearest nearest = nearest_to(name, length);
    const CliOption *tables[2] = {r->command->options, cli_common_options(r->command)};
    for (int t = 0; t < 2; t++) {
        for (const CliOption *option = cli_first_option(tables[t]); option;
             option = cli_next_option(option)) {
            nearest_offer(&nearest, option->name);
        }
    }
    int shown = length > 200 ? 200 : (int)length;
    if (nearest.best) {
        cli_error(r->cli, "unknown option '--%.*s'; did you mean '--%s'?", shown, name, nearest.best);
    } else {
        cli_error(r->cli, "unknown option '--%.*s'", shown, name);
    }
    bad(r);
}

/* --name, --name=text, --name text. Returns how many further words were used (0 or 1). */
static int read_long(Reading *r, const char *word, const char *next) {
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const char *attached = name[length] ? name + length + 1 : NULL;
    const CliOption *option = find(r, 0, name, length);
    if (!option) {
        unknown(r, name, length);
        return 0;
    }
    if (option->kind == CLI_KIND_FLAG) {
        if (attached) {
            cli_error(r->cli, "--%s takes no argument", option->name);
            bad(r);
        }
        set(r, option, NULL);
        return 0;
    }
    if (!attached && !next) {
        cli_error(r->cli, "--%s needs an argument: %s", option->name, option->value);
        bad(r);
        return 0;
    }
    set(r, option, attached ? attached : next);
    return attached ? 0 : 1;
}

/* -a, -ab, -j4, -j 4. */
static int read_short(Reading *r, const char *word, const char *next) {
    for (const char *letter = word + 1; *letter; letter++) {
        const CliOption *option = find(r, *letter, NULL, 0);
        if (!option) {
            cli_error(r->cli, "unknown option '-%c'", *letter);
            bad(r);
            return 0;
        }
        if (option->kind == CLI_KIND_FLAG) {
            set(r, option, NULL);
            continue;
        }
        if (!letter[1] && !next) {
            cli_error(r->cli, "-%c needs an argument: %s", *letter, option->value);
            bad(r);
            return 0;
        }
        set(r, option, letter[1] ? letter + 1 : next);
        return letter[1] ? 0 : 1;
    }
    return 0;
}

/* Lists were collected in order of appearance; give each option its own run of pointers. */
static void deal_lists(Reading *r, const char **items) {
    for (const CliOption *option = cli_first_option(r->command->options); option;
         option = cli_next_option(option)) {
        if (option->kind != CLI_KIND_LIST) {
            continue;
        }
        CliList *list = field(r, option);
        list->items = items;
        for (size_t i = 0; i < r->uses; i++) {
            if (r->list_of[i] == option) {
                list->items[list->count++] = r->list_text[i];
            }
        }
        items += list->count;
    }
}

static void check_arguments(Reading *r, int argc, char **argv) {
    const CliCommand *command = r->command;
    if (argc < command->min_args) {
        cli_error(r->cli, "missing argument: %s", command->arguments);
        bad(r);
    } else if (command->max_args >= 0 && argc > command->max_args) {
        cli_error(r->cli, "unexpected argument '%s'", argv[command->max_args]);
        bad(r);
    }
    if (command->words && argc > 0 && cli_word(r->cli, "word", argv[0], command->words) < 0) {
        bad(r);
    }
}

bool cli_parse(Cli *cli, const CliCommand *command, void *options, int *argc, char **argv, bool *help) {
    size_t room = (size_t)*argc + 1;
    const char **pointers = mem_array(room, 2 * sizeof *pointers);
    const CliOption **list_of = mem_array(room, sizeof *list_of);
    Reading r = {.cli = cli, .command = command, .options = options, .good = pointers && list_of};
    cli->lists = pointers;
    if (!r.good) {
        mem_free(list_of);
        cli_no_memory(cli);
        return false;
    }
    r.list_text = pointers + room;
    r.list_of = list_of;
    for (const CliOption *option = cli_first_option(command->options); option;
         option = cli_next_option(option)) {
        set_default(&r, option);
    }
    for (const CliOption *option = cli_first_option(common_options); option;
         option = cli_next_option(option)) {
        set_default(&r, option);
    }

    int kept = 0;
    bool only_arguments = false;
    for (int i = 0; i < *argc; i++) {
        char *word = argv[i], *next = i + 1 < *argc ? argv[i + 1] : NULL;
        bool option = word[0] == '-' && word[1] && !(word[1] >= '0' && word[1] <= '9'); /* "-5" is a number */
        if (only_arguments || !option) {
            argv[kept++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_arguments = true;
        } else {
            i += word[1] == '-' ? read_long(&r, word, next) : read_short(&r, word, next);
        }
    }
    argv[kept] = NULL;
    *argc = kept;
    *help = r.common.help;
    cli->force = r.common.force;
    cli->term_options.color = (TermWhen)r.common.color;
    if (!*help) {
        check_arguments(&r, kept, argv);
    }
    deal_lists(&r, pointers);
    mem_free(list_of);
    return r.good;
}

/* The tables of all commands, side by side: a letter means one thing, a name has one letter, and every option
 * that names a file says what is done with it. */
#include "tools/cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef void Visit(const char *command, const CliOption *option, void *user);

static void each_option(Visit *visit, void *user) {
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        for (const CliOption *o = cli_first_option(entry->command->options); o; o = cli_next_option(o)) {
            visit(entry->name, o, user);
        }
        for (const CliOption *o = cli_first_option(cli_common_options(entry->command)); o;
             o = cli_next_option(o)) {
            visit(entry->name, o, user);
        }
    }
}

typedef struct Seen {
    const CliOption *first[128];
    const char *where[128];
    unsigned wrong, letters;
} Seen;

static void compare_letter(const char *command, const CliOption *option, void *user) {
    Seen *seen = user;
    int letter = option->letter;
    if (letter == 0) {
        return;
    }
    seen->letters++;
    const CliOption *first = seen->first[letter];
    if (first == NULL) {
        seen->first[letter] = option;
        seen->where[letter] = command;
    } else if (strcmp(first->name, option->name) != 0 ||
               (first->role >= CLI_ROLE_WRITE) != (option->role >= CLI_ROLE_WRITE)) {
        print_error("-%c is --%s in %s and --%s in %s\n", letter, first->name, seen->where[letter],
                    option->name, command);
        seen->wrong++;
    }
}

static void test_one_letter_one_meaning(void **state) {
    (void)state;
    Seen seen = {0};
    each_option(compare_letter, &seen);
    assert_true(seen.letters > 20);
    assert_int_equal(seen.wrong, 0);
    static const struct {
        char letter;
        const char *name;
    } known[] = {{'s', "solvers"}, {'o', "output"}, {'j', "jobs"}, {'t', "time"}, {'n', "count"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        assert_non_null(seen.first[(int)known[k].letter]);
        assert_string_equal(seen.first[(int)known[k].letter]->name, known[k].name);
    }
    assert_int_equal(seen.first['s']->role, CLI_ROLE_READ);
}

/* The letter of an option does not come and go between commands either. */
static void compare_name(const char *command, const CliOption *option, void *user) {
    unsigned *wrong = user;
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        for (const CliOption *o = cli_first_option(entry->command->options); o; o = cli_next_option(o)) {
            if (strcmp(o->name, option->name) == 0 && o->letter != option->letter) {
                print_error("--%s is -%c in %s and -%c in %s\n", o->name, o->letter ? o->letter : '?',
                            entry->name, option->letter ? option->letter : '?', command);
                (*wrong)++;
            }
        }
    }
}

static void test_one_name_one_letter(void **state) {
    (void)state;
    unsigned wrong = 0;
    each_option(compare_name, &wrong);
    assert_int_equal(wrong, 0);
}

static void compare_role(const char *command, const CliOption *option, void *user) {
    unsigned *wrong = user;
    bool file = option->value && (strcmp(option->value, "FILE") == 0 || strcmp(option->value, "DIR") == 0 ||
                                  strcmp(option->value, "PATH") == 0);
    if (file != (option->role != CLI_ROLE_NONE)) {
        print_error("batt %s --%s: %s\n", command, option->name,
                    file ? "names a file, but not what for" : "has the role of a file, but names none");
        (*wrong)++;
    }
}

static void test_files_have_roles(void **state) {
    (void)state;
    unsigned wrong = 0;
    each_option(compare_role, &wrong);
    assert_int_equal(wrong, 0);
}

/* What the help shows first: options that exist, about five, wherever a command has many. */
static void test_main_options(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        size_t options = 0, words = 0, known = 0;
        const CliOption *o = cli_first_option(entry->command->options);
        for (; o; o = cli_next_option(o)) {
            options++;
            const char *at = entry->command->main ? strstr(entry->command->main, o->name) : NULL;
            for (; at; at = strstr(at + 1, o->name)) {
                char before = at == entry->command->main ? ' ' : at[-1], after = at[strlen(o->name)];
                known += before == ' ' && (after == ' ' || after == '\0');
            }
        }
        for (const char *word = entry->command->main; word && *word; word += strcspn(word, " ")) {
            word += strspn(word, " ");
            words++;
        }
        if (words != known || words > 5 || (words < 3 && options > 8)) {
            print_error("batt %s: %zu options, %zu of them main, of which %zu are options\n", entry->name,
                        options, words, known);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* A heading of the overview stands there once. */
static void test_groups_of_commands(void **state) {
    (void)state;
    for (const CliEntry *entry = cli_commands + 1; entry->name; entry++) {
        for (const CliEntry *earlier = cli_commands; earlier < entry; earlier++) {
            bool same = strcmp(earlier->group, entry->group) == 0;
            assert_true(!same || strcmp(entry[-1].group, entry->group) == 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_letter_one_meaning), cmocka_unit_test(test_one_name_one_letter),
        cmocka_unit_test(test_files_have_roles), cmocka_unit_test(test_main_options),
        cmocka_unit_test(test_groups_of_commands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The reader of command lines: every kind of option, in every form, and what it refuses. */
#include "base/alloc.h"
#include "base/nearest.h"
#include "tools/cli/cli.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct Options {
    bool loud, quick;
    int64_t jobs, seed, memory, timeout;
    double factor;
    const char *name;
    CliList solvers, extra;
    int level;
} Options;

static const CliOption options[] = {
    CLI_FLAG(Options, loud, 'l', "loud", "be loud"),
    CLI_FLAG(Options, quick, 'q', "quick", "be quick"),
    CLI_INT(Options, jobs, 'j', "jobs", "N", "2", 0, 64, "threads"),
    CLI_INT(Options, seed, 0, "seed", "N", NULL, 0, INT64_MAX, "seed"),
    CLI_SIZE(Options, memory, 'm', "memory", "64M", 1024, INT64_C(1) << 40, "memory"),
    CLI_TIME(Options, timeout, 't', "timeout", "200ms", 0, CLI_DAY, "time"),
    CLI_REAL(Options, factor, 'f', "factor", "X", NULL, 0, 10, "factor"),
    CLI_TEXT(Options, name, 'n', "name", "NAME", "nobody", "name"),
    CLI_LIST(Options, solvers, 's', "solvers", "FILE", "solvers"),
    CLI_LIST(Options, extra, 'x', "extra", "FILE", "more"),
    CLI_CHOICE(Options, level, 0, "level", "low|middle|high", "middle", "level"),
    CLI_END};

static const CliCommand command = {
    .arguments = "[FILE...]", .max_args = 3, .options = options, .size = sizeof(Options)};

typedef struct Parsed {
    Options opt;
    Cli cli;
    int argc;
    char *argv[32];
    bool good, help;
} Parsed;

/* Splits at blanks, reads, and frees; the lists' strings stay, their arrays do not, so they are counted here.
 */
static Parsed parse_with(const CliCommand *with, const char *line) {
    static char copy[1024]; /* argv points into it until the next call */
    Parsed p = {0};
    snprintf(copy, sizeof copy, "%s", line);
    for (char *rest = copy, *word; (word = strsep(&rest, " "));) {
        if (*word) {
            p.argv[p.argc++] = word;
        }
    }
    p.good = cli_parse(&p.cli, with, &p.opt, &p.argc, p.argv, &p.help);
    return p;
}

static Parsed parse(const char *line) {
    return parse_with(&command, line);
}

static void drop(Parsed *p) {
    mem_free(p->cli.lists);
}

static bool accepts(const char *line) {
    Parsed p = parse(line);
    drop(&p);
    return p.good;
}

static void defaults_hold(void **state) {
    (void)state;
    Parsed p = parse("");
    assert_true(p.good);
    assert_false(p.opt.loud);
    assert_int_equal(p.opt.jobs, 2);
    assert_true(p.opt.seed == CLI_UNSET);
    assert_int_equal(p.opt.memory, 64 << 20);
    assert_int_equal(p.opt.timeout, 200000000);
    assert_true(isnan(p.opt.factor));
    assert_string_equal(p.opt.name, "nobody");
    assert_int_equal(p.opt.solvers.count, 0);
    assert_int_equal(p.opt.level, 1);
    drop(&p);
}

static void every_form_is_read(void **state) {
    (void)state;
    Parsed p =
        parse("a --jobs=7 -m 1G b --timeout 1.5s -lq -s one --solvers=two -x z -sthree --level high -f 2.5 "
              "--name= -- -q");
    assert_true(p.good);
    assert_true(p.opt.loud && p.opt.quick);
    assert_int_equal(p.opt.jobs, 7);
    assert_true(p.opt.memory == INT64_C(1) << 30);
    assert_int_equal(p.opt.timeout, 1500000000);
    assert_int_equal(p.opt.solvers.count, 3);
    assert_string_equal(p.opt.solvers.items[0], "one");
    assert_string_equal(p.opt.solvers.items[1], "two");
    assert_string_equal(p.opt.solvers.items[2], "three");
    assert_int_equal(p.opt.extra.count, 1);
    assert_string_equal(p.opt.extra.items[0], "z");
    assert_int_equal(p.opt.level, 2);
    assert_true(p.opt.factor == 2.5);
    assert_string_equal(p.opt.name, "");
    assert_int_equal(p.argc, 3);
    assert_string_equal(p.argv[0], "a");
    assert_string_equal(p.argv[1], "b");
    assert_string_equal(p.argv[2], "-q");
    assert_null(p.argv[3]);
    drop(&p);
}

static void numbers_and_dash_are_arguments(void **state) {
    (void)state;
    Parsed p = parse("-5 - -j4");
    assert_true(p.good);
    assert_int_equal(p.argc, 2);
    assert_string_equal(p.argv[0], "-5");
    assert_int_equal(p.opt.jobs, 4);
    drop(&p);
}

static void bad_lines_are_refused(void **state) {
    (void)state;
    static const char *const lines[] = {"--jobs 65",
                                        "--jobs -1",
                                        "--jobs 3x",
                                        "--jobs",
                                        "-j",
                                        "--jobs=",
                                        "--loud=yes",
                                        "--unknown",
                                        "-z",
                                        "--memory 1",
                                        "--memory 1Q",
                                        "--memory -1",
                                        "--timeout x",
                                        "--timeout 400d",
                                        "--level lowest",
                                        "--factor nan",
                                        "--factor 11",
                                        "a b c d",
                                        "--jobs 99999999999999999999",
                                        "--memory 1e300",
                                        "--timeout 0x10s",
                                        "--",
                                        NULL};
    for (size_t i = 0; lines[i]; i++) {
        if (strcmp(lines[i], "--") == 0) {
            assert_true(accepts(lines[i]));
        } else if (accepts(lines[i])) {
            fail_msg("accepted: %s", lines[i]);
        }
    }
}

static void the_first_word_is_checked(void **state) {
    (void)state;
    CliCommand with_words = command;
    with_words.words = "stats|best|list";
    with_words.min_args = 1;
    Parsed good = parse_with(&with_words, "best x"), wrong = parse_with(&with_words, "bset"),
           none = parse_with(&with_words, ""), help = parse_with(&with_words, "--help");
    assert_true(good.good);
    assert_false(wrong.good);
    assert_false(none.good);
    assert_true(help.good && help.help);
    drop(&good);
    drop(&wrong);
    drop(&none);
    drop(&help);
}

static void running_out_of_memory_is_reported(void **state) {
    (void)state;
    for (uint64_t nth = 1; nth <= 2; nth++) {
        mem_fail_at(nth);
        Parsed p = parse("-s one");
        mem_fail_at(0);
        assert_false(p.good);
        drop(&p);
    }
}

static const char *suggestion(const char *text) {
    static const char *const names[] = {"colorfilter", "color", "objects", "T", "jobs"};
    Nearest nearest = nearest_to(text, strlen(text));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        nearest_offer(&nearest, names[i]);
    }
    return nearest.best ? nearest.best : "";
}

static void near_names_are_suggested(void **state) {
    (void)state;
    assert_string_equal(suggestion("colourfilter"), "colorfilter");
    assert_string_equal(suggestion("obejcts"), "objects");
    assert_string_equal(suggestion("jbos"), "jobs");
    assert_string_equal(suggestion("colour"), "color");
    assert_string_equal(suggestion("zzzzzz"), "");
    assert_string_equal(suggestion(""), "");
    assert_string_equal(suggestion("a_very_long_name_that_nobody_would_ever_give_to_anything"), "");
}

static void sizes_and_times_are_read(void **state) {
    (void)state;
    int64_t n;
    assert_true(cli_parse_size("0", &n) && n == 0);
    assert_true(cli_parse_size("1.5K", &n) && n == 1536);
    assert_true(cli_parse_size("2MiB", &n) && n == 2 << 20);
    assert_false(cli_parse_size("", &n) || cli_parse_size("M", &n) || cli_parse_size(" 1", &n) ||
                 cli_parse_size("inf", &n) || cli_parse_size("1 M", &n));
    assert_true(cli_parse_time("8h", &n) && n == INT64_C(28800000000000));
    assert_true(cli_parse_time("3", &n) && n == 3 * CLI_SECOND);
    assert_true(cli_parse_time("250us", &n) && n == 250000);
    assert_false(cli_parse_time("5 s", &n) || cli_parse_time("-1s", &n) || cli_parse_time("nan", &n));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_hold),
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(numbers_and_dash_are_arguments),
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(the_first_word_is_checked),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(near_names_are_suggested),
        cmocka_unit_test(sizes_and_times_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

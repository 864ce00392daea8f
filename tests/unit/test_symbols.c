/* Symbols for numbers in arguments: read, written, and the same program either way. */
#include "engine/features/features.h"
#include "engine/language/symbols.h"
#include "lang_fixture.h"

static const char *printed(Fixture *f, const Program *p) {
    out_clear(&f->out);
    print_program(&f->out, p, NULL);
    return f->out.data;
}

static void symbols_are_written_and_numbers_read(void **state) {
    Fixture *f = *state;
    const char *text = "def f(I):\n"
                       "    x1 = cell_rule(I, (OWN, SAME, LEFT, (COPY, OWN), (SEEN_LEFT, IS, -1, (PAINT, 3), "
                       "(COMPONENT_SIZE, OVER, 2, (COPY, BELOW), (PAINT, 0)))))\n"
                       "    O = cell_feature(x1, LEGEND)\n"
                       "    return O\n";
    const Program *p = fixture_file(
        f, "def f(I):\n"
           "    x1 = cell_rule(I, (0, 2, 7, (1, 0), (16, 0, -1, (0, 3), (25, 1, 2, (1, 5), (0, 0)))))\n"
           "    O = cell_feature(x1, 144)\n"
           "    return O\n");
    ProgHash numbered = p->hash;
    assert_string_equal(printed(f, p), text);
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", text);
    p = fixture_file(f, copy);
    assert_memory_equal(&p->hash, &numbered, sizeof numbered);
    assert_string_equal(printed(f, p), text);
}

/* What is no rule is written as it is, and read back the same. */
static void what_does_not_fit_stays(void **state) {
    Fixture *f = *state;
    static const char *const rules[] = {"(9999, IS, 5, (PAINT, 1), (COPY, OWN))",
                                        "(OWN, 3, 5, (0, 1), (1, 0))",
                                        "(OWN, IS, 5, SEVEN, (COPY, OWN))",
                                        "(1, 2, 3)",
                                        "frozenset({1, 2})",
                                        "(COPY, -1)",
                                        "()",
                                        "(5,)",
                                        "x1"};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        char text[256], first[256];
        snprintf(text, sizeof text,
                 "def f(I):\n    x1 = crop(I, ORIGIN, TWO_BY_TWO)\n    x2 = cell_rule(x1, %s)\n"
                 "    return x2\n",
                 rules[k]);
        const Program *p = fixture_file(f, text);
        ProgHash hash = p->hash;
        snprintf(first, sizeof first, "%s", printed(f, p));
        p = fixture_file(f, first);
        assert_memory_equal(&p->hash, &hash, sizeof hash);
        assert_string_equal(printed(f, p), first);
    }
}

static void symbols_belong_to_their_argument(void **state) {
    Fixture *f = *state;
    static const char *const bad[] = {"def f(I):\n    return fill(I, OWN, I)\n",
                                      "def f(I):\n    return cell_rule(OWN, (COPY, OWN))\n",
                                      "def f(I):\n    x1 = (COPY, OWN)\n    return cell_rule(I, x1)\n",
                                      "def f(I):\n    return cell_rule(I, first((COPY, OWN)))\n",
                                      "def f(I):\n    return cell_feature(I, IS)\n"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(fixture_parse(f, bad[k], strlen(bad[k]), PARSE_OPTIONS_FILE), 0);
        assert_true(f->diags.errors > 0);
    }
    /* A variable of that name comes first, and LEFT is the direction elsewhere. */
    const Program *p = fixture_file(f, "def f(I):\n    OWN = height(I)\n    x2 = shift(I, LEFT)\n"
                                       "    return cell_feature(x2, OWN)\n");
    assert_non_null(strstr(printed(f, p), "shift(I, LEFT)"));
    assert_non_null(strstr(printed(f, p), "cell_feature(x2, x1)"));
}

static void misspelt_symbols_are_hinted_at(void **state) {
    Fixture *f = *state;
    const char *text = "def f(I):\n    return cell_rule(I, (COPY, SEEN_LEFTT))\n";
    fixture_parse(f, text, strlen(text), PARSE_OPTIONS_FILE);
    assert_non_null(strstr(f->out.data, "did you mean 'SEEN_LEFT'"));
}

typedef struct Meanings {
    const char *symbols[1024];
    int64_t numbers[1024];
    size_t count;
} Meanings;

static bool meaning(void *user, const char *symbol, int64_t number, const char *text) {
    Meanings *m = user;
    assert_true(m->count < 1024 && text[0] != '\0');
    assert_true(symbol[0] >= 'A' && symbol[0] <= 'Z' && symbol[1] != '\0');
    assert_int_equal(strspn(symbol, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"), strlen(symbol));
    for (size_t k = 0; k < m->count; k++) {
        if (strcmp(m->symbols[k], symbol) == 0 && m->numbers[k] != number) {
            fail_msg("%s is %lld and %lld", symbol, (long long)m->numbers[k], (long long)number);
        }
    }
    m->symbols[m->count] = symbol;
    m->numbers[m->count++] = number;
    return true;
}

/* Within a shape a symbol has one meaning. */
static void symbols_are_unambiguous(void **state) {
    (void)state;
    for (int shape = SYMBOLS_NONE + 1; shape < SYMBOLS_SHAPES; shape++) {
        Meanings m = {.count = 0};
        symbols_each((SymbolShape)shape, meaning, &m);
        assert_true(m.count > 0);
        for (size_t k = 0; k < m.count; k++) {
            int64_t number;
            assert_true(symbols_find((SymbolShape)shape, m.symbols[k], strlen(m.symbols[k]), &number));
            assert_int_equal(number, m.numbers[k]);
        }
    }
}

typedef struct Place {
    Fixture *f;
    uint32_t prim, argument;
    bool alone; /* the argument is one number */
} Place;

/* A call with `text` as the argument, and I as the others. */
static ProgHash hash_of_call(const Place *at, const char *text) {
    Out call;
    out_init(&call);
    out_fmt(&call, "def f(I):\n    return %s(", prim_table[at->prim].name);
    for (uint32_t k = 0; k < prim_table[at->prim].arity; k++) {
        out_fmt(&call, "%s%s", k ? ", " : "", k == at->argument ? text : "I");
    }
    out_str(&call, ")\n");
    ProgHash hash = fixture_file(at->f, call.data)->hash;
    out_free(&call);
    return hash;
}

static bool is_read_and_written(void *user, const char *symbol, int64_t number, const char *text) {
    const Place *at = user;
    char digits[24];
    (void)text;
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    ProgHash word = hash_of_call(at, symbol), plain = hash_of_call(at, digits);
    assert_memory_equal(&word, &plain, sizeof word);
    if (at->alone) {
        const char *written = printed(at->f, at->f->programs.items[0]), *found = strstr(written, symbol);
        assert_non_null(found);
        assert_int_equal(strcspn(found, ",)"), strlen(symbol));
    }
    return true;
}

/* Every word of every primitive stands for its number, and is what is printed for it. */
static void all_symbols_are_read_and_written(void **state) {
    Place at = {.f = *state};
    for (at.prim = 0; at.prim < PRIM_COUNT; at.prim++) {
        for (at.argument = 0; at.argument < prim_table[at.prim].arity; at.argument++) {
            SymbolShape shape = symbols_of(at.prim, at.argument);
            at.alone = false;
            for (size_t k = 0; k < symbol_form_count; k++) {
                at.alone |= symbol_forms[k].shape == shape && symbol_forms[k].length == SYMBOL_NUMBER;
            }
            symbols_each(shape, is_read_and_written, &at);
        }
    }
}

/* A word that a constant has for a name would change what older text means. */
static void symbols_are_no_constants(void **state) {
    (void)state;
    for (int shape = SYMBOLS_NONE + 1; shape < SYMBOLS_SHAPES; shape++) {
        for (int k = 0; k < CONSTANT_COUNT; k++) {
            int64_t number;
            const char *name = lang_constants[k].name;
            bool feature = shape == SYMBOLS_feature || shape == SYMBOLS_rule || shape == SYMBOLS_rules;
            if (!feature && symbols_find((SymbolShape)shape, name, strlen(name), &number)) {
                fail_msg("%s is a constant", name);
            }
        }
    }
}

/* The rules at the head of features.def. */
static void features_keep_the_rules(void **state) {
    (void)state;
    for (unsigned k = 0; k < FEATURE_COUNT; k++) {
        assert_true(feature_sorts[k].cost > 0 && feature_sorts[k].cost <= FEATURE_MAX_COST);
        for (unsigned other = 0; other < k; other++) {
            assert_string_not_equal(symbols_feature.symbols[k].name, symbols_feature.symbols[other].name);
        }
    }
    assert_int_equal(FEATURE_OWN, 0); /* stored rules: numbers never change */
    assert_int_equal(FEATURE_LEGEND, 144);
}

/* Stores and solver files from before 1.0 have these. */
static void old_symbols_are_still_read(void **state) {
    static const struct {
        uint32_t prim, which;
        const char *old, *now;
    } rows[] = {{P_grid_number, 1, "INK", "FOREGROUND_CELLS"},
                {P_grid_number, 1, "GROUND", "BACKGROUND"},
                {P_grid_number, 1, "PARTS8", "COMPONENTS8"},
                {P_cell_rule, 1, "BLOB_SIZE", "MULTICOLOR_SIZE"},
                {P_cell_rule, 1, "MAIN_OVER_GROUND", "MAIN_FOREGROUND"},
                {P_beam_rule, 2, "AT_INK", "AT_FOREGROUND"}};
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        SymbolShape shape = symbols_of(rows[k].prim, rows[k].which);
        int64_t old = -1, now = -2;
        assert_true(symbols_find(shape, rows[k].old, strlen(rows[k].old), &old));
        assert_true(symbols_find(shape, rows[k].now, strlen(rows[k].now), &now));
        assert_int_equal(old, now);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(symbols_are_written_and_numbers_read, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(what_does_not_fit_stays, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(symbols_belong_to_their_argument, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(misspelt_symbols_are_hinted_at, fixture_open, fixture_close),
        cmocka_unit_test(symbols_are_unambiguous),
        cmocka_unit_test_setup_teardown(all_symbols_are_read_and_written, fixture_open, fixture_close),
        cmocka_unit_test(old_symbols_are_still_read),
        cmocka_unit_test(symbols_are_no_constants),
        cmocka_unit_test(features_keep_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

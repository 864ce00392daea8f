/* The table of primitives is complete: every name of the language, each with a signature that parses, hints
 * that are known, a description, and an example that is correct. */
#include "engine/language/hints.h"
#include "engine/language/signature.h"
#include "lang_fixture.h"

static void every_name_is_there(void **state) {
    (void)state;
    FILE *file = fopen("tests/names.txt", "r");
    char name[64];
    size_t count = 0, core = 0, dialect = 0;
    assert_non_null(file);
    while (fgets(name, sizeof name, file)) {
        name[strcspn(name, "\n")] = '\0';
        int id = prim_find(name, strlen(name));
        if (id < 0) {
            fail_msg("no primitive %s", name);
        }
        unsigned flags = prim_table[id].flags;
        assert_int_equal(flags & PRIM_OURS, 0);
        core += !(flags & PRIM_DIALECT);
        dialect += !(flags & PRIM_CORE_ONLY);
        count++;
    }
    fclose(file);
    assert_int_equal(count, 311);
    assert_int_equal(core, 160);
    assert_int_equal(dialect, 292);
    for (uint32_t id = 0; id < PRIM_COUNT; id++) {
        count -= !(prim_table[id].flags & PRIM_OURS);
    }
    assert_int_equal(count, 0); /* and no other that claims to be one of them */
}

static void names_are_found(void **state) {
    (void)state;
    HashMap names = {0};
    Val value;
    assert_true(names_fill(&names));
    for (uint32_t id = 0; id < PRIM_COUNT; id++) {
        const char *text = prim_table[id].name;
        assert_true(names_find(&names, text, strlen(text), name_hash(text, strlen(text)), &value));
        assert_true(val_eq(value, val_prim(id)));
        assert_int_equal(prim_find(text, strlen(text)), (int)id);
    }
    for (uint32_t id = 0; id < CONSTANT_COUNT; id++) {
        const char *text = lang_constants[id].name;
        assert_true(names_find(&names, text, strlen(text), name_hash(text, strlen(text)), &value));
        assert_true(val_eq(value, lang_constants[id].value));
    }
    assert_false(names_find(&names, "firs", 4, name_hash("firs", 4), &value));
    map_free(&names);
    assert_string_equal(names_nearest("colourfilter", 12, true), "colorfilter");
    assert_string_equal(names_nearest("UPRIGHT", 7, false), "UP_RIGHT");
    assert_null(names_nearest("quaternion", 10, false));
}

static void constants(void **state) {
    Fixture *f = *state;
    assert_int_equal(CONSTANT_COUNT, 78 + 10 + 4); /* the dialect's list, and A0 .. A9, SM2 .. SD3 */
    assert_value(f, "(F, T, ZERO, TEN, NEG_ONE, NEG_TWO, NEG_TEN, HUNDRED, THOUSAND)",
                 "(0, 1, 0, 10, -1, -2, -10, 100, 1000)");
    assert_value(f, "(DOWN, RIGHT, UP, LEFT, ORIGIN, UNITY, NEG_UNITY, UP_RIGHT, DOWN_LEFT)",
                 "((1, 0), (0, 1), (-1, 0), (0, -1), (0, 0), (1, 1), (-1, -1), (-1, 1), (1, -1))");
    assert_value(f, "(ZERO_BY_TWO, TWO_BY_ZERO, TWO_BY_TWO, THREE_BY_THREE)",
                 "((0, 2), (2, 0), (2, 2), (3, 3))");
    assert_value(f, "(F0, F9, L1, L10, R0, R9, A0, A9, BLACK, BURGUNDY, SM2, SM3, SD2, SD3)",
                 "(0, 9, -1, -10, 0, 9, 0, 9, 0, 9, 2, 3, -2, -3)");
}

static void rows_are_filled_in(void **state) {
    Fixture *f = *state;
    for (uint32_t id = 0; id < PRIM_COUNT; id++) {
        const PrimInfo *info = &prim_table[id];
        const PrimType *type = types_of_prim(f->types, id);
        if (type == NULL || type->arity != info->arity) {
            fail_msg("%s: signature '%s' of a primitive with %d parameters", info->name, info->signature,
                     info->arity);
        }
        assert_true(strlen(info->doc) >= 10);
        assert_true(info->doc[strlen(info->doc) - 1] == '.');
        assert_true(info->family < FAMILY_COUNT);
    }
}

static void hints_are_known(void **state) {
    (void)state;
    for (uint32_t id = 0; id < PRIM_COUNT; id++) {
        const PrimInfo *info = &prim_table[id];
        bool dialect = !(info->flags & (PRIM_CORE_ONLY | PRIM_OURS));
        if ((info->hints[0] != '\0') != dialect) {
            fail_msg("%s: hints '%s'", info->name, info->hints);
        }
        for (uint32_t k = 0; dialect && k < info->arity; k++) {
            Hint hint = hint_param(id, k);
            if (hint.length != 0 && !hint_known(hint)) {
                fail_msg("%s: unknown hint %.*s", info->name, (int)hint.length, hint.text);
            }
        }
        Hint result = hint_result(id);
        if (result.length != 0 && !hint_known(result)) {
            fail_msg("%s: unknown hint %.*s", info->name, (int)result.length, result.text);
        }
        uint32_t commas = 0;
        for (const char *c = info->hints; *c != '\0'; c++) {
            commas += *c == ',';
        }
        assert_true(!dialect || commas + 1 == info->arity);
    }
}

static Hint hint_of(const char *word) {
    return (Hint){word, strlen(word)};
}

static void hint_tables(void **state) {
    (void)state;
    ConstantId first, last;
    assert_true(hint_range(hint_of("FL"), &first, &last));
    assert_int_equal(last - first + 1, 20);
    assert_true(hint_range(hint_of("Integer"), &first, &last));
    assert_int_equal(last - first + 1, 23);
    assert_true(hint_range(hint_of("IJ"), &first, &last));
    assert_int_equal(last - first + 1, 13);
    assert_false(hint_range(hint_of("Grid"), &first, &last));
    assert_true(hint_accepts(hint_of("Integer"), hint_of("C_")));
    assert_false(hint_accepts(hint_of("Integer"), hint_of("A4")));
    assert_true(hint_accepts(hint_of("Boolean"), hint_of("A4")));
    assert_false(hint_accepts(hint_of("Grid"), hint_of("Indices")));
    assert_true(hint_accepts(hint_of("Tuple"), hint_of("Indices")));
    assert_true(hint_accepts(hint_of("Patch"), hint_of("Callable"))); /* no row: accepts everything */
    assert_true(hint_accepts(hint_of("Any"), hint_of("Grid")));
    assert_true(hint_accepts(hint_of("Grid"), hint_of("Any")));
    int fill = prim_find("fill", 4);
    assert_true(hint_is(hint_param((uint32_t)fill, 1), "C_"));
    assert_true(hint_is(hint_result((uint32_t)fill), "Grid"));
    assert_int_equal(hint_param((uint32_t)prim_find("is_no_grid", 10), 0).length, 0);
}

static void examples_hold(void **state) {
    Fixture *f = *state;
    for (uint32_t id = 0; id < PRIM_COUNT; id++) {
        const PrimInfo *info = &prim_table[id];
        const char *example = info->example, *arrow = strstr(example, " -> ");
        char line[2000], call[80];
        Mode mode = MODE_CORE;
        if (strncmp(example, "batt: ", 6) == 0) {
            mode = MODE_BATT;
            example += 6;
        }
        snprintf(call, sizeof call, "%s(", info->name);
        if (arrow == NULL || strstr(example, call) == NULL) {
            fail_msg("%s: no example in '%s'", info->name, info->example);
        }
        snprintf(line, sizeof line, "%.*s", (int)(arrow - example), example);
        Val got = fixture_eval(f, line, mode, false);
        ProgList keep = f->programs;
        f->programs = (ProgList){0};
        const char *value = arrow + 4;
        bool right;
        if (strcmp(value, "!") == 0 || strncmp(value, "fails", 5) == 0) {
            right = val_failed(got);
        } else {
            assert_int_equal(fixture_parse(f, value, strlen(value), PARSE_OPTIONS_LITERAL), 1);
            right = !val_failed(got) && val_eq(got, f->programs.items[0]->consts[0]);
        }
        if (!right) {
            out_clear(&f->out);
            text_value(&f->out, got);
            fail_msg("%s: %s, but it gives %s", info->name, info->example, f->out.data);
        }
        progs_free(&keep);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_there),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test_setup_teardown(constants, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(rows_are_filled_in, fixture_open, fixture_close),
        cmocka_unit_test(hints_are_known),
        cmocka_unit_test(hint_tables),
        cmocka_unit_test_setup_teardown(examples_hold, fixture_open, fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

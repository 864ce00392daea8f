/* Programs that compare, collect and order closures answer the same in a battery as alone, whatever they
 * share: random ones over few functions, so that equal calls are common. BATT_TEST_SEED and BATT_TEST_ROUNDS
 * pick them. */
#include "base/out.h"
#include "base/rng.h"
#include "engine/eval/battery.h"
#include "engine/eval/eval.h"
#include "engine/language/build.h"
#include "engine/language/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 8, LINES = 24, TYPES = 128 };

/* Lines by the type of their value. A letter after @ is an earlier value of that type:
 *   N number, T truth value, F number -> number, M F -> F, A N -> F, P F -> truth value, D C -> C,
 *   C set of F, U tuple of F, V tuple of N, R what is reported */
static const struct {
    char type;
    const char *text;
} rows[] = {
    {'N', "ONE"},
    {'N', "THREE"},
    {'F', "increment"},
    {'F', "double"},
    {'F', "compose(@F, @F)"},
    {'F', "compose(@F, @F)"},
    {'F', "lbind(add, @N)"},
    {'F', "rbind(subtract, @N)"},
    {'F', "power(@F, 2)"},
    {'F', "branch(@T, @F, @F)"},
    {'F', "first(@C)"},
    {'F', "last(@U)"},
    {'F', "extract(@C, @P)"},
    {'F', "@M(@F)"},
    {'F', "@A(@N)"},
    {'M', "lbind(compose, @F)"},
    {'M', "rbind(compose, @F)"},
    {'A', "lbind(lbind, add)"},
    {'A', "lbind(rbind, subtract)"},
    {'A', "compose(@M, @A)"},
    {'P', "lbind(equality, @F)"},
    {'P', "rbind(contained, @C)"},
    {'P', "compose(@P, @M)"},
    {'D', "lbind(insert, @F)"},
    {'D', "lbind(combine, @C)"},
    {'D', "lbind(apply, @M)"},
    {'D', "compose(@D, @D)"},
    {'C', "initset(@F)"},
    {'C', "insert(@F, @C)"},
    {'C', "combine(@C, @C)"},
    {'C', "remove(@F, @C)"},
    {'C', "sfilter(@C, @P)"},
    {'C', "intersection(@C, @C)"},
    {'C', "apply(@M, @C)"},
    {'C', "@D(@C)"},
    {'U', "astuple(@F, @F)"},
    {'U', "totuple(@C)"},
    {'U', "apply(@A, @V)"},
    {'V', "interval(0, @N, 1)"},
    {'T', "equality(@F, @F)"},
    {'T', "equality(@C, @C)"},
    {'T', "contained(@F, @C)"},
    {'T', "@P(@F)"},
    {'R', "rapply(@U, @N)"},
    {'R', "rapply(@U, @N)"},
    {'R', "rapply(@C, @N)"},
    {'R', "astuple(@T, @T)"},
    {'R', "@F(@N)"},
    {'R', "size(@C)"},
};

typedef struct Maker {
    Rng *rng;
    Out *out;
    uint32_t lines, of[TYPES][LINES], n[TYPES]; /* by type: the lines that have it */
} Maker;

/* A line of this row, unless there is no value that it needs. */
static void add_line(Maker *m, char type, const char *text) {
    char line[100];
    size_t length = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != '@') {
            line[length++] = *at;
            continue;
        }
        unsigned wanted = (unsigned char)*++at;
        if (m->n[wanted] == 0) {
            return;
        }
        uint32_t back = rng_below(m->rng, m->n[wanted] < 3 ? m->n[wanted] : 3); /* mostly a recent one */
        length += (size_t)snprintf(line + length, 8, "x%u", m->of[wanted][m->n[wanted] - 1 - back]);
    }
    unsigned made = (unsigned char)type;
    m->of[made][m->n[made]++] = ++m->lines;
    out_fmt(m->out, " x%u = %.*s\n", m->lines, (int)length, line);
}

static Program *random_program(Lang *lang, Rng *rng) {
    enum { ROWS = sizeof rows / sizeof *rows };
    Out text;
    ProgList list = {0};
    Diags diags;
    out_init(&text);
    diags_init(&diags);
    Maker m = {.rng = rng, .out = &text};
    out_str(&text, "def solve_p(I):\n");
    while (m.lines < LINES) {
        uint32_t row = m.lines < 4 ? m.lines : rng_below(rng, ROWS);
        add_line(&m, rows[row].type, rows[row].text);
    }
    const uint32_t *told = m.of['R'];
    uint32_t n = m.n['R'];
    out_fmt(&text, " y1 = astuple(x%u, x%u)\n", n > 0 ? told[n - 1] : 1, n > 1 ? told[n - 2] : 1);
    out_fmt(&text, " O = astuple(y1, x%u)\n return O\n", n > 2 ? told[n - 3] : 1);
    Source source = source_of("closures", text.data, text.len);
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &list, &diags));
    if (list.count != 1) {
        fail_msg("%s", text.data);
    }
    Program *made = list.items[0], *stripped = prog_strip(made);
    progs_free(&list);
    out_free(&text);
    diags_free(&diags);
    assert_non_null(stripped);
    return stripped;
}

static void closures_are_told_apart_as_alone(void **state) {
    (void)state;
    const char *rounds = getenv("BATT_TEST_ROUNDS"), *seed = getenv("BATT_TEST_SEED");
    uint64_t n = rounds != NULL ? strtoull(rounds, NULL, 10) : getenv("BATT_TEST_QUICK") ? 100 : 5000;
    Rng rng = rng_stream(seed != NULL ? strtoull(seed, NULL, 10) : 1, 0, 0);
    Budget budget = BUDGET_DEFAULT;
    Ctx together, alone;
    Lang *lang = lang_open();
    uint64_t before = 0, after = 0, good = 0;
    assert_non_null(lang);
    assert_true(prim_open(&together, MODE_CORE, false, &budget));
    assert_true(prim_open(&alone, MODE_CORE, false, &budget));
    for (uint64_t round = 0; round < n; round++) {
        Program *programs[PROGRAMS];
        int handles[PROGRAMS];
        bool safe = round % 4 == 0;
        Val input = val_int(0); /* not used */
        Battery *b = battery_new(MODE_CORE, safe, 1, true);
        for (int k = 0; k < PROGRAMS; k++) {
            programs[k] = random_program(lang, &rng);
            handles[k] = battery_add(b, &together, programs[k]);
            assert_true(handles[k] >= 0);
        }
        BatteryStats stats = battery_stats(b);
        before += stats.calls_before;
        after += stats.calls_after + stats.constants;
        BatteryRun run = {calloc(battery_nodes(b), sizeof(Val)), calloc(battery_nodes(b), sizeof(uint64_t)),
                          NULL};
        ctx_reset(&together);
        battery_run(b, &together, &input, &run);
        prim_bind(&alone, MODE_CORE, safe);
        for (int k = 0; k < PROGRAMS; k++) {
            uint64_t steps;
            Val answer = battery_answer(b, &together, &run, handles[k], &steps);
            ctx_reset(&alone);
            Val wanted = eval_program(&alone, programs[k], &input);
            good += !val_failed(wanted);
            assert_int_equal(steps, ctx_steps_used(&alone));
            assert_true(val_failed(wanted) ? val_failed(answer) : val_eq(answer, wanted));
            prog_free(programs[k]);
        }
        free(run.values);
        free(run.steps);
        battery_free(b);
    }
    print_message("%.2f calls for one, %.2f of the answers good\n", (double)before / (double)after,
                  (double)good / (double)(n * PROGRAMS));
    assert_true(after < before && good > n);
    prim_close(&together);
    prim_close(&alone);
    lang_close(lang);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closures_are_told_apart_as_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

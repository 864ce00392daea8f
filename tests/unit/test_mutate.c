/* Mutation: every child is canonical and typed, evaluates without a crash, parses back from its text,
 * and depends only on its random stream; all kinds of mutation occur in both modes. */
#include "data/tasks/embedded.h"
#include "engine/eval/eval.h"
#include "engine/language/hash.h"
#include "engine/language/hints.h"
#include "engine/language/parse.h"
#include "engine/language/print.h"
#include "search/evolution/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct World {
    Mutator mutator;
    Ctx ctx;
    Lang *lang;
    Builder builder;
    Typed *parents;
    ProgList programs; /* behind the parents' constants */
    size_t count;
    Palettes colors;
    unsigned rounds;
} World;

static const char batt_seeds[] =
    "def solve_a(S, I, C):\n    x1 = o_g(I, R5)\n    x2 = get_arg_rank_f(x1, size, L1)\n"
    "    O = fill(I, RED, x2)\n    return O\n"
    "def solve_b(S, I, C):\n    x1 = mir_rot_t(I, R2)\n    O = hconcat(x1, I)\n    return O\n"
    "def solve_c(S, I, C):\n    x1 = f_ofcolor(I, BLUE)\n    x2 = corner(x1, R1)\n    x3 = shoot(x2, DOWN)\n"
    "    O = underfill(I, GREEN, x3)\n    return O\n";

static void parse(World *w, const char *name, const char *text, size_t length, ProgList *list) {
    Diags diags;
    diags_init(&diags);
    Source source = source_of(name, text, length);
    assert_true(lang_parse(w->lang, &source, &PARSE_OPTIONS_FILE, list, &diags));
    assert_int_equal(diags.errors, 0);
    diags_free(&diags);
}

static int open_world(void **state) {
    World *w = calloc(1, sizeof *w);
    Budget budget = BUDGET_DEFAULT;
    budget.steps = 100000;
    assert_true(mutator_open(&w->mutator));
    assert_true(prim_open(&w->ctx, MODE_CORE, false, &budget));
    w->lang = lang_open();
    build_init(&w->builder);
    size_t files;
    const EmbeddedFile *solvers = embedded_solvers(&files);
    for (size_t k = 0; k < files; k++) {
        parse(w, solvers[k].name, solvers[k].data, solvers[k].size, &w->programs);
    }
    parse(w, "batt", batt_seeds, sizeof batt_seeds - 1, &w->programs);
    w->parents = calloc(w->programs.count, sizeof *w->parents);
    for (size_t k = 0; k < w->programs.count; k++) {
        Draft draft;
        if (draft_from(&draft, w->programs.items[k]) && draft_simplify(&draft, &w->parents[w->count].draft)) {
            assert_true(mutate_types(&w->mutator, &w->parents[w->count]));
            w->count++;
        }
    }
    assert_true(w->count >= 45);
    w->colors = (Palettes){.in = 0x23, .out = 0x27, .gained = 4, .lost = 0};
    w->rounds = getenv("BATT_TEST_QUICK") ? 2000 : 60000;
    *state = w;
    return 0;
}

static int close_world(void **state) {
    World *w = *state;
    mutator_close(&w->mutator);
    prim_close(&w->ctx);
    lang_close(w->lang);
    build_free(&w->builder);
    progs_free(&w->programs);
    free(w->parents);
    free(w);
    return 0;
}

static Val answer(World *w, const Program *p, Val *params, char *kept, size_t room) {
    prim_bind(&w->ctx, (Mode)p->mode, false);
    ctx_reset(&w->ctx);
    Val v = eval_program(&w->ctx, p, params);
    if (val_deep_size(v) > room || v.kind == VAL_CLOSURE) {
        return val_int(0);
    }
    return val_deep_copy(v, &kept);
}

static void simplifying_keeps_the_meaning(void **state) {
    World *w = *state;
    static const int8_t cells[] = {0, 1, 0, 2, 1, 1, 0, 2, 0, 0, 5, 5};
    Val grid = val_grid8(cells, 3, 4);
    static _Alignas(16) char one[1 << 16], two[1 << 16];
    for (size_t k = 0; k < w->programs.count; k++) {
        const Program *p = w->programs.items[k];
        Val params[3] = {grid, grid, grid};
        Program *simple = draft_finish(&w->parents[k].draft, &w->builder, p->name);
        assert_non_null(simple);
        assert_true(simple->nops <= p->nops);
        Val a = answer(w, p, params, one, sizeof one), b = answer(w, simple, params, two, sizeof two);
        assert_int_equal(a.kind, b.kind);
        assert_true(val_failed(a) || val_eq(a, b));
        prog_free(simple);
    }
}

static void canonical_form_has_one_of_each(void **state) {
    World *w = *state;
    static const char text[] = "def solve_a(I):\n x9 = rot90(I)\n x1 = add(TWO, ONE)\n x2 = add(ONE, TWO)\n"
                               " x3 = identity(I)\n x4 = upscale(x3, x1)\n x5 = upscale(I, x2)\n"
                               " O = hconcat(x4, x5)\n return O\n";
    static const char same[] = "def solve_b(I):\n x1 = add(TWO, ONE)\n x2 = upscale(I, x1)\n"
                               " O = hconcat(x2, x2)\n return O\n";
    ProgList list = {0};
    parse(w, "text", text, sizeof text - 1, &list);
    parse(w, "text", same, sizeof same - 1, &list);
    Draft draft, a, b, again;
    assert_true(draft_from(&draft, list.items[0]) && draft_simplify(&draft, &a));
    assert_true(draft_from(&draft, list.items[1]) && draft_simplify(&draft, &b));
    assert_int_equal(a.nops, 3);
    assert_int_equal(a.nconsts, 2);
    assert_int_equal(a.hash, b.hash);
    assert_true(draft_simplify(&a, &again));
    assert_int_equal(a.hash, again.hash);
    Program *pa = draft_finish(&a, &w->builder, "x"), *pb = draft_finish(&b, &w->builder, "y");
    assert_true(prog_hash_eq(pa->hash, pb->hash));
    prog_free(pa);
    prog_free(pb);
    progs_free(&list);
    a.ops[0].args[0] = REF_OP | 2; /* a circle */
    assert_false(draft_simplify(&a, &again));
}

static void children_are_sound(void **state) {
    World *w = *state;
    static const int8_t cells[] = {0, 1, 0, 2, 1, 1, 0, 2, 0, 0, 5, 5};
    Val grid = val_grid8(cells, 3, 4);
    unsigned kinds[2][MUTATION_COUNT] = {{0}}, made = 0, good = 0;
    static Typed made_child;
    Draft *const child_at = &made_child.draft;
    Out out;
    out_init(&out);
    mutator_begin(&w->mutator, rng_stream(1, 2, 3), &w->colors);
    for (unsigned round = 0; round < w->rounds; round++) {
        const Typed *parent = &w->parents[rng_below(&w->mutator.rng, (uint32_t)w->count)];
        const Typed *mate = &w->parents[rng_below(&w->mutator.rng, (uint32_t)w->count)];
        MutationKind kind = mutate_draw(&w->mutator);
        if (!mutate(&w->mutator, kind, parent, mate, &made_child)) {
            continue;
        }
        made++;
        kinds[child_at->mode][kind]++;
        for (uint32_t k = 0; k < child_at->nops; k++) { /* operands first */
            for (uint32_t a = 0; a < child_at->ops[k].nargs; a++) {
                Ref ref = child_at->ops[k].args[a];
                assert_true(REF_KIND(ref) != REF_OP || REF_INDEX(ref) < k);
            }
        }
        Program *p = draft_finish(child_at, &w->builder, "solve_x");
        assert_non_null(p);
        prim_bind(&w->ctx, (Mode)p->mode, false);
        ctx_reset(&w->ctx);
        Val pair = val_tuple2(&w->ctx, grid, grid), *pairs = val_buffer(&w->ctx, 1);
        pairs[0] = pair;
        Val samples = val_tuple(&w->ctx, pairs, 1);
        Val params[3] = {p->nparams == 1 ? grid : samples, grid, grid};
        good += !val_failed(eval_program(&w->ctx, p, params));
        if (round % 16 == 0) { /* through text and back */
            ProgList list = {0};
            out_clear(&out);
            print_program(&out, p, NULL);
            parse(w, "child", out.data, out.len, &list);
            assert_int_equal(list.count, 1);
            assert_true(prog_hash_eq(list.items[0]->hash, p->hash));
            progs_free(&list);
        }
        prog_free(p);
    }
    out_free(&out);
    assert_true(made > w->rounds / 3);
    assert_true(good > made / 4); /* types are worth something */
    for (int mode = 0; mode < 2 && w->rounds > 10000; mode++) {
        for (int kind = 0; kind < MUTATION_COUNT; kind++) {
            assert_true(kinds[mode][kind] > 0);
        }
    }
}

static uint64_t digest(World *w, Mutator *m, uint64_t seed) {
    static Typed made_child;
    Draft *const child_at = &made_child.draft;
    uint64_t sum = 0;
    mutator_begin(m, rng_stream(seed, 5, 6), &w->colors);
    for (unsigned round = 0; round < 500; round++) {
        MutationKind kind = mutate_draw(m);
        const Typed *parent = &w->parents[round % w->count];
        if (mutate(m, kind, parent, &w->parents[(round * 7) % w->count], &made_child)) {
            sum = sum * 31 + child_at->hash + kind;
        }
        if (mutate_fresh(m, MODE_CORE, 1, &made_child)) {
            sum = sum * 31 + child_at->hash;
        }
    }
    return sum;
}

/* Types are numbered by the Mutator that works with them. */
static void retype(World *w, Mutator *m) {
    for (size_t k = 0; k < w->count; k++) {
        assert_true(mutate_types(m, &w->parents[k]));
    }
}

static void streams_decide_alone(void **state) {
    World *w = *state;
    static Mutator other;
    assert_true(mutator_open(&other));
    uint64_t first = digest(w, &w->mutator, 9); /* a table of types full of other terms */
    retype(w, &other);
    assert_int_equal(first, digest(w, &other, 9));
    assert_int_equal(first, digest(w, &other, 9));
    assert_int_not_equal(first, digest(w, &other, 10));
    mutator_close(&other);
    retype(w, &w->mutator);
}

static void core_programs_use_core_names(void **state) {
    World *w = *state;
    static Typed made_child;
    Draft *const child_at = &made_child.draft;
    mutator_begin(&w->mutator, rng_stream(4, 4, 4), &w->colors);
    unsigned made = 0;
    for (int round = 0; round < 2000; round++) {
        if (mutate_fresh(&w->mutator, MODE_CORE, 1, &made_child)) {
            made++;
            for (uint32_t k = 0; k < child_at->nops; k++) {
                assert_int_equal(prim_table[child_at->ops[k].prim].flags & (PRIM_DIALECT | PRIM_OURS), 0);
            }
        }
    }
    assert_true(made > 500);
}

/* Constants stay in the range that the hint of their parameter names. */
static void constants_keep_their_range(void **state) {
    World *w = *state;
    static Typed made_child;
    Draft *const child_at = &made_child.draft;
    mutator_begin(&w->mutator, rng_stream(6, 6, 6), &w->colors);
    const Typed *parent = &w->parents[w->count - 2]; /* mir_rot_t(I, R2) */
    unsigned seen = 0;
    for (int round = 0; round < 5000; round++) {
        MutationKind kind = mutate_draw(&w->mutator);
        if (!mutate(&w->mutator, kind, parent, NULL, &made_child) || kind != MUTATION_CONSTANT) {
            continue;
        }
        for (uint32_t k = 0; k < child_at->nops; k++) {
            if (child_at->ops[k].prim == P_mir_rot_t) {
                Val v = child_at->consts[REF_INDEX(child_at->ops[k].args[1])];
                assert_true(v.kind == VAL_INT && v.i >= 0 && v.i <= 7);
                seen |= 1u << v.i;
            }
        }
    }
    assert_int_equal(seen, 0xfb); /* all eight but the one it had */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplifying_keeps_the_meaning),
        cmocka_unit_test(canonical_form_has_one_of_each),
        cmocka_unit_test(children_are_sound),
        cmocka_unit_test(streams_decide_alone),
        cmocka_unit_test(core_programs_use_core_names),
        cmocka_unit_test(constants_keep_their_range),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}

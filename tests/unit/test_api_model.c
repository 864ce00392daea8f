/* Random sequences of calls of the C interface, compared with a model: integers and tuples as plain C
 * structs. Values outlive contexts, are shared and released in any order, and NULL may be passed anywhere.
 * Each sequence follows from its seed and runs in a process of its own; one that fails is cut down to the
 * calls that it needs, and printed. BATT_TEST_SEED and BATT_TEST_ROUNDS pick the seeds. */
#include "batt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { CONTEXTS = 3, SLOTS = 12, LENGTH = 120, LARGEST = 4000 };

typedef struct Model { /* never freed: the process is short */
    bool tuple;
    int64_t number;
    size_t n;
    struct Model *const *items;
} Model;

typedef enum {
    OPEN,
    CLOSE,
    INT,
    GRID,
    INTS,
    TUPLE,
    AT,
    RETAIN,
    RELEASE,
    SIZE,
    FIRST,
    LAST,
    COMBINE,
    ASTUPLE,
    HMIRROR,
    VMIRROR,
    PARSE,
    COMPARE,
    OPS
} Op;
static const char *const op_names[OPS] = {"open",    "close",   "int",     "grid",    "ints",  "tuple",
                                          "at",      "retain",  "release", "size",    "first", "last",
                                          "combine", "astuple", "hmirror", "vmirror", "parse", "compare"};

typedef struct Action {
    Op op;
    unsigned context, a, b, to;
    uint64_t bits;
} Action;

typedef struct World {
    batt_context *contexts[CONTEXTS];
    batt_value *values[SLOTS];
    const Model *models[SLOTS];
} World;

static uint64_t draw(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void need(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "    %s\n", what);
        _exit(1);
    }
}

/* ---- the model ---- */

static Model *number_of(int64_t number) {
    Model *m = calloc(1, sizeof *m);
    m->number = number;
    return m;
}

static Model *tuple_of(Model *const *items, size_t n) {
    Model *m = calloc(1, sizeof *m);
    Model **copy = calloc(n + 1, sizeof *copy);
    for (size_t k = 0; k < n; k++) {
        copy[k] = items[k];
    }
    *m = (Model){.tuple = true, .n = n, .items = copy};
    return m;
}

static bool same_models(const Model *a, const Model *b) {
    if (a->tuple != b->tuple || a->n != b->n || a->number != b->number) {
        return false;
    }
    for (size_t k = 0; k < a->n; k++) {
        if (!same_models(a->items[k], b->items[k])) {
            return false;
        }
    }
    return true;
}

static size_t weight(const Model *m) {
    size_t sum = 1;
    for (size_t k = 0; k < m->n; k++) {
        sum += weight(m->items[k]);
    }
    return sum;
}

static bool agrees(const batt_value *v, const Model *m) {
    if (!m->tuple) {
        return batt_value_kind(v) == BATT_INT && batt_value_int(v) == m->number;
    }
    bool good = batt_value_kind(v) == BATT_TUPLE && batt_value_size(v) == m->n;
    for (size_t k = 0; k < m->n && good; k++) {
        batt_value *item = batt_value_at(v, k);
        good = item != NULL && agrees(item, m->items[k]);
        batt_release(item);
    }
    return good;
}

/* What a primitive gives; NULL: it fails. */
static const Model *expected(Op op, const Model *a, const Model *b) {
    Model *items[LARGEST];
    switch (op) {
    case SIZE:
        return a->tuple ? number_of((int64_t)a->n) : NULL;
    case FIRST:
        return a->tuple && a->n > 0 ? a->items[0] : NULL;
    case LAST:
        return a->tuple && a->n > 0 ? a->items[a->n - 1] : NULL;
    case ASTUPLE:
        return tuple_of((Model *[]){(Model *)(uintptr_t)a, (Model *)(uintptr_t)b}, 2);
    case COMBINE:
        if (!a->tuple || !b->tuple) {
            return NULL;
        }
        for (size_t k = 0; k < a->n + b->n; k++) {
            items[k] = k < a->n ? a->items[k] : b->items[k - a->n];
        }
        return tuple_of(items, a->n + b->n);
    default:
        return NULL;
    }
}

/* ---- the calls ---- */

static void keep(World *w, unsigned slot, batt_value *v, const Model *m) {
    batt_release(w->values[slot]);
    w->values[slot] = v;
    w->models[slot] = m;
    need(agrees(v, m), "the value is another one");
}

static void make_grid(World *w, const Action *x, batt_context *c) {
    int rows = (int)(x->bits % 5), columns = (int)(x->bits / 5 % 5);
    int8_t cells[25];
    Model *lines[5];
    for (int i = 0; i < rows; i++) {
        Model *line[5];
        for (int j = 0; j < columns; j++) {
            cells[i * columns + j] = (int8_t)(x->bits >> (i * 5 + j) % 50 & 7);
            line[j] = number_of(cells[i * columns + j]);
        }
        lines[i] = tuple_of(line, (size_t)columns);
    }
    batt_value *v = batt_grid(c, cells, rows, columns);
    need((v != NULL) == (c != NULL), "batt_grid");
    if (v != NULL) {
        keep(w, x->to, v, tuple_of(lines, (size_t)rows));
    }
}

static void make_ints(World *w, const Action *x, batt_context *c) {
    int64_t numbers[6];
    Model *items[6];
    size_t n = x->bits % 7;
    for (size_t k = 0; k < n; k++) {
        numbers[k] = (int64_t)(x->bits * (k + 3)) >> (k * 9);
        items[k] = number_of(numbers[k]);
    }
    batt_value *v = batt_ints(c, numbers, n);
    need((v != NULL) == (c != NULL), "batt_ints");
    if (v != NULL) {
        keep(w, x->to, v, tuple_of(items, n));
    }
}

static void call(World *w, const Action *x, batt_context *c) {
    const batt_value *arguments[2] = {w->values[x->a], w->values[x->b]};
    const Model *a = w->models[x->a], *b = w->models[x->b];
    size_t n = x->op == COMBINE || x->op == ASTUPLE ? 2 : 1;
    bool whole = c != NULL && a != NULL && (n == 1 || b != NULL);
    if (whole && weight(a) + (n == 2 ? weight(b) : 0) > LARGEST) {
        return;
    }
    batt_value *v =
        batt_call_primitive(c, (size_t)batt_primitive_find(op_names[x->op]), arguments, n, BATT_MODE_CORE);
    need(whole || v == NULL, "a call with NULL gave a value");
    if (!whole) {
        return;
    }
    need(v != NULL, "a call gave NULL");
    const Model *m = expected(x->op, a, b);
    if (m == NULL) {
        need(batt_value_kind(v) == BATT_FAILED || x->op == HMIRROR || x->op == VMIRROR,
             "a call should have failed");
        batt_release(v);
    } else {
        keep(w, x->to, v, m);
    }
}

/* A mirror of a mirror is what it was, where it is a grid. */
static void mirror_twice(World *w, const Action *x, batt_context *c) {
    int rows, columns;
    if (c == NULL || w->values[x->a] == NULL || !batt_value_grid(w->values[x->a], &rows, &columns)) {
        return;
    }
    size_t k = (size_t)batt_primitive_find(op_names[x->op]);
    batt_value *once = batt_call_primitive(c, k, (const batt_value *[]){w->values[x->a]}, 1, BATT_MODE_CORE);
    batt_value *twice = batt_call_primitive(c, k, (const batt_value *[]){once}, 1, BATT_MODE_CORE);
    need(batt_value_equal(twice, w->values[x->a]) &&
             batt_value_hash(twice) == batt_value_hash(w->values[x->a]),
         "mirrored twice");
    batt_release(once);
    keep(w, x->to, twice, w->models[x->a]);
}

/* A program that is run on a value, and freed before the result is read. */
static void parse_and_run(World *w, const Action *x, batt_context *c) {
    static const char text[] = "def solve(I):\n    x1 = identity(I)\n    O = astuple(x1, I)\n    return O\n";
    batt_programs *programs =
        batt_parse(c, text, x->bits % 7 == 0 ? x->bits % sizeof text : sizeof text - 1, BATT_MODE_AUTO);
    if (x->bits % 7 != 0 && c != NULL) {
        need(programs != NULL && batt_programs_count(programs) == 1, "batt_parse");
        if (w->values[x->a] != NULL && weight(w->models[x->a]) < LARGEST / 2) {
            batt_value *v = batt_run_value(c, programs, 0, w->values[x->a], NULL, NULL);
            batt_programs_free(programs);
            programs = NULL;
            need(v != NULL, "batt_run_value");
            keep(w, x->to, v, expected(ASTUPLE, w->models[x->a], w->models[x->a]));
        }
    }
    batt_programs_free(programs);
}

static void compare(World *w, const Action *x) {
    const batt_value *a = w->values[x->a], *b = w->values[x->b];
    bool both = a != NULL && b != NULL, equal = both && same_models(w->models[x->a], w->models[x->b]);
    need((batt_value_equal(a, b) != 0) == equal, "batt_value_equal");
    need(!equal || batt_value_hash(a) == batt_value_hash(b), "equal values hash differently");
    need(!both || (batt_value_order(a, b) == 0) == equal, "batt_value_order");
    need(!both || (batt_value_order(a, b) < 0) == (batt_value_order(b, a) > 0), "the order has no direction");
}

static void act(World *w, const Action *x) {
    batt_context **context = &w->contexts[x->context], *c = *context;
    batt_value *from = w->values[x->a];
    const Model *m = w->models[x->a];
    switch (x->op) {
    case OPEN:
        batt_close(c);
        *context = batt_open();
        need(*context != NULL, "batt_open");
        break;
    case CLOSE:
        batt_close(c);
        *context = NULL;
        break;
    case INT: {
        batt_value *v = batt_int(c, (int64_t)x->bits);
        need((v != NULL) == (c != NULL), "batt_int");
        if (v != NULL) {
            keep(w, x->to, v, number_of((int64_t)x->bits));
        }
        break;
    }
    case GRID:
        make_grid(w, x, c);
        break;
    case INTS:
        make_ints(w, x, c);
        break;
    case TUPLE: {
        const batt_value *items[3] = {from, w->values[x->b], from};
        Model *models[3] = {(Model *)(uintptr_t)m, (Model *)(uintptr_t)w->models[x->b],
                            (Model *)(uintptr_t)m};
        size_t n = x->bits % 4;
        bool whole = c != NULL && (n == 0 || m != NULL) && (n < 2 || models[1] != NULL);
        if (whole && n > 0 && 3 * (weight(m) + (n > 1 ? weight(models[1]) : 0)) > LARGEST) {
            break;
        }
        batt_value *v = batt_tuple(c, items, n);
        need((v != NULL) == whole, "batt_tuple");
        if (v != NULL) {
            keep(w, x->to, v, tuple_of(models, n));
        }
        break;
    }
    case AT: {
        size_t k = x->bits % 6;
        batt_value *v = batt_value_at(from, k);
        bool there = m != NULL && m->tuple && k < m->n;
        need((v != NULL) == there, "batt_value_at");
        if (there) {
            keep(w, x->to, v, m->items[k]);
        }
        break;
    }
    case RETAIN: {
        batt_value *v = batt_retain(from);
        need((v != NULL) == (from != NULL), "batt_retain");
        if (v != NULL) {
            keep(w, x->to, v, m);
        }
        break;
    }
    case RELEASE:
        batt_release(from);
        w->values[x->a] = NULL;
        w->models[x->a] = NULL;
        break;
    case HMIRROR:
    case VMIRROR:
        mirror_twice(w, x, c);
        break;
    case PARSE:
        parse_and_run(w, x, c);
        break;
    case COMPARE:
        compare(w, x);
        break;
    default:
        call(w, x, c);
    }
}

/* ---- sequences ---- */

static void make_actions(uint64_t seed, Action *actions) {
    uint64_t state = seed;
    for (size_t k = 0; k < LENGTH; k++) {
        uint64_t r = draw(&state);
        Op op = k == 0 || r % 20 == 0 ? OPEN : (Op)(1 + (r >> 8) % (OPS - 1));
        op = op == CLOSE && (r >> 40) % 4 != 0 ? COMPARE : op;
        actions[k] = (Action){.op = op,
                              .context = (unsigned)(r >> 16) % 8 < 5 ? 0 : (unsigned)(r >> 16) % CONTEXTS,
                              .a = (unsigned)(r >> 24) % SLOTS,
                              .b = (unsigned)(r >> 28) % SLOTS,
                              .to = (unsigned)(r >> 32) % SLOTS,
                              .bits = draw(&state) >> (r >> 56) % 64};
    }
}

/* In a process of its own: whether all went well. */
static bool run(const Action *actions, const bool *left_out, bool quiet) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        World world = {0};
        if (quiet) {
            fclose(stderr);
        }
        alarm(60);
        for (size_t k = 0; k < LENGTH; k++) {
            if (!left_out[k]) {
                act(&world, &actions[k]);
            }
        }
        for (size_t k = 0; k < SLOTS; k++) {
            need(world.values[k] == NULL || agrees(world.values[k], world.models[k]), "a value has changed");
            batt_release(world.values[k]);
        }
        for (size_t k = 0; k < CONTEXTS; k++) {
            batt_close(world.contexts[k]);
        }
        _exit(0);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Leaves out as many calls as possible, in ever smaller pieces. */
static void shrink(const Action *actions, bool *left_out) {
    for (size_t piece = LENGTH / 2; piece > 0; piece /= 2) {
        for (size_t from = 0; from < LENGTH; from += piece) {
            bool before[LENGTH];
            memcpy(before, left_out, sizeof before);
            for (size_t k = from; k < from + piece && k < LENGTH; k++) {
                left_out[k] = true;
            }
            if (run(actions, left_out, true)) {
                memcpy(left_out, before, sizeof before);
            }
        }
    }
}

static void random_calls_agree_with_a_model(void **state) {
    (void)state;
    const char *seed_given = getenv("BATT_TEST_SEED"), *rounds_given = getenv("BATT_TEST_ROUNDS");
    uint64_t seed = seed_given != NULL ? strtoull(seed_given, NULL, 10) : 1;
    size_t rounds = rounds_given != NULL                ? strtoul(rounds_given, NULL, 10)
                    : getenv("BATT_TEST_QUICK") != NULL ? 200
                                                        : 3000;
    for (size_t k = 0; k < rounds; k++, seed++) {
        Action actions[LENGTH];
        bool left_out[LENGTH] = {false};
        make_actions(seed, actions);
        if (!run(actions, left_out, false)) {
            shrink(actions, left_out);
            print_message("BATT_TEST_SEED=%llu BATT_TEST_ROUNDS=1 fails; these calls are enough:\n",
                          (unsigned long long)seed);
            for (size_t n = 0; n < LENGTH; n++) {
                if (!left_out[n]) {
                    const Action *x = &actions[n];
                    print_message("    %-8s context %u, slots %u and %u to %u, %llu\n", op_names[x->op],
                                  x->context, x->a, x->b, x->to, (unsigned long long)x->bits);
                }
            }
            run(actions, left_out, false);
            fail();
        }
    }
    print_message("%zu sequences of %d calls\n", rounds, LENGTH);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_calls_agree_with_a_model)};
    return cmocka_run_group_tests_name("api_model", tests, NULL, NULL);
}

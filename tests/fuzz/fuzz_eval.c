/* Random programs over all primitives, well-typed or not, in both modes, strict and safe, under small
 * budgets.
 *
 * The bytes are read as choices: constants first, then calls whose arguments are earlier slots. Checked for
 * every value: it has the one representation its elements call for, sets ascend, equal copies hash equally;
 * for every program: it ends, the budget of memory holds, a second run gives the same, and (in checked
 * builds) a run without fast paths does too. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/eval/eval.h"
#include "engine/eval/set_order.h"
#include "engine/language/build.h"
#include "engine/language/infer.h"
#include "engine/language/print.h"
#include "engine/language/value_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_SLOTS = 64, MAX_OPS = 24 };

typedef struct Fuzz {
    Ctx run, values;
    Types *types;
    SetOrder *order;
    Builder builder;
    /* the input */
    const uint8_t *data;
    size_t size, at;
    /* the program under way */
    Mode mode;
    bool safe;
    Ref refs[MAX_SLOTS];
    TypeId slot_types[MAX_SLOTS];
    uint32_t count;
} Fuzz;

#define CHECK(good)                                                            \
    do {                                                                       \
        if (!(good)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #good); \
            abort();                                                           \
        }                                                                      \
    } while (0)

static uint32_t byte(Fuzz *f) {
    return f->at < f->size ? f->data[f->at++] : 0;
}

/* ---- constants ---- */

static Val small_grid(Fuzz *f, uint32_t max, uint32_t colors) {
    uint32_t h = byte(f) % (max + 1), w = byte(f) % (max + 1);
    Reason why;
    int8_t *cells = grid_buffer(&f->values, h, w, &why);
    uint32_t state = byte(f) | byte(f) << 8;
    for (uint32_t k = 0; cells != NULL && k < h * w; k++) {
        state = state * 1103515245u + 12345u;
        uint32_t shade = state >> 16;
        cells[k] = (int8_t)(shade & 1 ? 0 : shade / 2 % colors);
    }
    return cells != NULL ? val_grid8(cells, h, w) : VAL_EMPTY_TUPLE;
}

static Val some_set(Fuzz *f, bool cells) {
    uint32_t n = byte(f) % 10;
    Val *items = val_buffer(&f->values, n);
    int32_t range = byte(f) % 4 == 0 ? 3000 : 8; /* sometimes beyond what keys hold */
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        int32_t i = (int32_t)(byte(f) * 7919 % (uint32_t)range) - range / 4;
        int32_t j = (int32_t)(byte(f) * 104729 % (uint32_t)range) - range / 4;
        items[k] = cells ? f->mode == MODE_CORE ? val_cell32((int32_t)byte(f) % 10, i, j)
                                                : val_triple32(i, j, (int32_t)byte(f) % 10)
                         : val_pair32(i, j);
    }
    return items != NULL ? val_set(&f->values, items, n) : VAL_EMPTY_SET;
}

static Val collection(Fuzz *f, const Val *from, uint32_t available, bool tuple) {
    uint32_t n = available ? byte(f) % 5 : 0;
    Val *items = val_buffer(&f->values, n);
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        items[k] = from[byte(f) % available];
    }
    Val v = items == NULL ? VAL_EMPTY_TUPLE
            : tuple       ? val_tuple(&f->values, items, n)
                          : val_set(&f->values, items, n);
    return val_failed(v) ? VAL_EMPTY_SET : v;
}

static Val constant(Fuzz *f, const Val *before, uint32_t n) {
    static const int64_t extremes[] = {INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, 127,
                                       -128,      128,       32768,     -2049,     1 << 20};
    switch (byte(f) % 16) {
    case 0:
    case 1:
    case 2:
        return val_int((int64_t)(byte(f) % 14) - 3);
    case 3:
    case 4:
        return val_pair32((int32_t)(byte(f) % 10) - 3, (int32_t)(byte(f) % 10) - 3);
    case 5:
    case 6:
        return small_grid(f, 8, 4);
    case 7:
        return small_grid(f, 30, 10);
    case 8:
        return some_set(f, false);
    case 9:
        return some_set(f, true);
    case 10:
        return val_prim(byte(f) * 256u % PRIM_COUNT + byte(f) % 16 < PRIM_COUNT ? byte(f) * 2u % PRIM_COUNT
                                                                                : 0);
    case 11:
    case 12:
        return collection(f, before, n, true);
    case 13:
        return collection(f, before, n, false);
    case 14:
        return val_int(extremes[byte(f) % 10]);
    default:
        return val_atom((Atom)(byte(f) % 4));
    }
}

/* ---- programs ---- */

static void add_slot(Fuzz *f, Ref ref, TypeId type) {
    f->refs[f->count] = ref;
    f->slot_types[f->count++] = type;
}

/* A slot for a parameter: any, or from there on the first that fits its type; or a function that does. */
static uint32_t argument(Fuzz *f, uint32_t prim, uint32_t k, bool typed) {
    uint32_t start = byte(f) % f->count;
    const PrimType *declared = types_of_prim(f->types, prim);
    if (!typed || declared == NULL || k >= declared->arity) {
        return start;
    }
    for (uint32_t n = 0; n < f->count; n++) {
        uint32_t slot = (start + n) % f->count;
        if (f->slot_types[slot] != TYPE_NEVER &&
            types_fit(f->types, f->mode, f->slot_types[slot], declared->param[k])) {
            return slot;
        }
    }
    return start;
}

static Program *build(Fuzz *f) {
    Val consts[16];
    uint32_t flags = byte(f), n = 2 + byte(f) % 14, nops = 1 + byte(f) % MAX_OPS;
    bool typed = flags & 4;
    f->mode = flags & 1 ? MODE_BATT : MODE_CORE;
    f->safe = f->mode == MODE_BATT && (flags & 2);
    f->count = 0;
    build_start(&f->builder);
    ctx_reset(&f->values);
    if (f->mode == MODE_BATT) {
        add_slot(f, REF_PARAM | PARAM_S, TYPE_SAMPLES);
        add_slot(f, REF_PARAM | PARAM_C, TYPE_GRID);
    }
    add_slot(f, REF_PARAM | PARAM_I, TYPE_GRID);
    for (uint32_t k = 0; k < n; k++) {
        consts[k] = constant(f, consts, k);
        add_slot(f, build_const(&f->builder, consts[k]), types_of_value(f->types, f->mode, consts[k]));
    }
    for (uint32_t k = 0; k < nops; k++) {
        uint32_t choice = byte(f), prim = (byte(f) << 8 | byte(f)) % PRIM_COUNT,
                 nargs = prim_table[prim].arity;
        OpKind kind = choice < 210 ? OP_PRIM : choice < 235 ? OP_VALUE : choice < 245 ? OP_TUPLE : OP_SET;
        Ref args[8];
        TypeId types[8];
        if (choice % 32 == 31 || kind != OP_PRIM) {
            nargs = 1 + byte(f) % 4; /* for a primitive mostly the wrong number */
        }
        for (uint32_t a = 0; a < nargs; a++) {
            uint32_t slot = argument(f, prim, a, typed && kind == OP_PRIM);
            args[a] = f->refs[slot];
            types[a] = f->slot_types[slot];
        }
        TypeId type = kind == OP_PRIM    ? types_call_prim(f->types, f->mode, prim, types, nargs)
                      : kind == OP_VALUE ? types_call(f->types, f->mode, types[0], types + 1, nargs - 1)
                                         : TYPE_ANY;
        add_slot(f, build_op(&f->builder, kind, prim, args, nargs, k + 1, NULL, 0), type);
    }
    return build_finish(&f->builder, "fuzz", 4, f->mode, f->mode == MODE_BATT ? 3 : 1, f->refs[f->count - 1]);
}

/* ---- checks ---- */

/* The representation that the constructors choose for these elements; sets in ascending order. */
static void check_value(Ctx *scratch, Val v, unsigned depth) {
    CHECK(v.kind <= VAL_CLOSURE);
    if (val_failed(v)) {
        CHECK(v.w > FAIL_NONE && v.w < FAIL_REASONS);
        return;
    }
    if (!val_is_container(v)) {
        CHECK(v.kind != VAL_PRIM || v.n < PRIM_COUNT);
        CHECK(v.kind != VAL_ATOM || v.w <= ATOM_NAN);
        return;
    }
    uint32_t n = val_len(v);
    CHECK(n <= LIMIT_ELEMENTS);
    if (n > 2000 || depth > 6) {
        return;
    }
    Val *items = val_buffer(scratch, n);
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        items[k] = val_at(v, k);
        CHECK(!val_failed(items[k]));
        CHECK(val_is_tuple(v) || k == 0 || val_cmp(items[k - 1], items[k]) < 0);
        if (k < 50) {
            check_value(scratch, items[k], depth + 1);
        }
    }
    if (items == NULL) {
        return; /* the scratch memory is used up: enough was seen */
    }
    Val again = val_is_tuple(v) ? val_tuple(scratch, items, n) : val_set(scratch, items, n);
    if (val_failed(again)) {
        return;
    }
    CHECK(val_eq(v, again) && val_cmp(v, again) == 0 && val_hash(v, 7) == val_hash(again, 7));
    /* a row of a wide grid may be small: value.h says so */
    CHECK(again.kind == v.kind || v.kind == VAL_ROW64);
}

/* Closures of two runs are never equal; what holds one cannot be compared. */
static bool holds_closure(Val v, unsigned depth) {
    bool found = v.kind == VAL_CLOSURE || depth > 12;
    for (uint32_t k = 0; (v.kind == VAL_TUPLE || v.kind == VAL_SET) && k < v.n && !found; k++) {
        found = k > 3000 || holds_closure(v.v[k], depth + 1);
    }
    return found;
}

static bool same(Val a, Val b) {
    if (val_failed(a) || val_failed(b)) {
        return val_failed(a) && val_failed(b);
    }
    return holds_closure(a, 0) ? holds_closure(b, 0) : val_eq(a, b);
}

static void report_difference(const Program *p, uint32_t slot, const Val *first, const Val *second) {
    const Op *op = &p->ops[slot - prog_op_slot(p, 0)];
    Out out;
    out_init(&out);
    print_program(&out, p, NULL);
    out_fmt(&out, "%s mode: ", p->mode == MODE_BATT ? "batt" : "core");
    print_call(&out, p, slot - prog_op_slot(p, 0));
    for (uint32_t k = 0; k < op->nargs; k++) {
        out_str(&out, "\n  argument: ");
        text_value(&out, first[p->args[op->first + k]]);
    }
    out_str(&out, "\n  fast:  ");
    text_value(&out, first[slot]);
    out_str(&out, "\n  plain: ");
    text_value(&out, second[slot]);
    fprintf(stderr, "%s\ndiffers without fast paths\n", out.data);
    abort();
}

/* A call that inference says can never work did not work. */
typedef struct Claims {
    const Val *slots;
    const Program *program;
    Types *types;
} Claims;

static void check_claim(void *user, const TypeFinding *finding) {
    const Claims *claims = user;
    const Program *p = claims->program;
    if (finding->certain && !finding->vague && !val_failed(claims->slots[prog_op_slot(p, finding->op)])) {
        Out out;
        out_init(&out);
        print_program(&out, p, NULL);
        types_finding_text(&out, claims->types, finding);
        out_str(&out, "\nbut this works: ");
        print_call(&out, p, finding->op);
        for (uint32_t k = 0; k < p->ops[finding->op].nargs; k++) {
            out_str(&out, "\n  argument: ");
            text_value(&out, claims->slots[p->args[p->ops[finding->op].first + k]]);
        }
        fprintf(stderr, "%s\n", out.data);
        abort();
    }
}

static void params_of(Fuzz *f, Val params[3]) {
    Val in = small_grid(f, 10, 5), out = small_grid(f, 10, 5), pairs[2];
    pairs[0] = val_tuple2(&f->values, in, out);
    pairs[1] = val_tuple2(&f->values, out, in);
    Val *samples = val_buffer(&f->values, 2);
    CHECK(samples != NULL);
    memcpy(samples, pairs, sizeof pairs);
    params[0] = f->mode == MODE_BATT ? val_tuple(&f->values, samples, 2) : in;
    params[1] = in;
    params[2] = out;
}

static Fuzz *open_fuzz(void) {
    static Fuzz fuzz;
    Budget run = {.steps = 20000, .bytes = 4 << 20, .depth = 100};
    Budget values = {.steps = UINT64_MAX / 4, .bytes = 4 << 20, .depth = 100};
    if (fuzz.types == NULL) {
        fuzz.types = types_open();
        fuzz.order = set_order_open(&run);
        build_init(&fuzz.builder);
        CHECK(fuzz.types != NULL && fuzz.order != NULL && prim_open(&fuzz.run, MODE_CORE, false, &run) &&
              prim_open(&fuzz.values, MODE_CORE, false, &values));
    }
    return &fuzz;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Fuzz *f = open_fuzz();
    Val params[3], first[MAX_SLOTS + 16], second[MAX_SLOTS + 16];
    f->data = data;
    f->size = size;
    f->at = 0;
    prim_bind(&f->values, data != NULL && size > 0 && (data[0] & 1) ? MODE_BATT : MODE_CORE, false);
    Program *p = build(f);
    CHECK(p != NULL && prog_slots(p) <= MAX_SLOTS + 16);
    params_of(f, params);

    uint64_t start = clock_now_ns();
    prim_bind(&f->run, f->mode, f->safe);
    ctx_reset(&f->run);
    eval_slots(&f->run, p, params, first);
    bool finished = f->run.exhausted == FAIL_NONE;
    CHECK(ctx_bytes_used(&f->run) <= f->run.budget.bytes);
    CHECK(clock_now_ns() - start < 3000000000u);

    if (f->mode == MODE_CORE) {
        TypeId types[MAX_SLOTS + 16];
        Claims claims = {first, p, f->types};
        types_of_program(f->types, p, types, check_claim, &claims);
    }

    ctx_rebudget(&f->run); /* the first values stay to be compared with */
    f->run.plain = 1;      /* honoured in checked builds */
    f->run.end = f->run.base + f->run.budget.bytes;
    eval_slots(&f->run, p, params, second);
    f->run.plain = 0;
    bool compare = finished && f->run.exhausted == FAIL_NONE;
    for (uint32_t k = 0; k < prog_slots(p); k++) {
        if (compare && !same(first[k], second[k])) {
            report_difference(p, k, first, second);
        }
        CtxMark mark = ctx_mark(&f->values);
        check_value(&f->values, first[k], 0);
        ctx_release(&f->values, mark);
        ctx_rebudget(&f->values);
    }
    if (data != NULL && size > 0 && (data[0] & 0xf0) == 0xf0) {
        SetOrderFinding finding;
        set_order_depends(f->order, p, params, f->safe, &finding);
    }
    prog_free(p);
    return 0;
}

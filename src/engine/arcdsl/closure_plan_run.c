/* Running plans: columns one block at a time, calls element by element; see closure_plan.h. */
#include "engine/arcdsl/closure_plan_patch.h"
#include "engine/arcdsl/packed_patch.h"

#include <endian.h>
#include <string.h>

/* ---- elements into columns ---- */

static void load_keys(ClosurePlan *p, const CplanInput *in, uint32_t from, uint32_t n) {
    const uint32_t *keys = in->c.k + from;
    int32_t *a = p->columns[in->column[0]], *b = p->columns[in->column[1]];
    if (in->c.kind == VAL_INDICES) {
        for (uint32_t k = 0; k < n; k++) {
            a[k] = key_row(VAL_INDICES, keys[k]);
            b[k] = key_col(VAL_INDICES, keys[k]);
        }
        return;
    }
    int32_t *c = p->columns[in->column[2]];
    if (in->c.kind == VAL_OBJ_CORE) {
        for (uint32_t k = 0; k < n; k++) {
            a[k] = key_color(VAL_OBJ_CORE, keys[k]);
            b[k] = key_row(VAL_OBJ_CORE, keys[k]);
            c[k] = key_col(VAL_OBJ_CORE, keys[k]);
        }
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        a[k] = key_row(VAL_OBJ_BATT, keys[k]);
        b[k] = key_col(VAL_OBJ_BATT, keys[k]);
        c[k] = key_color(VAL_OBJ_BATT, keys[k]);
    }
}

/* Tuples of two pairs, or of two cells. */
static void load_twos(ClosurePlan *p, const CplanInput *in, uint32_t from, uint32_t n) {
    int32_t *to[6];
    for (uint32_t x = 0; x < in->width; x++) {
        to[x] = p->columns[in->column[x]];
    }
    const Val *items = in->c.v + from;
    if (in->width == 4) {
        int32_t *restrict a = to[0], *restrict b = to[1], *restrict c = to[2], *restrict d = to[3];
        uint32_t four[CPLAN_BLOCK]; /* fetched first, so that taking them apart is done for many at once */
        for (uint32_t k = 0; k < n; k++) {
            memcpy(&four[k], items[k].b8, sizeof four[k]);
            four[k] = le32toh(four[k]);
        }
        for (uint32_t k = 0; k < n; k++) {
            a[k] = (int8_t)four[k];
            b[k] = (int8_t)(four[k] >> 8);
            c[k] = (int8_t)(four[k] >> 16);
            d[k] = (int8_t)(four[k] >> 24);
        }
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        const Val *x = items[k].v;
        for (uint32_t half = 0; half < 2; half++) {
            to[3 * half][k] = val_color(x[half]);
            to[3 * half + 1][k] = x[half].a;
            to[3 * half + 2][k] = x[half].b;
        }
    }
}

static void load(ClosurePlan *p, const CplanInput *in, uint32_t from, uint32_t n) {
    if (in->width == 0) {
        return;
    }
    if (in->width > 3) {
        load_twos(p, in, from, n);
        return;
    }
    if (val_is_keys(in->c)) {
        load_keys(p, in, from, n);
        return;
    }
    if (in->c.kind == VAL_SET) {
        for (uint32_t k = 0; k < n; k++) {
            p->columns[in->column[0]][k] = (int32_t)in->c.v[from + k].i;
        }
        return;
    }
    const int8_t *cells = in->c.b8 + (size_t)from * in->width;
    for (uint32_t x = 0; x < in->width; x++) {
        for (uint32_t k = 0; k < n; k++) {
            p->columns[in->column[x]][k] = cells[k * in->width + x];
        }
    }
}

/* ---- columns ---- */

#define EACH(expression)               \
    for (uint32_t k = 0; k < n; k++) { \
        to[k] = (expression);          \
    }                                  \
    break

INLINE void among_rows(const CplanPlaces *places, const int32_t *a, const int32_t *b, int32_t *to, uint32_t n,
                       const uint32_t words) {
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = (uint32_t)a[k] - (uint32_t)places->top, j = (uint32_t)b[k] - (uint32_t)places->left;
        bool within = i < places->height && j < 64 * words;
        to[k] = within ? (int32_t)(places->rows[i * words + j / 64] >> (j % 64) & 1) : 0;
    }
}

static void among(const CplanPlaces *places, const int32_t *a, const int32_t *b, int32_t *to, uint32_t n) {
    if (places->words == 1) {
        among_rows(places, a, b, to, n, 1);
    } else {
        among_rows(places, a, b, to, n, 2);
    }
}

/* How far each place is from the nearest one of the patch. */
static void distance(Val patch, const int32_t *a, const int32_t *b, int32_t *restrict to, uint32_t n) {
    KeyFields f = key_fields(patch.kind);
    for (uint32_t k = 0; k < n; k++) {
        to[k] = INT32_MAX;
    }
    for (uint32_t m = 0; m < patch.n; m++) {
        int32_t i = key_row_in(f, patch.k[m]), j = key_col_in(f, patch.k[m]);
        for (uint32_t k = 0; k < n; k++) {
            int32_t di = a[k] - i, dj = b[k] - j, d = (di < 0 ? -di : di) + (dj < 0 ? -dj : dj);
            to[k] = d < to[k] ? d : to[k];
        }
    }
}

static void divide(const int32_t *a, int32_t by, int32_t *restrict to, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        int64_t x = a[k], q = x / by, r = x % by;
        to[k] = (int32_t)(q - (r != 0 && (r < 0) != (by < 0)));
    }
}

/* One edge of the box around each patch: top, left, bottom or right. */
static void edges(const Val *items, int32_t which, int32_t *restrict to, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        Val v = items[k];
        to[k] = which == 0   ? keys_top(v)
                : which == 1 ? keys_left(v)
                : which == 2 ? keys_bottom(v)
                             : keys_right(v);
    }
}

static void run_op(ClosurePlan *p, const CplanOp *op, uint32_t n) {
    const int32_t *a = p->columns[op->a], *b = p->columns[op->b];
    int32_t *restrict to = p->columns[op->to];
    switch ((ColumnOp)op->op) {
    case COLUMN_ADD:
        EACH(a[k] + b[k]);
    case COLUMN_SUBTRACT:
        EACH(a[k] - b[k]);
    case COLUMN_MULTIPLY:
        EACH(a[k] * b[k]);
    case COLUMN_HALVE:
        EACH(a[k] >> 1);
    case COLUMN_SIGN:
        EACH((a[k] > 0) - (a[k] < 0));
    case COLUMN_EVEN:
        EACH(~a[k] & 1);
    case COLUMN_GREATER:
        EACH(a[k] > b[k]);
    case COLUMN_EQUAL:
        EACH(a[k] == b[k]);
    case COLUMN_NOT:
        EACH(a[k] == 0);
    case COLUMN_CHOOSE: {
        const int32_t *c = p->columns[op->c];
        EACH(a[k] != 0 ? b[k] : c[k]);
    }
    case COLUMN_MAX:
        EACH(a[k] > b[k] ? a[k] : b[k]);
    case COLUMN_MIN:
        EACH(a[k] < b[k] ? a[k] : b[k]);
    case COLUMN_AND:
        EACH(a[k] & b[k]);
    case COLUMN_DIVIDE: /* by a constant that is not 0 */
        divide(a, b[0], to, n);
        break;
    case COLUMN_EDGE:
        edges(p->inputs[0].c.v + p->from, a[0], to, n);
        break;
    case COLUMN_COLOR: {
        const Val *items = p->inputs[0].c.v + p->from;
        EACH(key_color(items[k].kind, items[k].k[0]));
    }
    case COLUMN_INDEX: {
        Val grid = p->consts[op->c];
        EACH(grid.b8[(size_t)(uint32_t)a[k] * grid.w + (uint32_t)b[k]]);
    }
    case COLUMN_SIZE: {
        const Val *items = p->inputs[0].c.v + p->from;
        EACH((int32_t)val_len(items[k]));
    }
    case COLUMN_DISTANCE:
        distance(p->consts[op->c], a, b, to, n);
        break;
    case COLUMN_AMONG:
    default:
        among(&p->places[op->c], a, b, to, n);
    }
}

static void run_columns(ClosurePlan *p, uint32_t from, uint32_t n) {
    p->from = from;
    p->upto = from + n;
    for (uint32_t k = 0; k < p->ninputs; k++) {
        if (!p->inputs[k].fixed) {
            load(p, &p->inputs[k], from, n);
        }
    }
    for (uint32_t k = 0; k < p->nops; k++) {
        if (!p->ops[k].late) {
            run_op(p, &p->ops[k], n);
        }
    }
}

static void run_late_columns(ClosurePlan *p, uint32_t n) {
    for (uint32_t k = 0; k < p->nops; k++) {
        if (p->ops[k].late) {
            run_op(p, &p->ops[k], n);
        }
    }
}

void cplan_fix(ClosurePlan *p, uint32_t input, uint32_t at) {
    CplanInput *in = &p->inputs[input];
    in->fixed = true;
    in->at = at;
    p->from = p->upto = 0;
    if (in->width == 0 || in->valued) {
        p->values[in->value] = val_at(in->c, at);
    }
    load(p, in, at, 1);
    for (uint32_t x = 0; x < in->width; x++) {
        int32_t *column = p->columns[in->column[x]];
        for (uint32_t k = 1; k < p->block; k++) {
            column[k] = column[0];
        }
    }
}

/* Counts the first calls of an element, and the closures that it makes in name only, for `times`
 * elements. */
static void count(const ClosurePlan *p, Ctx *ctx, uint32_t calls, uint32_t closures, uint32_t times) {
    ctx->closures += closures * times;
#ifndef BATT_NO_PROFILER
    for (uint32_t k = 0; k < calls; k++) {
        ctx->calls[p->counted[k]] += times;
    }
#else
    (void)p, (void)calls;
#endif
}

static uint32_t block_with_patches(ClosurePlan *p, Ctx *ctx, uint32_t from, uint32_t n) {
    if (p->spent) {
        return 0;
    }
    run_columns(p, from, n);
    if (!patches_block(p, ctx, n)) {
        p->spent = true;
        return 0;
    }
    run_late_columns(p, n);
    count(p, ctx, p->ncounted, p->nclosures, n);
    return n;
}

uint32_t cplan_block(ClosurePlan *p, Ctx *ctx, uint32_t from, uint32_t n) {
    n = n < p->block ? n : p->block;
    if (p->npatches != 0) {
        return block_with_patches(p, ctx, from, n);
    }
    int64_t cost = p->nevents + p->charge;
    if (UNLIKELY(ctx->fuel < (int64_t)n * cost)) {
        n = ctx->fuel > 0 ? (uint32_t)(ctx->fuel / cost) : 0;
    }
    if (UNLIKELY(p->room != 0) && ctx_room(ctx) < p->room) {
        return 0;
    }
    if (n != 0) {
        ctx->fuel -= (int64_t)n * cost;
        count(p, ctx, p->ncounted, p->nclosures, n);
        run_columns(p, from, n);
    }
    return n;
}

uint32_t cplan_columns(ClosurePlan *p, uint32_t from, uint32_t n) {
    n = n < p->block ? n : p->block;
    run_columns(p, from, n);
    return n;
}

/* ---- elements ---- */

static inline Val cterm_value(const ClosurePlan *p, const CplanTerm *t, uint32_t k) {
    switch ((CplanTermKind)t->kind) {
    case CTERM_NUMBER:
        return val_int(cplan_number(p, t->a, k));
    case CTERM_PAIR:
        return val_pair32(cplan_number(p, t->a, k), cplan_number(p, t->b, k));
    case CTERM_CELL:
        return val_cell32(cplan_number(p, t->a, k), cplan_number(p, t->b, k), cplan_number(p, t->c, k));
    case CTERM_TRIPLE:
        return val_triple32(cplan_number(p, t->a, k), cplan_number(p, t->b, k), cplan_number(p, t->c, k));
    case CTERM_CONST:
        return p->consts[t->value];
    case CTERM_ITEM:
        return val_at(p->consts[t->value], (uint32_t)cplan_number(p, t->a, k));
    default:
        ASSERT(t->kind == CTERM_VALUE, "term of kind %u", t->kind);
        return p->values[t->value];
    }
}

Val cplan_result(const ClosurePlan *p, uint32_t k) {
    return cterm_value(p, &p->result, k);
}

void cplan_results(const ClosurePlan *p, uint32_t n, Val *to) {
    const CplanTerm *t = &p->result;
    CplanNumbers a = cplan_numbers(p, &t->a), b = cplan_numbers(p, &t->b), c = cplan_numbers(p, &t->c);
    switch ((CplanTermKind)t->kind) {
    case CTERM_NUMBER:
        for (uint32_t k = 0; k < n; k++) {
            to[k] = val_int(a.at[k * a.step]);
        }
        break;
    case CTERM_PAIR:
        for (uint32_t k = 0; k < n; k++) {
            to[k] = val_pair32(a.at[k * a.step], b.at[k * b.step]);
        }
        break;
    case CTERM_CELL:
        for (uint32_t k = 0; k < n; k++) {
            to[k] = val_cell32(a.at[k * a.step], b.at[k * b.step], c.at[k * c.step]);
        }
        break;
    default:
        for (uint32_t k = 0; k < n; k++) {
            to[k] = cterm_value(p, t, k);
        }
    }
}

/* The failure of an element for which the fuel did not last at this event; the surrounding calls fail with
 * it. */
static Val spent(const ClosurePlan *p, Ctx *ctx, uint32_t event) {
    Val v = val_fail((Reason)ctx->exhausted);
    for (uint32_t scope = p->inside[event]; scope != 0; scope = p->scopes[scope].within) {
        v = prim_failed(ctx, p->scopes[scope].prim, NULL, v);
    }
    return v;
}

/* Charges events one by one where the fuel may not last. If it does not, the element's calls so far are
 * counted. */
static __attribute__((noinline)) bool charge_slowly(ClosurePlan *p, Ctx *ctx, uint32_t from, uint32_t to,
                                                    Val *failure) {
    for (uint32_t k = from; k < to; k++) {
        if (--ctx->fuel < 0 && !ctx_refuel(ctx)) {
            uint32_t calls = 0, closures = 0;
            for (uint32_t x = 0; x < k; x++) {
                calls += p->events[x] < CPLAN_CLOSURE;
                closures += p->events[x] == CPLAN_CLOSURE;
            }
            count(p, ctx, calls, closures, 1);
            *failure = spent(p, ctx, k);
            return false;
        }
    }
    return true;
}

/* Computes the columns of the block that begins with element `at`. */
static __attribute__((noinline)) void next_block(ClosurePlan *p, uint32_t at) {
    uint32_t n = p->elements - at;
    run_columns(p, at, n < p->block ? n : p->block);
}

static inline void next_values(ClosurePlan *p, uint32_t at) {
    for (const CplanInput *in = p->inputs, *end = in + p->ninputs; in < end; in++) {
        if ((in->width != 0 && !in->valued) || in->fixed) {
            continue;
        }
        Val *to = &p->values[in->value];
        if (LIKELY(in->c.kind == VAL_SET || in->c.kind == VAL_TUPLE)) {
            to[0] = in->c.v[at];
        } else {
            to[0] = val_at(in->c, at);
        }
        if (in->halved) {
            to[1] = to[0].v[0];
            to[2] = to[0].v[1];
        }
    }
}

static inline void move(const ClosurePlan *p, CplanCall *c, const CplanMove *m, uint32_t k) {
    Val *to = &c->args[m->to];
    if (m->kind == CTERM_VALUE) {
        *to = p->values[m->from];
        return;
    }
    int32_t a = p->columns[m->a][k];
    if (LIKELY(m->kind == CTERM_PAIR)) {
        to->a = a;
        to->b = p->columns[m->b][k];
    } else if (m->kind == CTERM_NUMBER) {
        to->i = a;
    } else if (m->kind == CTERM_CELL) {
        to->n = (uint32_t)a;
        to->a = p->columns[m->b][k];
        to->b = p->columns[m->c][k];
    } else if (m->kind == CTERM_TRIPLE) {
        to->a = a;
        to->b = p->columns[m->b][k];
        to->n = (uint32_t)p->columns[m->c][k];
    } else {
        *to = val_at(p->consts[m->from], (uint32_t)a);
    }
}

/* After a body has failed: its replacement in safe mode, or a failure, in which case the element's calls so
 * far are counted. */
static __attribute__((noinline)) Val failed(ClosurePlan *p, Ctx *ctx, const CplanCall *c, const Val *args,
                                            Val v) {
    v = c->prim == CPLAN_NO_PRIM ? v : prim_failed(ctx, c->prim, args, v);
    if (val_failed(v)) {
        count(p, ctx, c->counted, c->closures, 1);
    }
    return v;
}

/* The last `steps` of `upto` events were charged, but the fuel did not last: charge them again, one by
 * one. */
static __attribute__((noinline)) bool recharge(ClosurePlan *p, Ctx *ctx, uint32_t steps, uint32_t upto,
                                               Val *failure) {
    ctx->fuel += (int64_t)steps;
    return charge_slowly(p, ctx, upto - steps, upto, failure);
}

static inline Val run_call(Ctx *ctx, const CplanCall *c, const Val *args) {
#ifndef BATT_NO_PROFILER
    if (UNLIKELY(ctx->measure != NULL) && c->prim != CPLAN_NO_PRIM) {
        return ctx->measure(ctx, c->prim, args);
    }
#endif
    return c->fn(ctx, args);
}

/* An element the plain way. */
static __attribute__((noinline)) Val call_plainly(const ClosurePlan *p, Ctx *ctx, uint32_t at) {
    Val args[2];
    for (uint32_t k = 0; k < p->ninputs; k++) {
        const CplanInput *in = &p->inputs[k];
        args[k] = val_at(in->c, in->fixed ? in->at : at);
    }
    return call_value(ctx, p->f, args, p->ninputs);
}

INLINE Val value_at(ClosurePlan *p, Ctx *ctx, uint32_t at) {
    if (UNLIKELY(cplan_charges(p) || p->room > ctx_room(ctx))) {
        return call_plainly(p, ctx, at);
    }
    ctx->top += p->room; /* what is made in name only needs room, too */
    if (at >= p->upto && p->ncolumns != 0) {
        next_block(p, at);
    }
    if (p->values_come) {
        next_values(p, at);
    }
    uint32_t depth = ctx->depth, k = at - p->from;
    Val v;
    for (CplanCall *c = p->calls, *end = c + p->ncalls; c < end; c++) {
        ctx->fuel -= c->steps;
        if (UNLIKELY(ctx->fuel < 0) && !recharge(p, ctx, c->steps, c->events, &v)) {
            ctx->depth = depth;
            return v;
        }
        const Val *args = c->args;
        if (c->direct) {
            args = &p->values[c->moves[0].from];
        } else {
            for (const CplanMove *m = c->moves, *last = m + c->nmoves; m < last; m++) {
                move(p, c, m, k);
            }
        }
        ctx->depth = depth + c->depth;
        v = VAL_CHECKED(run_call(ctx, c, args));
        if (UNLIKELY(val_head_failed(v)) && val_head_failed(v = failed(p, ctx, c, args, v))) {
            ctx->depth = depth;
            return v;
        }
        p->values[c->to] = v;
    }
    ctx->depth = depth;
    ctx->fuel -= p->tail;
    if (UNLIKELY(ctx->fuel < 0) && !recharge(p, ctx, p->tail, p->nevents, &v)) {
        return v;
    }
    p->whole++;
    return LIKELY(p->result.kind == CTERM_VALUE) ? p->values[p->result.value] : cterm_value(p, &p->result, k);
}

Val cplan_value(ClosurePlan *p, Ctx *ctx, uint32_t at) {
    return value_at(p, ctx, at);
}

bool cplan_values(ClosurePlan *p, Ctx *ctx, uint32_t from, uint32_t n, Val *to, Val *why) {
    for (uint32_t k = 0; k < n; k++) {
        CtxMark mark = ctx_mark(ctx);
        Val v = value_at(p, ctx, from + k);
        to[k] = v;
        if (UNLIKELY(val_head_failed(v))) {
            *why = v;
            return false;
        }
        if (val_head_kind(v) <= VAL_CELL) {
            ctx_release(ctx, mark);
        }
    }
    return true;
}

void cplan_close(ClosurePlan *p, Ctx *ctx) {
    count(p, ctx, p->ncounted, p->nclosures, p->whole);
    p->whole = 0;
}

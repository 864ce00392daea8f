/* Making tasks of pieces; see local_task.h. */
#include "search/schedule/local_task.h"

#include "base/check.h"
#include "engine/language/lambda.h"
#include "search/schedule/search_state.h"

#include <string.h>

/* How many pieces of training pairs and of tests are used; the program found is checked on whole grids
 * anyway. */
enum { MAX_TRAIN = 40, MAX_TEST = SEARCH_MAX_SAMPLES - MAX_TRAIN };

typedef struct Pieces {
    Val in[LOCAL_MAX], out[LOCAL_MAX];
    uint32_t count;
} Pieces;

static bool take(Val pieces, Val *to) {
    for (uint32_t k = 0; pieces.kind == VAL_TUPLE && k < val_len(pieces); k++) {
        to[k] = val_at(pieces, k);
    }
    return pieces.kind == VAL_TUPLE;
}

/* Cuts an output that has another size than its input into as many equal pieces, in the table that those of
 * the input form. */
static bool share_out(Ctx *ctx, Val out, const LocalPieces *where, Val *to) {
    int32_t rows, columns, order[LOCAL_MAX];
    GridAnalysis b;
    Reason why;
    if (!analysis_of(out, &b, &why) || !local_table(where, &rows, &columns, order) || b.h % rows != 0 ||
        b.w % columns != 0) {
        return false;
    }
    for (int32_t k = 0, h = b.h / rows, w = b.w / columns; k < where->count; k++) {
        int32_t top = k / columns * h, left = k % columns * w;
        to[order[k]] = analysis_cut(ctx, &b, (GridBox){top, top + h - 1, left, left + w - 1});
        if (val_failed(to[order[k]])) {
            return false;
        }
    }
    return true;
}

/* Cuts a sample, and its output where its input is cut. False: it cannot be cut, or something outside the
 * pieces changes. */
static bool take_pieces(Ctx *ctx, const SearchTask *t, uint32_t sample, LocalHow how, Pieces *p) {
    GridAnalysis in, out;
    LocalPieces where;
    Reason why;
    ASSERT(how < LOCAL_HOWS && t->in[sample].kind == VAL_GRID8, "way %u of a value of kind %u", how,
           t->in[sample].kind);
    if (!analysis_of(t->in[sample], &in, &why) || !local_places(&in, how, &where) ||
        !take(local_cut(ctx, &in, &where), p->in)) {
        return false;
    }
    p->count = (uint32_t)where.count;
    if (sample >= t->n_train) {
        return true;
    }
    if (!t->same_size) {
        return share_out(ctx, t->out[sample], &where, p->out);
    }
    Val pieces = analysis_of(t->out[sample], &out, &why) ? local_cut(ctx, &out, &where) : val_fail(why);
    Val joined = take(pieces, p->out)
                     ? prim_direct(ctx, P_local_join, (Val[]){t->in[sample], val_int(how), pieces})
                     : pieces;
    return val_eq(joined, t->out[sample]);
}

/* Adds a piece as a pair, unless it is there already. False: it contradicts another pair. */
static bool add_pair(SearchTask *to, Val in, Val out, bool *changes) {
    for (uint32_t k = 0; k < to->n_train; k++) {
        if (val_eq(to->in[k], in)) {
            return val_eq(to->out[k], out);
        }
    }
    *changes |= !val_eq(in, out);
    if (to->n_train < MAX_TRAIN) {
        to->in[to->n_train] = in;
        to->out[to->n_train++] = out;
    }
    return true;
}

static void add_test(SearchTask *to, Val in) {
    for (uint32_t k = to->n_train; k < to->n; k++) {
        if (val_eq(to->in[k], in)) {
            return;
        }
    }
    if (to->n_test < MAX_TEST) {
        to->in[to->n++] = in;
        to->n_test++;
    }
}

bool local_task_of(Ctx *ctx, const SearchTask *task, LocalHow how, SearchTask *to) {
    Pieces p;
    bool changes = false;
    *to = (SearchTask){.id = task->id};
    for (uint32_t k = 0; k < task->n_train; k++) {
        if (!take_pieces(ctx, task, k, how, &p)) {
            return false;
        }
        for (uint32_t x = 0; x < p.count; x++) {
            if (!add_pair(to, p.in[x], p.out[x], &changes)) {
                return false;
            }
        }
    }
    to->n = to->n_train;
    for (uint32_t k = task->n_train; k < task->n; k++) {
        if (!take_pieces(ctx, task, k, how, &p)) {
            return false;
        }
        for (uint32_t x = 0; x < p.count; x++) {
            add_test(to, p.in[x]);
        }
    }
    search_task_colors(to);
    return changes && to->n_train > task->n_train;
}

Program *local_task_wrap(Builder *b, const SearchTask *task, Program *p, LocalHow how) {
    build_start(b);
    unsigned back = task->same_size ? P_local_join : P_local_lay;
    Ref function = lambda_of(b, p), kind = build_const(b, val_int(how));
    Program *wrapped = NULL;
    if (function != (Ref)LAMBDA_NONE) {
        Ref pieces = build_op(b, OP_PRIM, P_local_split, (Ref[]){PARAM_I, kind}, 2, 0, "", 0);
        Ref changed = build_op(b, OP_PRIM, P_apply, (Ref[]){function, pieces}, 2, 0, "", 0);
        Ref result = build_op(b, OP_PRIM, back, (Ref[]){PARAM_I, kind, changed}, 3, 0, "", 0);
        wrapped = build_finish(b, p->name, strlen(p->name), (Mode)p->mode, 1, result);
    }
    prog_free(p);
    return wrapped;
}

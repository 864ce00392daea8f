/* Making tasks of pieces; see local_task.h. */
#include "search/local_task.h"

#include "core/check.h"
#include "lang/lambda.h"

#include <string.h>

/* How many pieces of training pairs and of tests are used; the program found is checked on whole grids
 * anyway. */
enum { MOST_TRAIN = 40, MOST_TEST = SEARCH_MOST_SAMPLES - MOST_TRAIN };

static Val split(Ctx *ctx, Val grid, LocalHow how) {
    ASSERT(how < LOCAL_HOWS && grid.kind == VAL_GRID8, "way %u of a value of kind %u", how, grid.kind);
    return prim_direct(ctx, P_local_split, (Val[]){grid, val_int(how)});
}

static Val join(Ctx *ctx, Val grid, LocalHow how, Val pieces) {
    return prim_direct(ctx, P_local_join, (Val[]){grid, val_int(how), pieces});
}

/* Cuts an output where its input is cut. Joining the input with pieces that are filled with their own numbers
 * gives a map of the pieces, so that only one function needs to know their places. False: something outside
 * the pieces changes. */
static bool cut_output(Ctx *ctx, Val in, Val out, LocalHow how, Val pieces, Val *to) {
    uint32_t n = val_len(pieces);
    Val *numbered = val_buffer(ctx, n);
    if (numbered == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        Val piece = val_at(pieces, k);
        int8_t *mark = ctx_alloc(ctx, (size_t)piece.n * piece.w),
               *cells = ctx_alloc(ctx, (size_t)piece.n * piece.w);
        if (mark == NULL || cells == NULL) {
            return false;
        }
        memset(mark, (int)(k + 10), (size_t)piece.n * piece.w);
        numbered[k] = val_grid8(mark, piece.n, piece.w);
        to[k] = val_grid8(cells, piece.n, piece.w);
    }
    Val map = join(ctx, in, how, val_tuple(ctx, numbered, n));
    if (map.kind != VAL_GRID8) {
        return false;
    }
    uint32_t filled[LOCAL_MOST] = {0};
    for (size_t k = 0; k < (size_t)in.n * in.w; k++) {
        if (map.b8[k] >= 10) {
            uint32_t piece = (uint32_t)(map.b8[k] - 10);
            ((int8_t *)to[piece].b8)[filled[piece]++] = out.b8[k]; /* row by row, as the piece is stored */
        } else if (in.b8[k] != out.b8[k]) {
            return false;
        }
    }
    return true;
}

typedef struct Pieces {
    Val in[LOCAL_MOST], out[LOCAL_MOST];
    uint32_t count;
} Pieces;

static bool take_pieces(Ctx *ctx, const SearchTask *t, uint32_t sample, LocalHow how, Pieces *p) {
    Val pieces = split(ctx, t->in[sample], how);
    if (pieces.kind != VAL_TUPLE) {
        return false;
    }
    p->count = val_len(pieces);
    for (uint32_t k = 0; k < p->count; k++) {
        p->in[k] = val_at(pieces, k);
    }
    return sample >= t->n_train || cut_output(ctx, t->in[sample], t->out[sample], how, pieces, p->out);
}

/* Adds a piece as a pair, unless it is there already. False: it contradicts another pair. */
static bool add_pair(SearchTask *to, Val in, Val out, bool *changes) {
    for (uint32_t k = 0; k < to->n_train; k++) {
        if (val_eq(to->in[k], in)) {
            return val_eq(to->out[k], out);
        }
    }
    *changes |= !val_eq(in, out);
    if (to->n_train < MOST_TRAIN) {
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
    if (to->n_test < MOST_TEST) {
        to->in[to->n++] = in;
        to->n_test++;
    }
}

bool local_task_of(Ctx *ctx, const SearchTask *task, LocalHow how, SearchTask *to) {
    Pieces p;
    bool changes = false;
    *to = (SearchTask){.id = task->id};
    if (!task->same_size) {
        return false;
    }
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

Program *local_task_wrap(Builder *b, Program *p, LocalHow how) {
    build_start(b);
    Ref function = lambda_of(b, p), kind = build_const(b, val_int(how));
    Program *wrapped = NULL;
    if (function != (Ref)LAMBDA_NONE) {
        Ref pieces = build_op(b, OP_PRIM, P_local_split, (Ref[]){PARAM_I, kind}, 2, 0, "", 0);
        Ref changed = build_op(b, OP_PRIM, P_apply, (Ref[]){function, pieces}, 2, 0, "", 0);
        Ref result = build_op(b, OP_PRIM, P_local_join, (Ref[]){PARAM_I, kind, changed}, 3, 0, "", 0);
        wrapped = build_finish(b, p->name, strlen(p->name), (Mode)p->mode, 1, result);
    }
    prog_free(p);
    return wrapped;
}

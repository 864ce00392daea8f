/* Checking programs on transformed training pairs; see guard.h. */
#include "search/evolution/guard.h"

#include "base/alloc.h"
#include "base/check.h"
#include "engine/eval/eval.h"
#include "search/evolution/other_pairs.h"
#include "search/evolution/symmetric.def"

#include <string.h>

typedef struct GridChange { /* how a grid is transformed: its colors first, then its places */
    int8_t color[TASK_COLORS];
    bool rows, columns; /* in reverse order */
} GridChange;

static const GridChange unchanged = {.color = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};

static size_t cells_of(Image image) {
    return (size_t)image.h * (size_t)image.w;
}

static Image changed(Image from, const GridChange *c, int8_t *to) {
    for (int32_t i = 0; i < from.h; i++) {
        for (int32_t j = 0; j < from.w; j++) {
            int32_t row = c->rows ? from.h - 1 - i : i, column = c->columns ? from.w - 1 - j : j;
            to[row * from.w + column] = c->color[from.cells[i * from.w + j]];
        }
    }
    return (Image){from.h, from.w, to};
}

/* Whether the program turns all changed inputs into the changed outputs. */
static bool holds(Ctx *ctx, const Program *p, const Task *task, const GridChange *c, TaskPair *pairs,
                  int8_t *cells) {
    for (int32_t k = 0; k < task->n_train; k++) {
        pairs[k].in = changed(task->train[k].in, c, cells);
        cells += cells_of(task->train[k].in);
        pairs[k].out = changed(task->train[k].out, c, cells);
        cells += cells_of(task->train[k].out);
        pairs[k].has_output = true;
    }
    const Task other = {.id = task->id, .train = pairs, .n_train = task->n_train};
    for (int32_t k = 0; k < task->n_train; k++) {
        ctx_reset(ctx);
        Val input = eval_grid(pairs[k].in), params[3] = {input, input, input};
        if (p->nparams == 3) {
            params[0] = other_pairs_value(ctx, &other, k);
        }
        Val v = eval_program(ctx, p, params);
        if (val_failed(v) || !val_eq(v, eval_grid(pairs[k].out))) {
            return false;
        }
    }
    return true;
}

/* Colors that may be permuted: in the task, not 0, and none of the program's constants. */
static uint32_t free_colors(const Program *p, const Task *task, int8_t *colors) {
    unsigned present = 0;
    for (int32_t k = 0; k < task->n_train; k++) {
        for (int32_t x = 0; x < task->train[k].in.h * task->train[k].in.w; x++) {
            present |= 1u << task->train[k].in.cells[x];
        }
        for (int32_t x = 0; x < task->train[k].out.h * task->train[k].out.w; x++) {
            present |= 1u << task->train[k].out.cells[x];
        }
    }
    for (uint32_t k = 0; k < p->nconsts; k++) {
        Val v = p->consts[k];
        if (v.kind == VAL_INT && v.i >= 0 && v.i < TASK_COLORS) {
            present &= ~(1u << v.i);
        } else if (val_is_container(v) && v.kind != VAL_PAIR) {
            return 0; /* colors may be anywhere in it */
        }
    }
    uint32_t n = 0;
    for (int8_t c = 1; c < TASK_COLORS; c++) {
        if (present >> c & 1) {
            colors[n++] = c;
        }
    }
    return n;
}

static bool symmetric_prim(uint32_t prim) {
    switch (prim) {
#define X(name) case P_##name:
        SYMMETRIC_ALL(X)
#undef X
        return true;
    default:
        return false;
    }
}

static bool symmetric(const Program *p) {
    for (uint32_t k = 0; k < p->nops; k++) {
        if (p->ops[k].kind == OP_PRIM && !symmetric_prim(p->ops[k].prim)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < p->nconsts; k++) { /* pairs are directions or places; functions count too */
        Val v = p->consts[k];
        if (v.kind != VAL_INT && !(v.kind == VAL_PRIM && symmetric_prim(v.n))) {
            return false;
        }
    }
    return true;
}

Guard guard_check(Ctx *ctx, const Program *p, const Task *task) {
    Guard guard = {0, 0};
    TaskPair *pairs = mem_array((size_t)task->n_train, sizeof *pairs);
    size_t room = 0;
    for (int32_t k = 0; k < task->n_train; k++) {
        room += cells_of(task->train[k].in) + cells_of(task->train[k].out);
    }
    int8_t *cells = mem_array(room, 1), colors[TASK_COLORS];
    if (pairs != NULL && cells != NULL) {
        uint32_t n = free_colors(p, task, colors);
        prim_bind(ctx, (Mode)p->mode, false);
        for (uint32_t turn = 1; turn < n && turn <= 2; turn++) { /* rotate the colors by one, then by two */
            GridChange change = unchanged;
            for (uint32_t k = 0; k < n; k++) {
                change.color[colors[k]] = colors[(k + turn) % n];
            }
            guard.total++;
            guard.passed += holds(ctx, p, task, &change, pairs, cells);
            ASSERT(guard.passed <= guard.total, "%d of %d checks", guard.passed, guard.total);
        }
        for (int way = 0; way < 2 && symmetric(p); way++) {
            GridChange change = unchanged;
            change.rows = way == 0;
            change.columns = way == 1;
            guard.total++;
            guard.passed += holds(ctx, p, task, &change, pairs, cells);
        }
    }
    ASSERT(guard.total <= GUARD_MAX, "%d checks", guard.total);
    mem_free(pairs);
    mem_free(cells);
    return guard;
}

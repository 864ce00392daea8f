/* Keeping the best intermediate grids; see intermediates.h. */
#include "search/schedule/intermediates.h"

#include "base/check.h"
#include "search/schedule/search_state.h"

#include <string.h>

uint32_t intermediates_likeness(Val grid, Val output) {
    size_t n = (size_t)output.n * output.w, right = 0;
    ASSERT(n > 0, "an output without cells");
    if (grid.n != output.n || grid.w != output.w) {
        return 0;
    }
    for (size_t c = 0; c < n; c++) {
        right += grid.b8[c] == output.b8[c];
    }
    return (uint32_t)(1000 * right / n);
}

static bool is_known(const Intermediates *b, const Val *vals, uint32_t n, uint32_t like) {
    for (uint32_t k = 0; k < b->count; k++) {
        if (b->items[k].like == like && vals_eq(b->items[k].vals, vals, n)) {
            return true;
        }
    }
    return false;
}

/* The last intermediate that nothing depends on; 0: all are held. */
static uint32_t worst(const Intermediates *b) {
    uint32_t k = b->count - 1;
    while (k > 0 && b->items[k].held) {
        k--;
    }
    return k;
}

bool intermediates_want(const Search *s, const Val *vals, uint32_t *like) {
    const Intermediates *b = &s->state->intermediates;
    if (s->task != s->own || s->state->left_out != NULL) { /* in a view, these are not grids of the task */
        return false;
    }
    *like = 0;
    for (uint32_t k = 0; k < s->own->n_train; k++) {
        *like += intermediates_likeness(vals[k], s->own->out[k]);
    }
    return (b->count < INTERMEDIATES_MAX || b->items[worst(b)].like < *like) &&
           !is_known(b, vals, s->own->n, *like);
}

static Val *copy_grids(Search *s, const Val *vals) {
    uint32_t n = s->own->n;
    size_t bytes = n * sizeof *vals;
    for (uint32_t k = 0; k < n; k++) {
        bytes += (size_t)vals[k].n * vals[k].w;
    }
    Val *copy = quota_grow(&s->quota, NULL, bytes, 1);
    int8_t *cells = copy != NULL ? (int8_t *)(copy + n) : NULL;
    for (uint32_t k = 0; k < n && copy != NULL; k++) {
        size_t size = (size_t)vals[k].n * vals[k].w;
        memcpy(cells, vals[k].b8, size);
        copy[k] = val_grid8(cells, vals[k].n, vals[k].w);
        cells += size;
    }
    return copy;
}

static void drop(Search *s, Intermediate *intermediate) {
    prog_free(intermediate->program);
    quota_free(&s->quota, intermediate->vals);
}

void intermediates_add(Search *s, const Val *vals, uint32_t like, double cost, Program *program) {
    Intermediates *b = &s->state->intermediates;
    Val *copy = program != NULL ? copy_grids(s, vals) : NULL;
    if (copy == NULL) {
        prog_free(program);
        return;
    }
    if (b->count == INTERMEDIATES_MAX) {
        uint32_t out = worst(b);
        ASSERT(!b->items[out].held || out == 0, "an intermediate that is held would go");
        drop(s, &b->items[out]);
        memmove(&b->items[out], &b->items[out + 1], (--b->count - out) * sizeof *b->items);
    }
    uint32_t at = b->count++;
    for (; at > 0 && b->items[at - 1].like < like; at--) {
        b->items[at] = b->items[at - 1];
    }
    b->items[at] = (Intermediate){copy, program, cost, false, like};
    ASSERT(b->count <= INTERMEDIATES_MAX && like <= 1000 * s->own->n_train,
           "intermediate %u of %u, likeness %u", at, b->count, like);
}

uint32_t intermediates_programs(const Search *s, const Program **to, uint32_t max) {
    const Intermediates *b = &s->state->intermediates;
    uint32_t n = b->count < max ? b->count : max;
    for (uint32_t k = 0; k < n; k++) {
        to[k] = b->items[k].program;
    }
    return n;
}

void intermediates_free(Search *s) {
    while (s->state->intermediates.count > 0) {
        drop(s, &s->state->intermediates.items[--s->state->intermediates.count]);
    }
}

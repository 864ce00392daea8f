/* The best grids so far; see bases.h. */
#include "search/bases.h"
#include "search/search.h"

#include <string.h>

static uint32_t likeness(const SearchTask *t, const Val *vals) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < t->n_train; k++) {
        size_t n = (size_t)t->out[k].n * t->out[k].w, right = 0;
        for (size_t c = 0; c < n; c++) {
            right += vals[k].b8[c] == t->out[k].b8[c];
        }
        sum += (uint32_t)(1000 * right / n);
    }
    return sum;
}

/* The last that nothing depends on; 0: all are held. */
static uint32_t worst(const Bases *b) {
    uint32_t k = b->count - 1;
    while (k > 0 && b->items[k].held) {
        k--;
    }
    return k;
}

bool bases_want(const Search *s, const Val *vals, uint32_t *like) {
    const Bases *b = &s->bases;
    if (s->task != s->own) { /* in a view: not grids of the task */
        return false;
    }
    *like = likeness(s->own, vals);
    return b->count < BASES_MOST || b->items[worst(b)].like < *like;
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

static void drop(Search *s, Base *base) {
    prog_free(base->program);
    quota_free(&s->quota, base->vals);
}

void bases_add(Search *s, const Val *vals, uint32_t like, double cost, Program *program) {
    Bases *b = &s->bases;
    Val *copy = program != NULL ? copy_grids(s, vals) : NULL;
    if (copy == NULL) {
        prog_free(program);
        return;
    }
    if (b->count == BASES_MOST) {
        uint32_t out = worst(b);
        drop(s, &b->items[out]);
        memmove(&b->items[out], &b->items[out + 1], (--b->count - out) * sizeof *b->items);
    }
    uint32_t at = b->count++;
    for (; at > 0 && b->items[at - 1].like < like; at--) {
        b->items[at] = b->items[at - 1];
    }
    b->items[at] = (Base){copy, program, cost, false, like};
}

void bases_free(Search *s) {
    while (s->bases.count > 0) {
        drop(s, &s->bases.items[--s->bases.count]);
    }
}

/* The grids of enumeration that come closest to the outputs: where evolution may start. */
#include "search/enumerate.h"

/* Cells of the training outputs that a term has right, in thousandths of each. */
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

uint32_t enumerate_best(Enumerate *e, Program **programs, uint32_t most) {
    enum { MOST = 16 };
    uint32_t best[MOST], like[MOST], count = 0, made = 0;
    most = most < MOST ? most : MOST;
    for (uint32_t k = 0; k < e->n_shaped; k++) {
        uint32_t mine = likeness(e->search->task, e->terms[e->shaped[k]].vals), at = count;
        for (; at > 0 && like[at - 1] < mine; at--) { /* of equals the cheaper one, which came first */
            if (at < most) {
                best[at] = best[at - 1];
                like[at] = like[at - 1];
            }
        }
        if (at < most) {
            best[at] = e->shaped[k];
            like[at] = mine;
            count += count < most;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        Ref *refs = enumerate_refs(e);
        programs[made] = refs != NULL ? enumerate_finish(e, refs, enumerate_ref(e, best[k], refs)) : NULL;
        made += programs[made] != NULL;
    }
    return made;
}

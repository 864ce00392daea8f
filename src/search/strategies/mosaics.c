/* The mosaics strategy: outputs made of one or two cuttings of the input (cuttings.h): turned or
 * recolored, blown up or repeated, copied block by block, or joined cell by cell, each cell of one
 * a block of the other. Sizes refute nearly every choice. */
#include "search/schedule/strategies.h"
#include "search/strategies/mosaics_internal.h"

enum { MAX_OFFERS = 60 };

bool mosaics_may_offer(Mosaics *m) {
    return m->offers++ < MAX_OFFERS;
}

void mosaics_offer(Mosaics *m, Ref at, double cost) {
    search_offer(m->search, search_finish(m->search, at), m->search->tune->mosaics_cost + cost);
}

static bool divides(Val grid, Val out) {
    return out.n % grid.n == 0 && out.w % grid.w == 0;
}

/* Grids are of use if they divide the outputs, as they are or turned, and are not single cells. */
static bool want(const SearchTask *t, const Val *vals) {
    bool as_is = true, turned = true, cell = true;
    for (uint32_t s = 0; s < t->n_train; s++) {
        as_is &= divides(vals[s], t->out[s]);
        turned &= vals[s].w == t->out[s].n && vals[s].n == t->out[s].w;
        cell &= vals[s].n * vals[s].w == 1;
    }
    return (as_is || turned) && !cell;
}

void *strategy_mosaics_open(Search *search) {
    Mosaics *m = quota_grow(&search->quota, NULL, 1, sizeof *m);
    if (m != NULL) {
        *m = (Mosaics){.search = search};
        if (!cuttings_open(search, &m->pool)) {
            quota_free(&search->quota, m);
            m = NULL;
        }
    }
    return m;
}

void strategy_mosaics_close(Search *search, void *of) {
    Mosaics *m = of;
    cuttings_close(search, &m->pool);
    quota_free(&search->quota, m);
}

void strategy_mosaics_run(Search *search, void *of) {
    Mosaics *m = of;
    if (m->done || !cuttings_find(search, &m->pool, want)) {
        return;
    }
    CtxMark mark = ctx_mark(search->ctx);
    bool go_on = true;
    for (uint32_t k = 0; k < m->pool.count && go_on; k++) {
        go_on = mosaics_try_one(m, &m->pool.items[k]);
    }
    m->done = go_on && mosaics_try_joins(m);
    ctx_release(search->ctx, mark);
}

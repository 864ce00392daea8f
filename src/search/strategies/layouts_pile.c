/* Outputs made of objects of their size that lie over each other, cell by cell: by an order of colors that
 * the pairs determine, by which color is most or least frequent, or by how many are not background. */
#include "engine/patterns/mosaic.h"
#include "search/strategies/layouts_internal.h"
#include "search/strategies/mosaics_internal.h"

#include <math.h>
#include <string.h>

typedef struct Pile {
    const LayoutChoice *choice;
    SceneCut cut;
    uint8_t list[SEARCH_MAX_SAMPLES][SCENE_MAX_OBJECTS];
    int32_t count[SEARCH_MAX_SAMPLES];
    SceneFrame size[SEARCH_MAX_SAMPLES];
    uint8_t rank[N_COLORS];
    uint16_t over[N_COLORS]; /* colors that this one must come before */
} Pile;

/* Whether all chosen objects of a sample have one size, in a training pair that of the output, and there are
 * several. */
static bool has_one_size(Layouts *l, Pile *p, uint32_t s) {
    const SearchTask *t = l->o.search->task;
    p->count[s] = layouts_list(l, p->choice, 0, s, p->list[s]);
    for (int32_t k = 0; k < p->count[s]; k++) {
        SceneFrame frame;
        if (!scene_cut(l->o.scenes[s], p->list[s][k], p->cut, &frame)) {
            return false;
        }
        p->size[s] = k == 0 ? frame : p->size[s];
        bool same = frame.h == p->size[s].h && frame.w == p->size[s].w;
        if (!same || (s < t->n_train && (frame.h != (int32_t)t->out[s].n || frame.w != t->out[s].w))) {
            return false;
        }
    }
    return p->count[s] > (s < t->n_train);
}

static void cells_at(const Layouts *l, const Pile *p, uint32_t s, int32_t i, int32_t j, int8_t *cells) {
    for (int32_t k = 0; k < p->count[s]; k++) {
        SceneFrame frame;
        scene_cut(l->o.scenes[s], p->list[s][k], p->cut, &frame);
        cells[k] = scene_cut_color(l->o.scenes[s], p->list[s][k], p->cut, frame.top + i, frame.left + j);
    }
}

/* ---- an order of colors ---- */

/* What the outputs say about which color comes before which; false: they show one that is not there. */
static bool find_over(const Layouts *l, Pile *p) {
    const SearchTask *t = l->o.search->task;
    memset(p->over, 0, sizeof p->over);
    for (uint32_t s = 0; s < t->n_train; s++) {
        for (int32_t k = 0; k < p->size[s].h * p->size[s].w; k++) {
            int8_t cells[SCENE_MAX_OBJECTS], out = t->out[s].b8[k];
            uint16_t set = 0;
            cells_at(l, p, s, k / p->size[s].w, k % p->size[s].w, cells);
            for (int32_t x = 0; x < p->count[s]; x++) {
                set |= (uint16_t)(1u << cells[x]);
            }
            if (!(set >> out & 1)) {
                return false;
            }
            p->over[out] |= (uint16_t)(set & ~(1u << out));
        }
    }
    return true;
}

/* Lists the colors so that each comes before those it lies over, the smallest first where that leaves a
 * choice; only those that lie over another. Returns how many; -1: there is no such order. */
static int order_colors(Pile *p, int64_t *order) {
    uint16_t left = (1u << N_COLORS) - 1;
    int n = 0;
    memset(p->rank, N_COLORS, sizeof p->rank);
    while (left != 0) {
        int next = -1;
        for (int c = 0; c < N_COLORS && next < 0; c++) {
            bool free = left >> c & 1;
            for (int x = 0; x < N_COLORS && free; x++) {
                free = !(left >> x & 1) || !(p->over[x] >> c & 1);
            }
            next = free ? c : next;
        }
        if (next < 0) {
            return -1;
        }
        left &= (uint16_t) ~(1u << next);
        if (p->over[next] != 0) {
            p->rank[next] = (uint8_t)n;
            order[n++] = next;
        }
    }
    return n;
}

/* ---- offers ---- */

static void offer(Layouts *l, const Pile *p, MosaicPile how, Val order, const MosaicMap *map, double units) {
    Search *search = l->o.search;
    Builder *b = &search->builder;
    if (!layouts_may_offer(l)) {
        return;
    }
    build_start(b);
    Ref args[3] = {layouts_list_ref(l, P_object_grids, p->choice, 0, (int32_t)p->cut, 0),
                   build_const(b, val_int(how)), build_const(b, order)};
    Ref at = build_op(b, OP_PRIM, P_mosaic_pile, args, 3, 0, "", 0);
    double cost = layouts_list_cost(l, p->choice, 0) +
                  search->tune->layouts_scale * (units + (p->cut != CUT_BOX ? 1 : 0));
    if (map != NULL) {
        at = mosaics_map_ref(search, at, map);
        cost += mosaics_map_cost(search, map);
    }
    search_offer(search, search_finish(search, at), cost);
}

static void try_order(Layouts *l, Pile *p) {
    int64_t order[N_COLORS];
    if (!find_over(l, p)) {
        return;
    }
    int n = order_colors(p, order);
    if (n > 0) {
        double choices = lgamma(n + 1) / log(2); /* orders there could have been */
        offer(l, p, PILE_ORDER, val_ints(l->o.search->ctx, order, (uint32_t)n), NULL, 2 + choices);
    }
}

static void try_counts(Layouts *l, Pile *p, MosaicPile how) {
    const SearchTask *t = l->o.search->task;
    Val piled[SEARCH_MAX_SAMPLES];
    MosaicMap map;
    CtxMark mark = ctx_mark(l->o.search->ctx);
    for (uint32_t s = 0; s < t->n_train; s++) {
        int32_t area = p->size[s].h * p->size[s].w, counts[N_COLORS] = {0};
        int8_t *to = ctx_alloc(l->o.search->ctx, (size_t)area), cells[SCENE_MAX_OBJECTS];
        if (to == NULL) {
            return;
        }
        for (int32_t k = 0; k < area; k++) {
            cells_at(l, p, s, k / p->size[s].w, k % p->size[s].w, cells);
            for (int32_t x = 0; x < p->count[s]; x++) {
                counts[cells[x]]++;
            }
        }
        int8_t background = mosaic_background(counts);
        for (int32_t k = 0; k < area; k++) {
            cells_at(l, p, s, k / p->size[s].w, k % p->size[s].w, cells);
            to[k] = mosaic_pile(how, cells, (uint32_t)p->count[s], p->rank, background);
        }
        piled[s] = val_grid8(to, (uint32_t)p->size[s].h, (uint32_t)p->size[s].w);
    }
    if (mosaics_learn_map(t, piled, 0, &map)) {
        offer(l, p, how, VAL_EMPTY_TUPLE, &map, 2.5);
    }
    ctx_release(l->o.search->ctx, mark);
}

bool layouts_try_pile(Layouts *l, const LayoutChoice *choice) {
    for (int cut = 0; cut < CUT_COUNT && choice->min > 0; cut++) {
        Pile *p = l->pile;
        bool good = true;
        p->choice = choice;
        p->cut = (SceneCut)cut;
        for (uint32_t s = 0; s < l->o.search->task->n && good; s++) {
            good = has_one_size(l, p, s);
        }
        if (good) {
            try_order(l, p);
            for (int how = PILE_MOST_FREQUENT; how < PILE_WAYS; how++) {
                try_counts(l, p, (MosaicPile)how);
            }
            if (!search_spend(l->o.search, 64)) {
                return false;
            }
        }
    }
    return search_spend(l->o.search, 1);
}

size_t layouts_pile_bytes(void) {
    return sizeof(Pile);
}

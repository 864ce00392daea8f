/* Rules per cell over rectangles of the input that have the outputs' sizes, so that a rule also
 * sees what lies around them. Only a few are tried, because searching for a rule is expensive. */
#include "engine/arcdsl/packed_patch.h"
#include "search/learning/cell_rules.h"
#include "search/strategies/enumerate.h"

typedef struct Owner { /* of the program that is being built */
    Enumerate *e;
    uint32_t term;
    Ref patch; /* the frame */
} Owner;

static bool begin_with_term(void *owner, Ref *at) {
    Owner *o = owner;
    Ref *refs = enumerate_refs(o->e);
    if (refs == NULL) {
        return false;
    }
    *at = o->patch = enumerate_ref(o->e, o->term, refs);
    quota_free(&o->e->search->kept, refs);
    return true;
}

static bool begin_with_frame(void *owner, Ref *at) {
    bool good = begin_with_term(owner, at);
    *at = PARAM_I;
    return good;
}

static Ref cut_frame(void *owner, Ref ruled) {
    Owner *o = owner;
    Ref args[2] = {o->patch, ruled};
    return build_op(&o->e->search->builder, OP_PRIM, P_subgrid, args, 2, 0, "", 0);
}

/* The rectangle of a patch, if it lies in the grid. */
static bool frame_of(Val patch, Val grid, CellsFrame *frame) {
    if (!val_is_keys(patch) || patch.n == 0) {
        return false;
    }
    Box box = keys_box(patch);
    if (box.top < 0 || box.left < 0 || box.bottom >= (int64_t)grid.n || box.right >= grid.w) {
        return false;
    }
    *frame = (CellsFrame){(uint32_t)box.top, (uint32_t)box.left, (uint32_t)(box.bottom - box.top + 1),
                          (uint32_t)(box.right - box.left + 1)};
    return true;
}

static bool frames_of(const Enumerate *e, uint32_t term, CellsFrame *frames) {
    const SearchTask *t = e->search->task;
    for (uint32_t k = 0; k < t->n; k++) {
        if (!frame_of(e->terms[term].vals[k], t->in[k], &frames[k])) {
            return false;
        }
        if (k < t->n_train && (frames[k].h != t->out[k].n || frames[k].w != (uint32_t)t->out[k].w)) {
            return false;
        }
    }
    return true;
}

void enumerate_frame(Enumerate *e, uint32_t term) {
    CellsFrame mine[SEARCH_MAX_SAMPLES], other[SEARCH_MAX_SAMPLES];
    const SearchTask *t = e->search->task;
    if (t->same_size || e->n_framed == sizeof e->framed / sizeof *e->framed || !frames_of(e, term, mine)) {
        return;
    }
    for (uint32_t k = 0; k < e->n_framed; k++) { /* the same rectangles only once */
        bool same = frames_of(e, e->framed[k], other);
        for (uint32_t s = 0; s < t->n && same; s++) {
            same = mine[s].top == other[s].top && mine[s].left == other[s].left && mine[s].h == other[s].h &&
                   mine[s].w == other[s].w;
        }
        if (same) {
            return;
        }
    }
    e->framed[e->n_framed++] = term;
}

static bool wanted(const Enumerate *e) {
    return !search_has_fit(e->search) && !e->search->slice_over;
}

void enumerate_cells(Enumerate *e) {
    Search *s = e->search;
    for (; e->n_framed_done < e->n_framed && wanted(e); e->n_framed_done++) {
        CellsFrame frames[SEARCH_MAX_SAMPLES];
        Owner owner = {e, e->framed[e->n_framed_done], 0};
        if (frames_of(e, owner.term, frames)) {
            cells_try(s,
                      &(CellsSource){.vals = s->task->in,
                                     .frames = frames,
                                     .cost = s->tune->enumerate_scale * e->terms[owner.term].cost,
                                     .begin = begin_with_frame,
                                     .end = cut_frame,
                                     .owner = &owner},
                      1);
        }
    }
}

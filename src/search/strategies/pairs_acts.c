/* What acts would do with the pairs of objects, and whether the outputs agree; see pairs_internal.h. */
#include "search/strategies/objects_internal.h"
#include "search/strategies/pairs_internal.h"

#include <string.h>

/* ---- the acts worth trying ---- */

static void add_act(Pairs *p, SceneActId act, int how, SceneBy by) {
    if (p->n_acts < PAIRS_MAX_ACTS && (by == BY_NOTHING || by == BY_PARTNER)) {
        SceneAct new = {.act = (uint8_t)act,
                        .how = (uint8_t)how,
                        .by = by == BY_PARTNER ? PARTNER_ANCHOR : 0,
                        .color = SOURCE_AS_IS};
        bool colorless = act == ACT_KEEP || act == ACT_DELETE;
        p->acts[p->n_acts] = new;
        p->prices[p->n_acts++] = (ItemAct){colorless          ? ITEM_COLORLESS
                                           : act == ACT_PAINT ? ITEM_PAINTS
                                                              : ITEM_MOVES,
                                           objects_act_cost(&new)};
    }
}

static void list(Pairs *p) {
    static const uint8_t about_anchor[] = {ACT_STAMP, ACT_ADD, ACT_FIT, ACT_DOCK};
    add_act(p, ACT_KEEP, 0, BY_NOTHING);
    add_act(p, ACT_DELETE, 0, BY_NOTHING);
    for (int k = 0; k < REGION_COUNT; k++) {
        add_act(p, ACT_PAINT, k, (SceneBy)scene_regions[k].by);
    }
    for (int k = 0; k < VECTOR_COUNT; k++) {
        if (scene_vectors[k].by == BY_PARTNER) {
            add_act(p, ACT_MOVE, k, BY_PARTNER);
            add_act(p, ACT_COPY, k, BY_PARTNER);
        }
    }
    for (int k = 0; k < MIRROR_COUNT; k++) {
        if (scene_mirrors[k].by == BY_PARTNER) {
            add_act(p, ACT_MIRROR, k, BY_PARTNER);
            add_act(p, ACT_REFLECT, k, BY_PARTNER);
        }
    }
    for (size_t k = 0; k < sizeof about_anchor; k++) {
        add_act(p, (SceneActId)about_anchor[k], 0, BY_PARTNER);
    }
    for (int turn = 1; turn < SCENE_TURNS; turn++) {
        add_act(p, ACT_TURN, turn, BY_NOTHING);
    }
}

/* ---- what they would do ---- */

typedef struct Seen { /* one training pair */
    Scene *scene;
    const int8_t *in, *out;
    uint32_t first;   /* its first pair of objects */
    int16_t *coverer; /* by cell: the only pair that can explain it, or NEED_.. */
    uint32_t *number; /* by cell: of those that changed in all pairs */
} Seen;

enum { NEED_NOT = -3, NEED_OPEN = -2, NEED_MANY = -1 };

static bool cells_of(Pairs *p, const Seen *seen, uint32_t item, const SceneAct *act) {
    scene_aim(seen->scene, p->pair[item].source, p->pair[item].anchor);
    scene_cells_clear(p->scratch);
    return scene_act_cells(seen->scene, p->pair[item].source, act, p->scratch);
}

static bool is_painted(const Pairs *p, const Seen *seen, uint32_t item, int32_t cell) {
    return !p->under || seen->in[cell] == seen->scene->grid.background ||
           seen->scene->label[cell] == p->pair[item].source;
}

/* Whether the output has what the act paints: in one color (*want), or in the source's own (*as_is). */
static bool shows(const Pairs *p, const Seen *seen, uint32_t item, int *want, bool *as_is) {
    *want = WANT_NOTHING;
    *as_is = true;
    for (int32_t k = 0; k < p->scratch->n; k++) {
        int32_t cell = p->scratch->cell[k];
        if (!is_painted(p, seen, item, cell)) {
            continue;
        }
        int8_t out = seen->out[cell];
        *want = *want == WANT_NOTHING || *want == out ? out : WANT_NO;
        *as_is &= p->scratch->color[k] == out;
        if (*want == WANT_NO && !*as_is) {
            return false;
        }
    }
    return true;
}

/* Whether what the source leaves has become background, or something else. */
static bool leaves_well(const Pairs *p, const Seen *seen, uint32_t item, const SceneAct *act) {
    const SceneObject *o = &seen->scene->objects[p->pair[item].source];
    for (int32_t k = 0; k < o->count && scene_act_leaves(act); k++) {
        int32_t at = seen->scene->cells[o->first + k];
        if (!p->scratch->has[at] && seen->out[at] == seen->in[at] &&
            seen->in[at] != seen->scene->grid.background) {
            return false;
        }
    }
    return true;
}

static void try_act(Pairs *p, const Seen *seen, uint32_t item, uint32_t act) {
    size_t slot = (size_t)act * p->n_train + item;
    bool as_is;
    int want;
    p->covers[slot] = 0;
    if (!cells_of(p, seen, item, &p->acts[act])) {
        p->want[slot] = WANT_NOTHING;
        p->as_is[slot] = true;
        scene_cells_clear(p->scratch);
    } else if (!shows(p, seen, item, &want, &as_is) || !leaves_well(p, seen, item, &p->acts[act])) {
        p->want[slot] = WANT_NO;
        p->as_is[slot] = false;
    } else {
        p->want[slot] = (int8_t)want;
        p->as_is[slot] = as_is;
    }
}

static bool is_right(const Pairs *p, size_t slot) {
    return p->want[slot] != WANT_NO || p->as_is[slot];
}

/* Calls for each changed cell that the act explains: painted, or left by the source and now background. */
typedef void EachCell(Pairs *p, const Seen *seen, uint32_t item, uint32_t act, int32_t cell, uint32_t *sum);
static uint32_t each_explained(Pairs *p, const Seen *seen, uint32_t item, uint32_t act, EachCell *each) {
    uint32_t sum = 0;
    for (int32_t k = 0; k < p->scratch->n; k++) {
        int32_t cell = p->scratch->cell[k];
        if (seen->coverer[cell] != NEED_NOT && is_painted(p, seen, item, cell)) {
            each(p, seen, item, act, cell, &sum);
        }
    }
    const SceneObject *o = &seen->scene->objects[p->pair[item].source];
    for (int32_t k = 0; k < o->count && scene_act_leaves(&p->acts[act]); k++) {
        int32_t cell = seen->scene->cells[o->first + k];
        if (!p->scratch->has[cell] && seen->coverer[cell] != NEED_NOT &&
            seen->out[cell] == seen->scene->grid.background) {
            each(p, seen, item, act, cell, &sum);
        }
    }
    return sum;
}

static void note(Pairs *p, const Seen *seen, uint32_t item, uint32_t act, int32_t cell, uint32_t *sum) {
    int16_t *coverer = &seen->coverer[cell], own = (int16_t)(item - seen->first);
    uint32_t need = seen->number[cell];
    p->reach[(size_t)act * p->reach_words + need / 64] |= (uint64_t)1 << need % 64;
    *coverer = (int16_t)(*coverer == NEED_OPEN || *coverer == own ? own : NEED_MANY);
    (*sum)++;
}

static void count_own(Pairs *p, const Seen *seen, uint32_t item, uint32_t act, int32_t cell, uint32_t *sum) {
    (void)p;
    (void)act;
    *sum += seen->coverer[cell] == (int16_t)(item - seen->first);
}

/* Marks and numbers the changed cells. */
static void mark_needs(Pairs *p, Seen *seen) {
    for (int32_t k = 0; k < seen->scene->grid.n; k++) {
        bool need = seen->out[k] != seen->in[k];
        seen->coverer[k] = need ? NEED_OPEN : NEED_NOT;
        seen->number[k] = p->needs;
        p->needs += need;
    }
}

/* Whether an act is already known from other pairs of the same source: two of them show who explains what. */
static bool copy_known(Pairs *p, const Seen *seen, uint32_t item, uint32_t act) {
    const SceneHow *how = scene_how(&p->acts[act]);
    size_t slot = (size_t)act * p->n_train + item;
    if ((how != NULL && how->by == BY_PARTNER) || item < seen->first + 2 ||
        p->pair[item].source != p->pair[item - 2].source) {
        return false;
    }
    p->want[slot] = p->want[slot - 1];
    p->as_is[slot] = p->as_is[slot - 1];
    p->covers[slot] = p->covers[slot - 1];
    return true;
}

/* False: some changed cells no act explains, or no time. */
static bool try_all(Pairs *p, Seen *seen, uint32_t end) {
    for (uint32_t item = seen->first; item < end; item++) {
        for (uint32_t a = 0; a < p->n_acts; a++) {
            size_t slot = (size_t)a * p->n_train + item;
            if (copy_known(p, seen, item, a)) {
                continue;
            }
            try_act(p, seen, item, a);
            if (is_right(p, slot)) {
                p->covers[slot] = (uint16_t)each_explained(p, seen, item, a, note);
            }
        }
        if (!search_spend(p->search,
                          2 + p->n_acts / 8 + (uint64_t)seen->scene->objects[p->pair[item].source].count)) {
            return false;
        }
    }
    for (int32_t k = 0; k < seen->scene->grid.n; k++) {
        if (seen->coverer[k] == NEED_OPEN) {
            return false;
        }
    }
    return true;
}

/* Where an act is right and explains all cells that only this pair can. */
static void find_musts(Pairs *p, const Seen *seen, uint32_t end) {
    uint16_t owed[PAIRS_MAX] = {0};
    for (int32_t k = 0; k < seen->scene->grid.n; k++) {
        if (seen->coverer[k] >= 0) {
            owed[seen->coverer[k]]++;
        }
    }
    for (uint32_t item = seen->first; item < end; item++) {
        uint32_t owes = owed[item - seen->first];
        p->kept[item] = owes == 0;
        for (uint32_t a = 0; a < p->n_acts; a++) {
            size_t slot = (size_t)a * p->n_train + item;
            p->must[slot] = is_right(p, slot) &&
                            (owes == 0 || (p->covers[slot] > 0 && cells_of(p, seen, item, &p->acts[a]) &&
                                           each_explained(p, seen, item, a, count_own) == owes));
        }
    }
}

static void *zeroed(Pairs *p, size_t count, size_t size) {
    void *memory = ctx_alloc(p->search->ctx, count * size);
    return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

bool pairs_list_acts(Pairs *p) {
    const SearchTask *t = p->search->task;
    uint32_t changed = 0;
    list(p);
    for (uint32_t s = 0; s < t->n_train; s++) {
        for (int32_t k = 0; k < p->scenes[s]->grid.n; k++) {
            changed += t->in[s].b8[k] != t->out[s].b8[k];
        }
    }
    size_t slots = (size_t)p->n_acts * p->n_train;
    p->reach_words = changed / 64 + 1;
    p->want = zeroed(p, slots, 1);
    p->as_is = zeroed(p, slots, 1);
    p->must = zeroed(p, slots, 1);
    p->covers = zeroed(p, slots, sizeof *p->covers);
    p->kept = zeroed(p, p->n_train, 1);
    p->reach = zeroed(p, (size_t)p->n_acts * p->reach_words, sizeof *p->reach);
    int16_t *coverer = zeroed(p, FEATURE_MAX_CELLS, sizeof *coverer);
    uint32_t *number = zeroed(p, FEATURE_MAX_CELLS, sizeof *number);
    if (p->want == NULL || p->as_is == NULL || p->must == NULL || p->covers == NULL || p->kept == NULL ||
        p->reach == NULL || coverer == NULL || number == NULL) {
        return false;
    }
    p->needs = 0;
    for (uint32_t s = 0; s < t->n_train; s++) {
        Seen seen = {p->scenes[s], t->in[s].b8, t->out[s].b8, p->first[s], coverer, number};
        mark_needs(p, &seen);
        if (!try_all(p, &seen, p->first[s + 1])) {
            return false;
        }
        find_musts(p, &seen, p->first[s + 1]);
    }
    return changed > 0;
}

/* What acts would do with the objects of the training pairs, and whether the outputs agree. */
#include "search/strategies/objects_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- the acts worth trying ---- */

/* Lists the kinds of partner that some object has, without those that equal another kind for all objects. */
static uint32_t usable_partners(const Objects *o, uint8_t *to) {
    uint32_t n = 0;
    for (int p = 0; p < PARTNER_COUNT; p++) {
        bool any = false, like[PARTNER_COUNT];
        memset(like, true, sizeof like);
        for (uint32_t s = 0; s < o->search->task->n; s++) {
            const Scene *scene = o->scenes[s];
            for (int32_t k = 0; k < scene->count; k++) {
                any |= s < o->search->task->n_train && scene->partners[p][k] >= 0;
                for (uint32_t x = 0; x < n; x++) {
                    like[x] &= scene->partners[to[x]][k] == scene->partners[p][k];
                }
            }
        }
        for (uint32_t x = 0; x < n; x++) {
            any &= !like[x];
        }
        if (any) {
            to[n++] = (uint8_t)p;
        }
    }
    return n;
}

static void add_act(Objects *o, SceneActId act, int how, int by, int by2) {
    if (o->n_acts < OBJECTS_MAX_ACTS) {
        o->acts[o->n_acts++] = (SceneAct){.act = (uint8_t)act,
                                          .how = (uint8_t)how,
                                          .by = (int16_t)by,
                                          .by2 = (int16_t)by2,
                                          .color = SOURCE_AS_IS};
    }
}

/* Adds an act for each argument that the row takes. */
static void add_row(Objects *o, SceneActId act, int how, SceneBy by, const uint8_t *partners, uint32_t n) {
    switch (by) {
    case BY_NOTHING:
        add_act(o, act, how, 0, 0);
        break;
    case BY_DIRECTION:
    case BY_WAYS:
        for (int k = 0; k < (by == BY_WAYS ? WAYS_COUNT : DIRECTION_COUNT); k++) {
            add_act(o, act, how, k, 0);
        }
        for (int k = BEARING_FIRST; k < (by == BY_WAYS ? BEARING_END : (int)BEARING_PAIRS); k++) {
            add_act(o, act, how, k, 0);
        }
        break;
    case BY_PARTNER:
        for (uint32_t k = 0; k < n; k++) {
            add_act(o, act, how, partners[k], 0);
        }
        break;
    default:
        break;
    }
}

/* ---- shifts seen in the pairs ---- */

typedef struct Shift {
    int16_t di, dj;
    uint32_t seen; /* objects */
} Shift;

enum { MAX_SHIFTS = 24, SHIFT_ROOM = 512 };

/* Is an object's picture in the output, shifted, where the input did not have all of it? */
static bool picture_at(const Scene *s, const SceneObject *object, const int8_t *out, int32_t di, int32_t dj) {
    const GridAnalysis *b = &s->grid;
    bool changed = false, inside = false;
    for (int32_t k = 0; k < object->count; k++) {
        int32_t at = s->cells[object->first + k], i = at / b->w + di, j = at % b->w + dj;
        if (analysis_color(b, i, j) >= 0) {
            int32_t to = i * b->w + j;
            if (out[to] != b->c[at]) {
                return false;
            }
            inside = true;
            changed |= b->c[to] != out[to];
        }
    }
    return inside && changed;
}

static void note_shift(Shift *shifts, uint32_t *n, int32_t di, int32_t dj) {
    uint32_t k = 0;
    while (k < *n && (shifts[k].di != di || shifts[k].dj != dj)) {
        k++;
    }
    if (k < SHIFT_ROOM) {
        shifts[k] = k < *n ? shifts[k] : (Shift){(int16_t)di, (int16_t)dj, 0};
        shifts[k].seen++;
        *n += k == *n;
    }
}

static int by_seen(const void *a, const void *b) {
    const Shift *x = a, *y = b;
    int far_x = abs(x->di) + abs(x->dj), far_y = abs(y->di) + abs(y->dj);
    return x->seen != y->seen ? (x->seen > y->seen ? -1 : 1)
           : far_x != far_y   ? far_x - far_y
           : x->di != y->di   ? x->di - y->di
                              : x->dj - y->dj;
}

static bool add_shifts(Objects *o) {
    Shift shifts[SHIFT_ROOM];
    uint32_t n = 0;
    for (uint32_t s = 0; s < o->search->task->n_train; s++) {
        const Scene *scene = o->scenes[s];
        const int8_t *out = o->search->task->out[s].b8;
        for (int32_t k = 0; k < scene->count; k++) {
            const SceneObject *object = &scene->objects[k];
            if (object->count * 2 > scene->grid.n) {
                continue;
            }
            for (int32_t top = 0; top + scene_height(object) <= scene->grid.h; top++) {
                for (int32_t left = 0; left + scene_width(object) <= scene->grid.w; left++) {
                    if (picture_at(scene, object, out, top - object->top, left - object->left)) {
                        note_shift(shifts, &n, top - object->top, left - object->left);
                    }
                }
            }
            if (!search_spend(o->search, (uint64_t)scene->grid.n / 16)) {
                return false;
            }
        }
    }
    qsort(shifts, n, sizeof *shifts, by_seen);
    for (uint32_t k = 0; k < n && k < MAX_SHIFTS; k++) {
        add_act(o, ACT_MOVE, VECTOR_BY, shifts[k].di, shifts[k].dj);
        add_act(o, ACT_COPY, VECTOR_BY, shifts[k].di, shifts[k].dj);
        add_act(o, ACT_REPEAT, VECTOR_BY, shifts[k].di, shifts[k].dj);
    }
    return true;
}

static bool list(Objects *o) {
    uint8_t partners[PARTNER_COUNT];
    uint32_t n = usable_partners(o, partners);
    o->acts = ctx_alloc(o->search->ctx, OBJECTS_MAX_ACTS * sizeof *o->acts);
    if (o->acts == NULL) {
        return false;
    }
    add_act(o, ACT_KEEP, 0, 0, 0);
    add_act(o, ACT_DELETE, 0, 0, 0);
    for (int k = 0; k < REGION_CROSSING; k++) { /* those after it need a chosen anchor: see pairs_acts.c */
        add_row(o, ACT_PAINT, k, (SceneBy)scene_regions[k].by, partners, n);
    }
    for (int k = 0; k < SLIDE_COUNT; k++) {
        add_row(o, ACT_SLIDE, k, (SceneBy)scene_slides[k].by, partners, n);
    }
    for (int turn = 1; turn < SCENE_TURNS; turn++) {
        add_act(o, ACT_TURN, turn, 0, 0);
    }
    for (int k = 0; k < MIRROR_COUNT; k++) {
        add_row(o, ACT_MIRROR, k, (SceneBy)scene_mirrors[k].by, partners, n);
        add_row(o, ACT_REFLECT, k, (SceneBy)scene_mirrors[k].by, partners, n);
    }
    add_row(o, ACT_STAMP, 0, BY_PARTNER, partners, n);
    add_row(o, ACT_ADD, 0, BY_PARTNER, partners, n);
    if (!add_shifts(o)) {
        return false;
    }
    for (int k = 0; k < VECTOR_COUNT; k++) {
        add_row(o, ACT_MOVE, k, (SceneBy)scene_vectors[k].by, partners, n);
        add_row(o, ACT_COPY, k, (SceneBy)scene_vectors[k].by, partners, n);
        if (scene_vectors[k].by == BY_DIRECTION) {
            add_row(o, ACT_REPEAT, k, BY_DIRECTION, partners, n);
        }
    }
    return true;
}

/* ---- what they would do ---- */

typedef struct SeenPair { /* one training pair */
    const Scene *scene;
    const int8_t *in, *out;
    int16_t *coverer; /* by cell: the only object that can paint it, or NEED_.. */
    uint32_t *number; /* by cell: of those that must be painted in all pairs */
    /* by cell: whether an object other than its own, if only one, may have painted it; NULL: none may */
    const int16_t *painter;
} SeenPair;

enum { NEED_NOT = -3, NEED_OPEN = -2, NEED_MANY = -1 };

/* Marks and numbers the changed cells that an act has to paint: not those that become background where an
 * object was. Returns how many there are so far. */
static uint32_t mark_needs(SeenPair *p, uint32_t needs) {
    const GridAnalysis *b = &p->scene->grid;
    for (int32_t k = 0; k < b->n; k++) {
        bool left = p->out[k] == b->background && p->scene->label[k] >= 0;
        bool need = p->out[k] != p->in[k] && !left;
        p->coverer[k] = need ? NEED_OPEN : NEED_NOT;
        p->number[k] = needs;
        needs += need;
    }
    return needs;
}

/* Whether a cell of an object is as it was, or another object may have painted it. */
static bool cell_stays(const SeenPair *p, int32_t number, int32_t cell) {
    return p->in[cell] == p->out[cell] ||
           (p->painter != NULL && p->painter[cell] != NEED_OPEN && p->painter[cell] != number);
}

static bool stays(const SeenPair *p, int32_t number) {
    const SceneObject *object = &p->scene->objects[number];
    for (int32_t k = 0; k < object->count; k++) {
        if (!cell_stays(p, number, p->scene->cells[object->first + k])) {
            return false;
        }
    }
    return true;
}

/* Finds in the output where a sliding object came to rest: its cells are not background there, but have its
 * colors or one color, and its next step is blocked. `any`: they may have any colors. The cells go to `to`;
 * false: nowhere. */
static bool slid_to(const SeenPair *p, int32_t number, int direction, bool any, SceneCells *to) {
    const GridAnalysis *b = &p->scene->grid;
    const SceneObject *object = &p->scene->objects[number];
    int32_t di = scene_di(direction), dj = scene_dj(direction);
    for (int32_t steps = 0; steps <= b->h + b->w; steps++) {
        bool fits = true, blocked = false, own = true, one = true;
        int8_t first = -1;
        for (int32_t k = 0; k < object->count && fits; k++) {
            int32_t at = p->scene->cells[object->first + k];
            int32_t i = at / b->w + steps * di, j = at % b->w + steps * dj;
            if (analysis_color(b, i, j) < 0) {
                return false;
            }
            int8_t c = p->out[i * b->w + j];
            first = k == 0 ? c : first;
            own &= c == b->c[at];
            one &= c == first;
            fits = c != b->background && (own || one || any);
        }
        if (!fits) {
            continue;
        }
        scene_cells_clear(to);
        for (int32_t k = 0; k < object->count; k++) {
            int32_t at = p->scene->cells[object->first + k];
            scene_cells_add(to, at + (steps * di) * b->w + steps * dj, b->c[at]);
        }
        for (int32_t k = 0; k < object->count && !blocked; k++) {
            int32_t i = to->cell[k] / b->w + di, j = to->cell[k] % b->w + dj;
            blocked = analysis_color(b, i, j) < 0 ||
                      (!to->has[i * b->w + j] && p->out[i * b->w + j] != b->background);
        }
        if (blocked) {
            return true;
        }
    }
    return false;
}

/* The cells that the act paints; false: it cannot be done. *wrong: it can, but the output does not show
 * it. */
static bool cells_of(Objects *o, const SeenPair *p, int32_t number, const SceneAct *act, bool *wrong) {
    scene_cells_clear(o->scratch);
    *wrong = false;
    if (act->act == ACT_SLIDE) {
        int direction = scene_slide_direction(p->scene, number, act);
        *wrong = direction >= 0 && !slid_to(p, number, direction, o->lenient, o->scratch);
        return direction >= 0;
    }
    return scene_act_cells(p->scene, number, act, o->scratch);
}

/* Is the rest of the object as the act leaves it? If it moves, others may have taken its place. */
static bool rest_is_right(const Objects *o, const SeenPair *p, int32_t number, const SceneAct *act) {
    const SceneObject *object = &p->scene->objects[number];
    bool moves = act->act == ACT_MOVE || act->act == ACT_SLIDE || act->act == ACT_MIRROR;
    for (int32_t k = 0; k < object->count; k++) {
        int32_t at = p->scene->cells[object->first + k];
        if (o->scratch->has[at]) {
            continue;
        }
        bool right = scene_act_leaves(act)
                         ? p->out[at] == p->scene->grid.background || moves || p->out[at] != p->in[at]
                         : cell_stays(p, number, at);
        if (!right) {
            return false;
        }
    }
    return true;
}

/* Moves that are known to be wrong for an object: many ways to say how far come to the same. */
enum { FAR = 32 };
typedef struct ObjectsWrong {
    bool moves[2][2 * FAR][2 * FAR]; /* copies or not; rows and columns, from the middle of the table */
} ObjectsWrong;

/* How far an act moves an object, at first; false: it does not. *known: the place of this move in the table;
 * NULL: it has none. */
static bool moves_by(const SeenPair *p, int32_t number, const SceneAct *act, ObjectsWrong *wrong, int32_t *di,
                     int32_t *dj, bool **known) {
    bool copies = act->act == ACT_COPY || act->act == ACT_REPEAT;
    *known = NULL;
    if ((act->act != ACT_MOVE && !copies) || !scene_vector(p->scene, number, act, di, dj) ||
        (*di == 0 && *dj == 0)) {
        return false;
    }
    if (act->act != ACT_REPEAT && abs(*di) < FAR && abs(*dj) < FAR) {
        *known = &wrong->moves[copies][*di + FAR][*dj + FAR];
    }
    return true;
}

/* Whether the output has an object, moved so far, neither in its colors nor in one color. */
static bool is_elsewhere(const SeenPair *p, int32_t number, int32_t di, int32_t dj) {
    const GridAnalysis *b = &p->scene->grid;
    const SceneObject *object = &p->scene->objects[number];
    int8_t first = -1;
    bool own = true, one = true;
    for (int32_t k = 0; k < object->count && (own || one); k++) {
        int32_t at = p->scene->cells[object->first + k], i = at / b->w + di, j = at % b->w + dj;
        if (analysis_color(b, i, j) >= 0) {
            int8_t c = p->out[i * b->w + j];
            own &= c == b->c[at];
            one &= first < 0 || c == first;
            first = c;
        }
    }
    return !own && !one;
}

/* Whether the output has what the act paints: in one color (*want), or in the object's own (*as_is). */
static bool shows(const Objects *o, const SeenPair *p, int32_t number, int *want, bool *as_is) {
    const Scene *s = p->scene;
    *want = WANT_NOTHING;
    *as_is = true;
    for (int32_t k = 0; k < o->scratch->n; k++) {
        int32_t cell = o->scratch->cell[k];
        if (o->under && s->grid.c[cell] != s->grid.background && s->label[cell] != number) {
            continue;
        }
        if (o->lenient && p->painter != NULL && p->painter[cell] != NEED_OPEN && p->painter[cell] != number &&
            p->in[cell] != p->out[cell]) {
            continue; /* another object may have painted over it */
        }
        int8_t out = p->out[cell];
        *want = *want == WANT_NOTHING || *want == out ? out : WANT_NO;
        *as_is &= o->scratch->color[k] == out;
        if (*want == WANT_NO && !*as_is) {
            return false;
        }
    }
    return true;
}

static void try_act(Objects *o, const SeenPair *p, int32_t number, uint32_t act, size_t slot, bool keeps) {
    bool wrong, as_is;
    int want;
    o->as_is[slot] = false;
    o->covers[slot] = 0;
    o->want[slot] = keeps ? WANT_NOTHING : WANT_NO;
    if (!cells_of(o, p, number, &o->acts[act], &wrong)) {
        o->as_is[slot] = keeps;
        return;
    }
    if (wrong || !shows(o, p, number, &want, &as_is) || !rest_is_right(o, p, number, &o->acts[act])) {
        o->want[slot] = WANT_NO;
        return;
    }
    o->want[slot] = (int8_t)want;
    o->as_is[slot] = as_is;
}

/* Finds which objects may have painted the changed cells of others. False: no time, or (*any) there are none.
 */
static bool find_painters(Objects *o, const SeenPair *p, int16_t *painter, bool *any) {
    const GridAnalysis *b = &p->scene->grid;
    *any = false;
    for (int32_t k = 0; k < b->n; k++) {
        *any |= p->coverer[k] == NEED_OPEN && p->scene->label[k] >= 0;
        painter[k] = NEED_OPEN;
    }
    *any = p->scene->count > 1 && (o->lenient || (*any && !o->under));
    for (int32_t n = 0; n < p->scene->count && *any; n++) {
        memset(o->wrong, 0, sizeof *o->wrong);
        for (uint32_t a = 0; a < o->n_acts; a++) {
            bool wrong, as_is;
            int want;
            int32_t di, dj;
            const SceneAct *act = &o->acts[a];
            bool *known, moves = moves_by(p, n, act, o->wrong, &di, &dj, &known);
            if ((known != NULL && *known) || (moves && !o->under && is_elsewhere(p, n, di, dj))) {
                continue;
            }
            if (known != NULL) {
                *known = true; /* the same move again would paint the same */
            }
            if (act->act == ACT_KEEP || act->act == ACT_DELETE || !cells_of(o, p, n, act, &wrong) || wrong ||
                !shows(o, p, n, &want, &as_is)) {
                continue;
            }
            for (int32_t k = 0; k < o->scratch->n; k++) {
                int16_t *who = &painter[o->scratch->cell[k]];
                if (p->scene->label[o->scratch->cell[k]] != n) {
                    *who = (int16_t)(*who == NEED_OPEN || *who == n ? n : NEED_MANY);
                }
            }
        }
        if (!search_spend(o->search, 2 + o->n_acts / 16)) {
            return false;
        }
    }
    return *any;
}

/* Counts the changed cells that the act covers, and notes which object can cover them. */
static void note_cover(Objects *o, const SeenPair *p, int32_t number, size_t slot, uint32_t act) {
    uint64_t *reach = o->reach + (size_t)act * o->reach_words;
    for (int32_t k = 0; k < o->scratch->n; k++) {
        int16_t *coverer = &p->coverer[o->scratch->cell[k]];
        bool free = p->in[o->scratch->cell[k]] == p->scene->grid.background ||
                    p->scene->label[o->scratch->cell[k]] == number;
        if (*coverer != NEED_NOT && (!o->under || free)) {
            uint32_t need = p->number[o->scratch->cell[k]];
            reach[need / 64] |= (uint64_t)1 << need % 64;
            o->covers[slot]++;
            *coverer = (int16_t)(*coverer == NEED_OPEN || *coverer == number ? number : NEED_MANY);
        }
    }
}

static bool is_right(const Objects *o, size_t slot) {
    return o->want[slot] != WANT_NO || o->as_is[slot];
}

/* Does the act paint all cells that only this object can paint? */
static bool pays(Objects *o, const SeenPair *p, int32_t number, const SceneAct *act, const uint16_t *owed) {
    bool wrong;
    uint32_t paid = 0;
    if (owed[number] == 0) {
        return true;
    }
    if (!cells_of(o, p, number, act, &wrong)) {
        return false;
    }
    for (int32_t k = 0; k < o->scratch->n; k++) {
        paid += p->coverer[o->scratch->cell[k]] == number;
    }
    return paid == owed[number];
}

static bool try_object(Objects *o, const SeenPair *p, int32_t number, uint32_t at) {
    bool plain = !o->under && !(o->lenient && p->painter != NULL); /* all that is painted is in the output */
    memset(o->wrong, 0, sizeof *o->wrong);
    for (uint32_t a = 0; a < o->n_acts; a++) {
        size_t slot = (size_t)a * o->n_train + at;
        int32_t di, dj;
        bool *known, moves = moves_by(p, number, &o->acts[a], o->wrong, &di, &dj, &known);
        if ((known != NULL && *known) || (moves && plain && is_elsewhere(p, number, di, dj))) {
            o->want[slot] = WANT_NO;
            o->as_is[slot] = false;
            o->covers[slot] = 0;
            continue;
        }
        try_act(o, p, number, a, slot, o->kept[at]);
        if (is_right(o, slot)) {
            note_cover(o, p, number, slot, a);
        } else if (known != NULL) {
            *known = true;
        }
    }
    return search_spend(o->search, 2 + o->n_acts / 16 +
                                       (uint64_t)o->n_acts * (uint64_t)p->scene->objects[number].count / 128);
}

static bool try_pair(Objects *o, uint32_t sample, SeenPair *p) {
    uint32_t first = o->first[sample];
    uint16_t owed[SCENE_MAX_OBJECTS] = {0};
    int16_t painter[FEATURE_MAX_CELLS];
    bool any;
    uint32_t changed = mark_needs(p, o->changed), unmet = 0;
    p->painter = find_painters(o, p, painter, &any) ? painter : NULL;
    for (int32_t k = 0; k < p->scene->count; k++) {
        o->kept[first + (uint32_t)k] = stays(p, k);
    }
    for (int32_t k = 0; k < p->scene->count; k++) {
        if (!try_object(o, p, k, first + (uint32_t)k)) {
            return false;
        }
    }
    for (int32_t k = 0; k < p->scene->grid.n; k++) {
        unmet += p->coverer[k] == NEED_OPEN; /* nobody can paint it */
        if (p->coverer[k] >= 0) {
            owed[p->coverer[k]]++;
        }
    }
    o->unmet += unmet;
    o->needs += changed - o->changed - unmet;
    o->changed = changed;
    if (unmet > 0 && !o->partial) {
        return false;
    }
    for (uint32_t a = 0; a < o->n_acts; a++) {
        for (int32_t k = 0; k < p->scene->count; k++) {
            size_t slot = (size_t)a * o->n_train + first + (uint32_t)k;
            o->must[slot] = is_right(o, slot) && pays(o, p, k, &o->acts[a], owed);
        }
    }
    for (int32_t k = 0; k < p->scene->count; k++) {
        o->kept[first + (uint32_t)k] &= owed[k] == 0;
    }
    return true;
}

/* In a partial explanation, what no act explains stays as it is. */
static void let_stay(Objects *o) {
    for (uint32_t k = 0; k < o->n_train; k++) {
        bool any = false;
        for (uint32_t a = 0; a < o->n_acts && !any; a++) {
            any = o->must[(size_t)a * o->n_train + k];
        }
        if (!any) {
            o->must[k] = o->as_is[k] = o->kept[k] = true; /* the first act is to do nothing */
            o->want[k] = WANT_NOTHING;
        }
    }
}

bool objects_list_acts(Objects *o) {
    Ctx *ctx = o->search->ctx;
    const SearchTask *t = o->search->task;
    if (!list(o)) {
        return false;
    }
    size_t slots = (size_t)o->n_acts * o->n_train;
    o->want = ctx_alloc(ctx, slots);
    o->as_is = ctx_alloc(ctx, slots);
    o->must = ctx_alloc(ctx, slots);
    o->covers = ctx_alloc(ctx, slots * sizeof *o->covers);
    o->kept = ctx_alloc(ctx, o->n_train);
    o->wrong = ctx_alloc(ctx, sizeof *o->wrong);
    int16_t *coverer = ctx_alloc(ctx, FEATURE_MAX_CELLS * sizeof *coverer);
    uint32_t *number = ctx_alloc(ctx, FEATURE_MAX_CELLS * sizeof *number), changed = 0;
    for (uint32_t s = 0; s < t->n_train; s++) {
        for (int32_t k = 0; k < o->scenes[s]->grid.n; k++) {
            changed += t->in[s].b8[k] != t->out[s].b8[k];
        }
    }
    o->reach_words = changed / 64 + 1;
    o->reach = ctx_alloc(ctx, (size_t)o->n_acts * o->reach_words * sizeof *o->reach);
    if (o->want == NULL || o->as_is == NULL || o->must == NULL || o->covers == NULL || o->kept == NULL ||
        coverer == NULL || number == NULL || o->reach == NULL || o->wrong == NULL) {
        return false;
    }
    memset(o->reach, 0, (size_t)o->n_acts * o->reach_words * sizeof *o->reach);
    o->needs = o->unmet = o->changed = 0;
    for (uint32_t s = 0; s < t->n_train; s++) {
        SeenPair p = {o->scenes[s], t->in[s].b8, t->out[s].b8, coverer, number, NULL};
        if (!try_pair(o, s, &p)) {
            return false;
        }
    }
    if (o->partial) {
        let_stay(o);
    }
    return o->needs >= o->unmet;
}

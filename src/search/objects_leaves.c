/* Acts with colors: the leaves of rules over objects, and where each is right. */
#include "search/objects_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 2 * OBJECTS_MOST / 64, COLORS = BOARD_COLORS };

/* For each source of colors, the objects for which it names a color, and those for which it names none. */
typedef struct Sources {
    uint64_t names[OBJECTS_SOURCES][COLORS + 1][OBJECTS_MOST / 64];
    int16_t list[OBJECTS_SOURCES];
    double cost[OBJECTS_SOURCES];
    uint32_t n;
} Sources;

static double source_cost(const Objects *o, int source) {
    if (source < COLORS) {
        return 1 + log2(__builtin_popcount(o->search->task->out_colors));
    }
    return source >= SOURCE_PARTNER ? 0.5 + scene_partners[source - SOURCE_PARTNER].cost
                                    : scene_sources[source - SOURCE_FIRST - 1].cost;
}

/* A source that names the same colors as a cheaper one for all objects, those of the tests too, is left
 * out. */
static bool is_new(const Objects *o, const Sources *sources, const int8_t (*colors)[2 * OBJECTS_MOST],
                   const int8_t *mine) {
    for (uint32_t k = 0; k < sources->n; k++) {
        if (memcmp(colors[sources->list[k]], mine, o->n) == 0) {
            return false;
        }
    }
    return true;
}

static void list_sources(Objects *o, Sources *to, int8_t (*colors)[2 * OBJECTS_MOST]) {
    int16_t order[OBJECTS_SOURCES];
    uint32_t n = 0;
    for (int source = 0; source < OBJECTS_SOURCES; source++) {
        if (source < COLORS ? o->search->task->out_colors >> source & 1
                            : source < SOURCE_END || source >= SOURCE_PARTNER) {
            uint32_t at = n++;
            for (; at > 0 && source_cost(o, order[at - 1]) > source_cost(o, source); at--) {
                order[at] = order[at - 1];
            }
            order[at] = (int16_t)source;
        }
    }
    memset(to, 0, sizeof *to);
    for (uint32_t x = 0; x < n; x++) {
        int source = order[x];
        for (uint32_t k = 0; k < o->n; k++) {
            const Scene *s = o->scenes[o->sample[k]];
            colors[source][k] = scene_color(s, (int32_t)(k - o->first[o->sample[k]]), source);
        }
        /* AS_IS always stays: for what moves it means more than one color */
        if (source == SOURCE_AS_IS ||
            is_new(o, to, (const int8_t(*)[2 * OBJECTS_MOST]) colors, colors[source])) {
            to->cost[to->n] = source_cost(o, source);
            to->list[to->n] = (int16_t)source;
            for (uint32_t k = 0; k < o->n_train; k++) {
                int8_t c = colors[source][k];
                to->names[to->n][c < 0 ? COLORS : c][k / 64] |= (uint64_t)1 << k % 64;
            }
            to->n++;
        }
    }
}

static double act_cost(const Objects *o, const SceneAct *act) {
    static const double by_cost[] = {[BY_NOTHING] = 0, [BY_DIRECTION] = 2.5, [BY_WAYS] = 3};
    const SceneHow *how = scene_how(act);
    double cost = scene_acts[act->act].cost;
    (void)o;
    if (how == NULL) {
        return cost + (act->act == ACT_TURN ? 2 : 0);
    }
    cost += how->cost;
    if (how->by == BY_PARTNER) {
        return cost + scene_partners[act->by].cost;
    }
    return how->by == BY_PAIR ? cost + 1 + log2(1 + abs(act->by)) + log2(1 + abs(act->by2))
                              : cost + by_cost[how->by];
}

typedef struct Made { /* a leaf before sorting */
    ObjectsLeaf leaf;
    uint64_t right[OBJECTS_MOST / 64];
} Made;

static int by_cost(const void *a, const void *b) {
    const ObjectsLeaf *x = &((const Made *)a)->leaf, *y = &((const Made *)b)->leaf;
    return x->cost != y->cost ? (x->cost < y->cost ? -1 : 1)
           : x->act != y->act ? x->act - y->act
                              : x->source - y->source;
}

/* Objects by the color that the act wants there; any: those where any color is right. */
typedef struct Wanted {
    uint64_t color[COLORS][OBJECTS_MOST / 64], any[OBJECTS_MOST / 64], as_is[OBJECTS_MOST / 64];
    uint64_t some; /* anything at all */
} Wanted;

static void gather_wanted(const Objects *o, uint32_t act, Wanted *to) {
    memset(to, 0, sizeof *to);
    for (uint32_t k = 0; k < o->n_train; k++) {
        size_t slot = (size_t)act * o->n_train + k;
        uint64_t bit = (uint64_t)1 << k % 64;
        if (!o->must[slot]) {
            continue;
        }
        to->some = 1;
        to->as_is[k / 64] |= o->as_is[slot] ? bit : 0;
        if (o->want[slot] >= 0) {
            to->color[o->want[slot]][k / 64] |= bit;
        } else if (o->want[slot] == WANT_NOTHING) {
            to->any[k / 64] |= bit;
        }
    }
}

/* The objects for which the act with a source's colors is right. False: there are none. */
static bool where_right(const Objects *o, const SceneAct *act, const Wanted *wanted, const Sources *sources,
                        uint32_t source, const uint64_t *kept, uint64_t *right) {
    bool moves = act->act != ACT_PAINT && sources->list[source] == SOURCE_AS_IS;
    uint64_t any = 0;
    for (uint32_t w = 0; w < o->train_words; w++) {
        right[w] = wanted->any[w] | (kept[w] & sources->names[source][COLORS][w]);
        if (moves) {
            right[w] |= wanted->as_is[w];
        } else {
            for (int c = 0; c < COLORS; c++) {
                right[w] |= wanted->color[c][w] & sources->names[source][c][w];
            }
        }
        any |= right[w];
    }
    return any != 0;
}

/* A few leaves with the same bits are kept: they differ on the tests, and one of them may be meant. */
static bool worth_keeping(const Objects *o, const Made *made, uint32_t n, const uint64_t *right) {
    enum { MOST_ALIKE = 3 };
    uint32_t alike = 0;
    for (uint32_t k = 0; k < n && alike < MOST_ALIKE; k++) {
        alike += memcmp(made[k].right, right, o->train_words * sizeof *right) == 0;
    }
    return alike < MOST_ALIKE;
}

static bool store_leaves(Objects *o, const Made *made, uint32_t n) {
    Ctx *ctx = o->search->ctx;
    o->leaf_words = n / 64 + 1;
    o->leaves = ctx_alloc(ctx, n * sizeof *o->leaves);
    o->right = ctx_alloc(ctx, (size_t)o->n_train * o->leaf_words * sizeof *o->right);
    if (o->leaves == NULL || o->right == NULL) {
        return false;
    }
    memset(o->right, 0, (size_t)o->n_train * o->leaf_words * sizeof *o->right);
    for (uint32_t k = 0; k < n; k++) {
        o->leaves[k] = made[k].leaf;
        for (uint32_t x = 0; x < o->n_train; x++) {
            o->right[x * o->leaf_words + k / 64] |= (made[k].right[x / 64] >> x % 64 & 1) << k % 64;
        }
    }
    o->n_leaves = n;
    return n > 0;
}

bool objects_make_leaves(Objects *o) {
    enum { ROOM = 4 * OBJECTS_MOST_LEAVES };
    Ctx *ctx = o->search->ctx;
    Sources *sources = ctx_alloc(ctx, sizeof *sources);
    int8_t(*colors)[2 * OBJECTS_MOST] = ctx_alloc(ctx, OBJECTS_SOURCES * sizeof *colors);
    Made *made = ctx_alloc(ctx, ROOM * sizeof *made);
    if (sources == NULL || colors == NULL || made == NULL) {
        return false;
    }
    list_sources(o, sources, colors);
    uint64_t kept[OBJECTS_MOST / 64] = {0};
    for (uint32_t k = 0; k < o->n_train; k++) {
        kept[k / 64] |= (uint64_t)o->kept[k] << k % 64;
    }
    uint32_t n = 0;
    for (uint32_t a = 0; a < o->n_acts && n < ROOM; a++) {
        const SceneAct *act = &o->acts[a];
        bool colorless = act->act == ACT_KEEP || act->act == ACT_DELETE;
        Wanted wanted;
        gather_wanted(o, a, &wanted);
        for (uint32_t s = 0; s < sources->n && n < ROOM && wanted.some; s++) {
            Made *m = &made[n];
            if ((colorless && sources->list[s] != SOURCE_AS_IS) ||
                !where_right(o, act, &wanted, sources, s, kept, m->right)) {
                continue;
            }
            /* the act changes nothing wherever it is right */
            if (a > 0 && memcmp(m->right, kept, o->train_words * sizeof *kept) == 0) {
                continue;
            }
            m->leaf = (ObjectsLeaf){(uint16_t)a, sources->list[s],
                                    act_cost(o, act) + (colorless ? 0 : sources->cost[s])};
            n++;
        }
        if (!search_spend(o->search, sources->n / 8)) {
            return false;
        }
    }
    qsort(made, n, sizeof *made, by_cost);
    uint32_t stay = 0;
    for (uint32_t k = 0; k < n && stay < OBJECTS_MOST_LEAVES; k++) {
        if (worth_keeping(o, made, stay, made[k].right)) {
            made[stay++] = made[k];
        }
    }
    return search_spend(o->search, n / 2) && store_leaves(o, made, stay);
}

/* Acts with colors: the leaves of rules over items, and where each is right; see items.h. */
#include "search/learning/items.h"

#include <stdlib.h>
#include <string.h>

enum { COLORS = 10 };

typedef struct Leaves {
    Items *items;
    uint32_t words;  /* of a set of training items */
    uint64_t *names; /* [(source * (COLORS + 1) + color) * words]: where a source names it; last: none */
    uint64_t *wanted, *any, *as_is, *kept;
    uint64_t *idle;  /* where an act neither changes what must be changed nor paints what must be painted */
    uint64_t *right; /* of the leaves made so far */
    ItemLeaf *made;
    uint32_t count, room;
} Leaves;

static uint64_t *names_of(const Leaves *l, uint32_t source, int color) {
    return l->names + (size_t)(source * (COLORS + 1) + (unsigned)color) * l->words;
}

static bool open_leaves(Leaves *l) {
    const Items *items = l->items;
    Ctx *ctx = items->search->ctx;
    size_t set = l->words * sizeof(uint64_t);
    l->room = 4 * ITEMS_MAX_LEAVES;
    l->names = ctx_alloc(ctx, items->n_sources * (COLORS + 1) * set);
    l->wanted = ctx_alloc(ctx, (COLORS + 4) * set);
    l->right = ctx_alloc(ctx, l->room * set);
    l->made = ctx_alloc(ctx, l->room * sizeof *l->made);
    if (l->names == NULL || l->wanted == NULL || l->right == NULL || l->made == NULL) {
        return false;
    }
    l->any = l->wanted + COLORS * l->words;
    l->as_is = l->any + l->words;
    l->kept = l->as_is + l->words;
    l->idle = l->kept + l->words;
    memset(l->names, 0, items->n_sources * (COLORS + 1) * set);
    memset(l->kept, 0, set);
    for (uint32_t k = 0; k < items->n_train; k++) {
        uint64_t bit = (uint64_t)1 << k % 64;
        l->kept[k / 64] |= items->kept[k] ? bit : 0;
        for (uint32_t s = 0; s < items->n_sources; s++) {
            int8_t c = items->sources[s].colors[k];
            names_of(l, s, c < 0 ? COLORS : c)[k / 64] |= bit;
        }
    }
    return true;
}

/* Items by the color that the act wants there; any: those where any color is right. False: it is right
 * nowhere. */
static bool gather_wanted(Leaves *l, uint32_t act) {
    const Items *items = l->items;
    bool some = false;
    memset(l->wanted, 0, (COLORS + 2) * l->words * sizeof *l->wanted);
    memcpy(l->idle, l->kept, l->words * sizeof *l->idle);
    for (uint32_t k = 0; k < items->n_train; k++) {
        size_t slot = (size_t)act * items->n_train + k;
        uint64_t bit = (uint64_t)1 << k % 64;
        if (items->must[slot]) {
            some = true;
            l->idle[k / 64] &= items->covers[slot] > 0 ? ~bit : ~(uint64_t)0;
            l->as_is[k / 64] |= items->as_is != NULL && items->as_is[slot] ? bit : 0;
            if (items->want[slot] >= 0) {
                l->wanted[(size_t)items->want[slot] * l->words + k / 64] |= bit;
            } else if (items->want[slot] == WANT_NOTHING) {
                l->any[k / 64] |= bit;
            }
        }
    }
    return some;
}

/* Whether a new leaf, the last one, is worth having: it does something, and not just what several cheaper
 * sources of the same act do. */
static bool is_useful(const Leaves *l, const uint64_t *right) {
    enum { MAX_ALIKE = 3 };
    uint64_t does = 0;
    uint32_t same = 0;
    for (uint32_t w = 0; w < l->words; w++) {
        does |= right[w] & ~l->idle[w];
    }
    for (uint32_t k = l->count; k-- > 0 && l->made[k].act == l->made[l->count].act && same < MAX_ALIKE;) {
        same += memcmp(right, l->right + (size_t)k * l->words, l->words * sizeof *right) == 0;
    }
    return (does != 0 || l->made[l->count].act == 0) && same < MAX_ALIKE;
}

/* The items for which the act with a source's colors is right. False: there are none. */
static bool where_right(const Leaves *l, const ItemAct *act, uint32_t source, uint64_t *right) {
    bool moves = act->kind != ITEM_PAINTS && l->items->sources[source].own;
    uint64_t some = 0;
    for (uint32_t w = 0; w < l->words; w++) {
        right[w] = l->any[w] | (l->kept[w] & names_of(l, source, COLORS)[w]);
        if (moves) {
            right[w] |= l->as_is[w];
        } else {
            for (int c = 0; c < COLORS; c++) {
                right[w] |= l->wanted[(size_t)c * l->words + w] & names_of(l, source, c)[w];
            }
        }
        some |= right[w];
    }
    return some != 0;
}

typedef struct Order {
    ItemLeaf leaf;
    uint32_t at;
} Order;

static int by_cost(const void *a, const void *b) {
    const ItemLeaf *x = &((const Order *)a)->leaf, *y = &((const Order *)b)->leaf;
    return x->cost != y->cost ? (x->cost < y->cost ? -1 : 1)
           : x->act != y->act ? x->act - y->act
                              : x->source - y->source;
}

static bool alike(const Leaves *l, const Order *a, const Order *b) {
    const Items *items = l->items;
    const uint64_t *x = l->right + (size_t)a->at * l->words, *y = l->right + (size_t)b->at * l->words;
    const uint16_t *covers = items->covers + (size_t)a->leaf.act * items->n_train;
    const uint16_t *other = items->covers + (size_t)b->leaf.act * items->n_train;
    return x[0] == y[0] && memcmp(x, y, l->words * sizeof *x) == 0 &&
           memcmp(covers, other, items->n_train * sizeof *covers) == 0;
}

/* A few leaves that are right for the same items and paint the same are kept: they differ on the tests, and
 * one of them may be meant. */
static bool worth_keeping(const Leaves *l, const Order *order, uint32_t n, const Order *new) {
    enum { MAX_ALIKE = 3 };
    uint32_t same = 0;
    for (uint32_t k = 0; k < n && same < MAX_ALIKE; k++) {
        same += alike(l, &order[k], new);
    }
    return same < MAX_ALIKE;
}

static bool store(Leaves *l, const Order *order, uint32_t n) {
    Items *items = l->items;
    Ctx *ctx = items->search->ctx;
    items->leaf_words = n / 64 + 1;
    items->leaves = ctx_alloc(ctx, n * sizeof *items->leaves);
    items->right = ctx_alloc(ctx, (size_t)items->n_train * items->leaf_words * sizeof *items->right);
    if (items->leaves == NULL || items->right == NULL) {
        return false;
    }
    memset(items->right, 0, (size_t)items->n_train * items->leaf_words * sizeof *items->right);
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t *right = l->right + (size_t)order[k].at * l->words;
        items->leaves[k] = order[k].leaf;
        for (uint32_t w = 0; w < l->words; w++) {
            for (uint64_t rest = right[w]; rest != 0; rest &= rest - 1) {
                uint32_t x = w * 64 + (uint32_t)__builtin_ctzll(rest);
                items->right[(size_t)x * items->leaf_words + k / 64] |= (uint64_t)1 << k % 64;
            }
        }
    }
    items->n_leaves = n;
    return n > 0;
}

static bool sort_and_store(Leaves *l) {
    Search *search = l->items->search;
    Order *order = ctx_alloc(search->ctx, l->count * sizeof *order);
    uint32_t stay = 0;
    if (order == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < l->count; k++) {
        order[k] = (Order){l->made[k], k};
    }
    qsort(order, l->count, sizeof *order, by_cost);
    for (uint32_t k = 0; k < l->count && stay < ITEMS_MAX_LEAVES; k++) {
        if (worth_keeping(l, order, stay, &order[k])) {
            order[stay++] = order[k];
        }
    }
    return search_spend(search, l->count / 2) && store(l, order, stay);
}

bool items_make_leaves(Items *items) {
    Leaves l = {.items = items, .words = (items->n_train + 63) / 64};
    if (items->n_train == 0 || !open_leaves(&l)) {
        return false;
    }
    for (uint32_t a = 0; a < items->n_acts && l.count < l.room; a++) {
        const ItemAct *act = &items->acts[a];
        bool some = gather_wanted(&l, a);
        for (uint32_t s = 0; s < items->n_sources && l.count < l.room && some; s++) {
            uint64_t *right = l.right + (size_t)l.count * l.words;
            if ((act->kind == ITEM_COLORLESS && !items->sources[s].own) || !where_right(&l, act, s, right)) {
                continue;
            }
            l.made[l.count] =
                (ItemLeaf){(uint16_t)a, items->sources[s].number,
                           act->cost + (act->kind == ITEM_COLORLESS ? 0 : items->sources[s].cost)};
            l.count += is_useful(&l, right);
        }
        if (!search_spend(items->search, 1 + items->n_train / 64 + items->n_sources / 8)) {
            return false;
        }
    }
    return l.count > 0 && sort_and_store(&l);
}

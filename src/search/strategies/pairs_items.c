/* Pairs of objects as items of a rule: their attributes, the sources of colors, and what a tree makes of the
 * inputs. */
#include "search/strategies/objects_internal.h"
#include "search/strategies/pairs_internal.h"

#include <math.h>
#include <string.h>

/* ---- attributes ---- */

/* What is asked about source and anchor at low effort. */
static const uint8_t COMMON[] = {
    ATTRIBUTE_COLOR,      ATTRIBUTE_SIZE,         ATTRIBUTE_HEIGHT,     ATTRIBUTE_WIDTH,
    ATTRIBUTE_COLORS,     ATTRIBUTE_HOLES,        ATTRIBUTE_FULL,       ATTRIBUTE_AT_RIM,
    ATTRIBUTE_SIZE_RANK,  ATTRIBUTE_SIZE_RANK_UP, ATTRIBUTE_SAME_COLOR, ATTRIBUTE_HOLDS,
    ATTRIBUTE_SAME_SHAPE, ATTRIBUTE_TOUCHES,      ATTRIBUTE_HELD,       ATTRIBUTE_LINE,
    ATTRIBUTE_OBJECTS,    ATTRIBUTE_COLOR_RANK,   ATTRIBUTE_TALL,       ATTRIBUTE_SAME_SIZE};
/* Those whose agreement between source and anchor may mean something. */
static const uint8_t COMPARED[] = {ATTRIBUTE_SIZE,         ATTRIBUTE_HEIGHT,    ATTRIBUTE_WIDTH,
                                   ATTRIBUTE_HOLES,        ATTRIBUTE_TOP_ROW,   ATTRIBUTE_LEFT_COLUMN,
                                   ATTRIBUTE_SECOND_COLOR, ATTRIBUTE_SAME_SHAPE};
enum {
    ALL_COMMON = sizeof COMMON,
    ALL_COMPARED = sizeof COMPARED,
    MAX_LIST = 2 * ATTRIBUTE_COUNT + RELATION_COUNT
};

static uint32_t list_numbers(const Pairs *p, int16_t *to) {
    uint32_t n = 0;
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < (p->all_attributes ? (int)ATTRIBUTE_COUNT : (int)ALL_COMMON); k++) {
            to[n++] = (int16_t)(side * PAIR_OF_ANCHOR + (p->all_attributes ? k : COMMON[k]));
        }
    }
    for (int k = 0; k < RELATION_COUNT; k++) {
        to[n++] = (int16_t)(PAIR_OF_BOTH + k);
    }
    return n;
}

static TreeAttribute attribute(int16_t number, const int8_t *values) {
    if (number >= PAIR_OF_BOTH) {
        return (TreeAttribute){number, true, pair_relation_costs[number - PAIR_OF_BOTH], values};
    }
    int own = number % PAIR_OF_ANCHOR;
    ASSERT(own < ATTRIBUTE_COUNT, "attribute %d", number);
    const SceneSort *sort = &scene_attributes[own < ATTRIBUTE_COUNT ? own : 0];
    return (TreeAttribute){number, sort->kind == FEATURE_IS_COUNT,
                           sort->cost + (number >= PAIR_OF_ANCHOR ? 0.5 : 0), values};
}

static bool list_attributes(Pairs *p, ItemAlike *alike) {
    Ctx *ctx = p->search->ctx;
    int16_t numbers[MAX_LIST];
    uint32_t n = list_numbers(p, numbers);
    TreeAttribute *list = ctx_alloc(ctx, n * sizeof *list);
    int8_t *values = ctx_alloc(ctx, (size_t)n * p->n);
    if (list == NULL || values == NULL) {
        return false;
    }
    p->items.n_alike = 0;
    for (uint32_t a = 0; a < n; a++, values += p->n) {
        list[a] = attribute(numbers[a], values);
        for (uint32_t k = 0; k < p->n; k++) {
            values[k] =
                pair_attribute(p->scenes[p->sample[k]], numbers[a], p->pair[k].source, p->pair[k].anchor);
        }
        for (uint32_t b = 0; b < a; b++) {
            if (numbers[a] == numbers[b] + PAIR_OF_ANCHOR && numbers[a] < PAIR_OF_BOTH &&
                memchr(COMPARED, numbers[b], ALL_COMPARED) != NULL) {
                alike[p->items.n_alike++] = (ItemAlike){(uint16_t)b, (uint16_t)a};
            }
        }
    }
    p->items.attributes = list;
    p->items.n_attributes = n;
    p->items.alike = alike;
    return search_spend(p->search, (uint64_t)n * p->n / 16);
}

/* ---- sources of colors ---- */

/* Lists them, cheapest first, without those that name the same colors as a cheaper one for all pairs. */
static bool list_sources(Pairs *p) {
    ItemSource all[OBJECTS_SOURCES], *list = ctx_alloc(p->search->ctx, sizeof all);
    int8_t *colors = ctx_alloc(p->search->ctx, (size_t)OBJECTS_SOURCES * p->n);
    uint32_t n = 0, count = 0;
    for (int source = 0; source < OBJECTS_SOURCES && list != NULL; source++) {
        if (source < N_COLORS ? p->search->task->out_colors >> source & 1
                              : source < SOURCE_END || source == SOURCE_PARTNER + PARTNER_ANCHOR) {
            ItemSource new = {(int16_t)source, source == SOURCE_AS_IS, objects_source_cost(p->search, source),
                              NULL};
            uint32_t at = n++;
            for (; at > 0 && all[at - 1].cost > new.cost; at--) {
                all[at] = all[at - 1];
            }
            all[at] = new;
        }
    }
    for (uint32_t x = 0; x < n && colors != NULL; x++) {
        int8_t *to = colors + (size_t)count * p->n;
        bool fresh = true;
        for (uint32_t k = 0; k < p->n; k++) {
            Scene *s = p->scenes[p->sample[k]];
            scene_aim(s, p->pair[k].source, p->pair[k].anchor);
            to[k] = scene_color(s, p->pair[k].source, all[x].number);
        }
        for (uint32_t y = 0; y < count && fresh && !all[x].own; y++) {
            bool one_for_many = all[x].number == SOURCE_MAIN && list[y].own;
            fresh = one_for_many || memcmp(list[y].colors, to, p->n) != 0;
        }
        if (fresh) {
            list[count] = all[x];
            list[count++].colors = to;
        }
    }
    p->items.sources = list;
    p->items.n_sources = count;
    return list != NULL && colors != NULL && search_spend(p->search, (uint64_t)n * p->n / 16);
}

/* ---- trees ---- */

/* Writes what the tree makes of a sample's input to `to`. */
static bool apply(const Pairs *p, const Tree *tree, uint32_t sample, int8_t *to) {
    SceneAct acts[TREE_MAX_NODES] = {{0}};
    SceneDeed deeds[2 * PAIRS_MAX];
    int32_t n = 0;
    for (int16_t k = 0; k < tree->count; k++) {
        if (tree->nodes[k].leaf >= 0) {
            const ItemLeaf *leaf = &p->items.leaves[tree->nodes[k].leaf];
            acts[k] = p->acts[leaf->act];
            acts[k].color = leaf->source;
        }
    }
    for (uint32_t k = p->first[sample]; k < p->first[sample + 1]; k++) {
        int16_t leaf = tree_decide(tree, &p->items.questions, k), node = 0;
        while (tree->nodes[node].leaf != leaf) {
            node++;
        }
        if (acts[node].act != ACT_KEEP) {
            deeds[n++] = (SceneDeed){p->pair[k].source, p->pair[k].anchor, (uint16_t)node};
        }
    }
    scene_apply_pairs(p->scenes[sample], deeds, n, acts, p->under, p->scratch, to);
    return n > 0;
}

static bool fits(void *owner, Tree *tree) {
    Pairs *p = owner;
    const SearchTask *t = p->search->task;
    int8_t to[FEATURE_MAX_CELLS];
    for (uint32_t s = 0; s < t->n_train; s++) {
        apply(p, tree, s, to);
        search_spend(p->search,
                     4 + (p->first[s + 1] - p->first[s]) / 8 + (uint64_t)p->scenes[s]->grid.n / 16);
        if (memcmp(to, t->out[s].b8, (size_t)p->scenes[s]->grid.n) != 0) {
            return false;
        }
    }
    bool acts = true; /* a rule about pairs that the tests have not is none */
    tree->answer = 0;
    for (uint32_t s = t->n_train; s < t->n; s++) {
        acts &= apply(p, tree, s, to);
        tree->answer = items_hash(tree->answer, to, p->scenes[s]->grid.n);
    }
    return acts;
}

bool pairs_find_trees(Pairs *p) {
    const Tunables *tune = p->search->tune;
    ItemAlike alike[ALL_COMPARED];
    p->items = (Items){.search = p->search,
                       .owner = p,
                       .n = p->n,
                       .n_train = p->n_train,
                       .words = (p->n + 63) / 64,
                       .sample = p->sample,
                       .longest_list = 1,
                       .patience = p->patience,
                       .question_cost = tune->objects_question_cost,
                       .backing_cost = tune->objects_backing_cost,
                       .acts = p->prices,
                       .n_acts = p->n_acts,
                       .want = p->want,
                       .as_is = p->as_is,
                       .covers = p->covers,
                       .must = p->must,
                       .kept = p->kept,
                       .needs = p->needs,
                       .reach = p->reach,
                       .reach_words = p->reach_words,
                       .fits = fits};
    return list_attributes(p, alike) && list_sources(p) && items_make_leaves(&p->items) &&
           items_make_questions(&p->items) && items_find_trees(&p->items);
}

static Val leaf_value(void *owner, int16_t number) {
    const Pairs *p = owner;
    const ItemLeaf *leaf = &p->items.leaves[number];
    SceneAct act = p->acts[leaf->act];
    act.color = leaf->source;
    return objects_leaf_value(p->search->ctx, &act);
}

Val pairs_rule(Pairs *p, const Tree *tree) {
    return tree_value(tree, &p->items.questions, leaf_value, p);
}

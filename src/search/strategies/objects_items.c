/* Objects as items of a rule: their attributes, what acts and sources of colors cost, and what a tree makes
 * of the inputs. */
#include "search/strategies/objects_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLORS = N_COLORS };

/* ---- questions ---- */

/* Attributes whose agreement may mean something. */
static const ItemAlike ALIKE[] = {
    {ATTRIBUTE_COLOR, ATTRIBUTE_AROUND_COLOR}, {ATTRIBUTE_COLOR, ATTRIBUTE_INSIDE_COLOR},
    {ATTRIBUTE_SAME_SHAPE, ATTRIBUTE_OBJECTS}, {ATTRIBUTE_SAME_COLOR, ATTRIBUTE_OBJECTS},
    {ATTRIBUTE_TOP_ROW, ATTRIBUTE_BELOW},      {ATTRIBUTE_LEFT_COLUMN, ATTRIBUTE_BESIDE},
    {ATTRIBUTE_TOP_ROW, ATTRIBUTE_LEFT_COLUMN}};

/* The partners whose attributes are asked about at higher effort. */
static const uint8_t PARTNERS[] = {PARTNER_TOUCHING,     PARTNER_HOLDER,     PARTNER_HELD,
                                   PARTNER_NEAREST,      PARTNER_FACING,     PARTNER_TWIN_OTHER,
                                   PARTNER_TURNED_OTHER, PARTNER_SAME_COLOR, PARTNER_LARGER,
                                   PARTNER_OTHER_COLOR,  PARTNER_TURNED_TWIN};
static const uint8_t THEIRS[] = {
    ATTRIBUTE_COLOR, ATTRIBUTE_SIZE,       ATTRIBUTE_HEIGHT,     ATTRIBUTE_WIDTH,      ATTRIBUTE_HOLES,
    ATTRIBUTE_FULL,  ATTRIBUTE_AT_RIM,     ATTRIBUTE_HELD,       ATTRIBUTE_HOLDS,      ATTRIBUTE_SIZE_RANK,
    ATTRIBUTE_TALL,  ATTRIBUTE_SAME_COLOR, ATTRIBUTE_SAME_SHAPE, ATTRIBUTE_COLOR_RANK, ATTRIBUTE_TOUCHES};
enum { OWN_PARTNERS = sizeof PARTNERS, OF_THEM = sizeof THEIRS };

static bool list_attributes(Objects *o) {
    Ctx *ctx = o->search->ctx;
    uint32_t max = ATTRIBUTE_COUNT + (o->of_partners ? OWN_PARTNERS * OF_THEM : 0);
    TreeAttribute *list = ctx_alloc(ctx, max * sizeof *list);
    int8_t *values = ctx_alloc(ctx, (size_t)max * o->n);
    if (list == NULL || values == NULL) {
        return false;
    }
    for (uint32_t a = 0; a < max; a++, values += o->n) {
        int attribute = (int)a, partner = -1;
        if (a >= ATTRIBUTE_COUNT) {
            attribute = THEIRS[(a - ATTRIBUTE_COUNT) % OF_THEM];
            partner = PARTNERS[(a - ATTRIBUTE_COUNT) / OF_THEM];
        }
        int number = attribute + SCENE_OF_PARTNER * (1 + partner);
        list[a] = (TreeAttribute){
            (int16_t)number, scene_attributes[attribute].kind == FEATURE_IS_COUNT,
            scene_attributes[attribute].cost + (partner >= 0 ? scene_partners[partner].cost : 0), values};
        for (uint32_t s = 0; s < o->search->task->n; s++) {
            for (int32_t k = 0; k < o->scenes[s]->count; k++) {
                values[o->first[s] + (uint32_t)k] = scene_attribute(o->scenes[s], number, k);
            }
        }
    }
    o->items.attributes = list;
    o->items.n_attributes = max;
    o->items.alike = ALIKE;
    o->items.n_alike = sizeof ALIKE / sizeof *ALIKE;
    return true;
}

bool objects_make_questions(Objects *o) {
    const Tunables *tune = o->search->tune;
    o->items = (Items){.search = o->search,
                       .owner = o,
                       .n = o->n,
                       .n_train = o->n_train,
                       .words = o->words,
                       .sample = o->sample,
                       .longest_list = 2,
                       .patience = o->patience,
                       .question_cost = tune->objects_question_cost,
                       .backing_cost = tune->objects_backing_cost};
    bool good = list_attributes(o) && items_make_questions(&o->items);
    o->questions = o->items.questions.list;
    o->n_questions = o->items.questions.count;
    return good;
}

/* Being first or second among the objects, from either end, or the odd one out. */
enum { RANKS_ASKED = 2 };

static bool ask_scene(Objects *o, int attribute, int test, int number) {
    TreeQuestions *questions = &o->items.questions;
    SceneCondition condition = {(uint8_t)attribute, (uint8_t)test, number};
    memset(questions->asked, 0, questions->words * sizeof *questions->asked);
    for (uint32_t k = 0; k < o->n; k++) {
        uint32_t s = o->sample[k];
        bool says = scene_meets_one(o->scenes[s], (int32_t)(k - o->first[s]), &condition);
        questions->asked[k / 64] |= (uint64_t)says << k % 64;
    }
    return tree_ask_further(questions,
                            (TreeQuestion){.attribute = (uint16_t)attribute,
                                           .test = (uint8_t)test,
                                           .number = (int16_t)number,
                                           .cost = o->items.question_cost + scene_attributes[attribute].cost +
                                                   (test == SCENE_TEST_ALIKE ? 0.5 : number)});
}

bool objects_ask_ranks(Objects *o) {
    bool go_on = true;
    for (int a = 0; a < ATTRIBUTE_COUNT && go_on; a++) {
        bool counts = scene_attributes[a].kind == FEATURE_IS_COUNT;
        for (int number = 0; number < RANKS_ASKED && go_on && counts; number++) {
            go_on = ask_scene(o, a, SCENE_TEST_MORE, number) && ask_scene(o, a, SCENE_TEST_LESS, number);
        }
        go_on = go_on && ask_scene(o, a, SCENE_TEST_ALIKE, 1);
    }
    o->n_questions = o->items.questions.count;
    return !o->search->slice_over;
}

/* ---- sources of colors ---- */

double objects_source_cost(const Search *search, int source) {
    if (source < COLORS) {
        return 1 + log2(__builtin_popcount(search->task->out_colors));
    }
    return source >= SOURCE_PARTNER ? 0.5 + scene_partners[source - SOURCE_PARTNER].cost
                                    : scene_sources[source - SOURCE_FIRST - 1].cost;
}

/* Lists those that there are, cheapest first. */
static uint32_t order_sources(const Objects *o, int16_t *order) {
    uint32_t n = 0;
    for (int source = 0; source < OBJECTS_SOURCES; source++) {
        if (source < COLORS ? o->search->task->out_colors >> source & 1
                            : source < SOURCE_END || source >= SOURCE_PARTNER) {
            uint32_t at = n++;
            for (; at > 0 &&
                   objects_source_cost(o->search, order[at - 1]) > objects_source_cost(o->search, source);
                 at--) {
                order[at] = order[at - 1];
            }
            order[at] = (int16_t)source;
        }
    }
    return n;
}

/* A source that names the same colors as a cheaper one for all objects, those of the tests too, is left out;
 * but AS_IS always stays: for what moves it means more than one color. */
static bool list_sources(Objects *o) {
    int16_t order[OBJECTS_SOURCES];
    uint32_t n = order_sources(o, order), count = 0;
    ItemSource *list = ctx_alloc(o->search->ctx, n * sizeof *list);
    int8_t *colors = ctx_alloc(o->search->ctx, (size_t)n * o->n);
    if (list == NULL || colors == NULL) {
        return false;
    }
    for (uint32_t x = 0; x < n; x++, colors += o->n) {
        bool own = order[x] == SOURCE_AS_IS, fresh = true;
        for (uint32_t k = 0; k < o->n; k++) {
            const Scene *s = o->scenes[o->sample[k]];
            colors[k] = scene_color(s, (int32_t)(k - o->first[o->sample[k]]), order[x]);
        }
        for (uint32_t y = 0; y < count && fresh && !own; y++) {
            bool other = order[x] == SOURCE_MAIN && list[y].own; /* one color instead of all */
            fresh = other || memcmp(list[y].colors, colors, o->n) != 0;
        }
        if (fresh) {
            list[count++] = (ItemSource){order[x], own, objects_source_cost(o->search, order[x]), colors};
        }
    }
    o->items.sources = list;
    o->items.n_sources = count;
    return true;
}

/* ---- acts ---- */

double objects_act_cost(const SceneAct *act) {
    static const double by_cost[] = {[BY_NOTHING] = 0, [BY_DIRECTION] = 2.5, [BY_WAYS] = 3};
    const SceneHow *how = scene_how(act);
    double cost = scene_acts[act->act].cost;
    if (how == NULL) {
        return cost + (act->act == ACT_TURN ? 2 : 0);
    }
    cost += how->cost;
    if (how->by == BY_PARTNER) {
        return cost + scene_partners[act->by].cost;
    }
    if ((how->by == BY_DIRECTION || how->by == BY_WAYS) && act->by >= BEARING_FIRST) {
        return cost + scene_bearings[act->by - BEARING_FIRST].cost;
    }
    return how->by == BY_PAIR ? cost + 1 + log2(1 + abs(act->by)) + log2(1 + abs(act->by2))
                              : cost + by_cost[how->by];
}

static bool price_acts(Objects *o) {
    ItemAct *acts = ctx_alloc(o->search->ctx, o->n_acts * sizeof *acts);
    for (uint32_t a = 0; a < o->n_acts && acts != NULL; a++) {
        const SceneAct *act = &o->acts[a];
        bool colorless = act->act == ACT_KEEP || act->act == ACT_DELETE;
        acts[a] = (ItemAct){colorless               ? ITEM_COLORLESS
                            : act->act == ACT_PAINT ? ITEM_PAINTS
                                                    : ITEM_MOVES,
                            objects_act_cost(act)};
    }
    o->items.acts = acts;
    o->items.n_acts = o->n_acts;
    return acts != NULL;
}

/* ---- trees ---- */

static SceneAct act_of(const Objects *o, const ItemLeaf *leaf) {
    SceneAct act = o->acts[leaf->act];
    act.color = leaf->source;
    return act;
}

/* Writes what the tree makes of a sample's input to `to`. */
static void apply(const Objects *o, const Tree *tree, uint32_t sample, int8_t *to) {
    SceneAct acts[SCENE_MAX_OBJECTS];
    uint16_t of[SCENE_MAX_OBJECTS];
    const Scene *s = o->scenes[sample];
    for (int32_t k = 0; k < s->count; k++) {
        int16_t leaf = tree_decide(tree, &o->items.questions, o->first[sample] + (uint32_t)k);
        acts[k] = act_of(o, &o->items.leaves[leaf]);
        of[k] = (uint16_t)k;
    }
    scene_apply(s, acts, of, o->under, o->scratch, to);
}

/* Whether it explains the outputs; where some of them cannot be explained, it must not make anything wrong.
 */
static bool fits(void *owner, Tree *tree) {
    Objects *o = owner;
    int8_t to[FEATURE_MAX_CELLS];
    for (uint32_t s = 0; s < o->search->task->n_train; s++) {
        const int8_t *in = o->search->task->in[s].b8, *out = o->search->task->out[s].b8;
        bool right = true;
        apply(o, tree, s, to);
        for (int32_t k = 0; k < o->scenes[s]->grid.n && right; k++) {
            right = to[k] == out[k] || (o->unmet > 0 && to[k] == in[k]);
        }
        search_spend(o->search, 4 + (uint64_t)o->scenes[s]->grid.n / 16);
        if (!right) {
            return false;
        }
    }
    tree->answer = 0;
    for (uint32_t s = o->search->task->n_train; s < o->search->task->n; s++) {
        apply(o, tree, s, to);
        tree->answer = items_hash(tree->answer, to, o->scenes[s]->grid.n);
    }
    return true;
}

bool objects_make(const Objects *o, const Tree *tree, Val *to) {
    for (uint32_t s = 0; s < o->search->task->n; s++) {
        Reason why;
        const GridAnalysis *b = &o->scenes[s]->grid;
        int8_t *cells = grid_buffer(o->search->ctx, b->h, b->w, &why);
        if (cells == NULL) {
            return false;
        }
        apply(o, tree, s, cells);
        to[s] = val_grid8(cells, (uint32_t)b->h, (uint32_t)b->w);
    }
    return true;
}

bool objects_find_trees(Objects *o) {
    Items *items = &o->items;
    items->want = o->want;
    items->as_is = o->as_is;
    items->covers = o->covers;
    items->must = o->must;
    items->kept = o->kept;
    items->needs = o->needs;
    items->reach = o->reach;
    items->reach_words = o->reach_words;
    items->fits = fits;
    items->n_finds = 0;
    return list_sources(o) && price_acts(o) && items_make_leaves(items) && items_find_trees(items);
}

Val objects_leaf_value(Ctx *ctx, const SceneAct *act) {
    Val *parts = val_buffer(ctx, 4);
    if (parts == NULL) {
        return val_fail_budget(ctx);
    }
    const SceneHow *how = scene_how(act);
    parts[0] = val_int(act->act);
    parts[1] = val_int(act->how);
    parts[2] = how != NULL && how->by == BY_PAIR ? val_pair32(act->by, act->by2) : val_int(act->by);
    parts[3] = val_int(act->color);
    return val_tuple(ctx, parts, 4);
}

static Val leaf_value(void *owner, int16_t leaf) {
    Objects *o = owner;
    SceneAct act = act_of(o, &o->items.leaves[leaf]);
    return objects_leaf_value(o->search->ctx, &act);
}

Val objects_rule(Objects *o, const Tree *tree) {
    return tree_value(tree, &o->items.questions, leaf_value, o);
}

/* Questions about objects, and the trees that fit: a leaf, one question, a table of one attribute, or a list
 * of questions each of which settles some objects. */
#include "search/objects_inside.h"

#include <string.h>

/* ---- questions ---- */

/* The question that divides the objects alike; NULL: there is none. */
static ObjectsQuestion *same_question(const Objects *o, const uint64_t *yes) {
    for (uint32_t k = 0; k < o->n_questions; k++) {
        bool same = true, opposite = true;
        for (uint32_t w = 0; w < o->words && (same || opposite); w++) {
            uint64_t tail = w + 1 == o->words && o->n % 64 ? ((uint64_t)1 << o->n % 64) - 1 : ~(uint64_t)0;
            same &= o->questions[k].yes[w] == yes[w];
            opposite &= o->questions[k].yes[w] == (~yes[w] & tail);
        }
        if (same || opposite) {
            return &o->questions[k];
        }
    }
    return NULL;
}

static int8_t attribute_of(const Objects *o, int attribute, uint32_t object) {
    uint32_t s = o->sample[object];
    return o->scenes[s]->attributes[attribute][object - o->first[s]];
}

static double question_cost(const Objects *o, int attribute, int test, int number) {
    double cost = o->search->tune->objects_question_cost + scene_attributes[attribute].cost;
    bool counts = scene_attributes[attribute].kind == FEATURE_IS_COUNT;
    switch (test) {
    case RULE_SAME:
        return cost + scene_attributes[number].cost / 2;
    case SCENE_TEST_MORE:
    case SCENE_TEST_LESS:
        return cost + number;
    case SCENE_TEST_ALIKE:
        return cost + 0.5;
    default:
        return cost + (test == RULE_GREATER ? 0.5 : 0) +
               (!counts      ? 1
                : number > 9 ? 2.5
                : number > 3 ? 1
                             : 0);
    }
}

static bool ask(Objects *o, int attribute, int test, int number) {
    CtxMark mark = ctx_mark(o->search->ctx);
    uint64_t *yes = ctx_alloc(o->search->ctx, o->words * sizeof *yes);
    SceneCondition condition = {(uint8_t)attribute, (uint8_t)test, number};
    uint32_t n_train = 0;
    if (yes == NULL || o->n_questions == OBJECTS_MOST_QUESTIONS) {
        return false;
    }
    memset(yes, 0, o->words * sizeof *yes);
    for (uint32_t k = 0; k < o->n; k++) {
        uint32_t s = o->sample[k];
        bool says = scene_meets_one(o->scenes[s], (int32_t)(k - o->first[s]), &condition);
        yes[k / 64] |= (uint64_t)says << k % 64;
        n_train += says && k < o->n_train;
    }
    ObjectsQuestion asked = {(uint8_t)attribute, (uint8_t)test, (int16_t)number,
                             question_cost(o, attribute, test, number), yes};
    ObjectsQuestion *same = n_train == 0 || n_train == o->n_train ? &asked : same_question(o, yes);
    if (same == NULL) {
        o->questions[o->n_questions++] = asked;
    } else if (asked.cost < same->cost) {
        *same = asked; /* or its opposite, which is no other question */
    } else {
        ctx_release(o->search->ctx, mark);
    }
    return search_spend(o->search, 1 + o->n / 16);
}

static bool ask_numbers(Objects *o, int attribute) {
    bool seen[256] = {false};
    for (uint32_t k = 0; k < o->n; k++) {
        seen[(uint8_t)attribute_of(o, attribute, k)] = true;
    }
    bool counts = scene_attributes[attribute].kind == FEATURE_IS_COUNT;
    for (int number = -1; number < 127; number++) {
        if (seen[(uint8_t)number] && (!ask(o, attribute, RULE_EQUAL, number) ||
                                      (counts && !ask(o, attribute, RULE_GREATER, number)))) {
            return false;
        }
    }
    return true;
}

/* Attributes whose agreement may mean something. */
static const uint8_t ALIKE[][2] = {{ATTRIBUTE_COLOR, ATTRIBUTE_AROUND_COLOR},
                                   {ATTRIBUTE_COLOR, ATTRIBUTE_INSIDE_COLOR},
                                   {ATTRIBUTE_SAME_SHAPE, ATTRIBUTE_OBJECTS},
                                   {ATTRIBUTE_SAME_COLOR, ATTRIBUTE_OBJECTS},
                                   {ATTRIBUTE_TOP, ATTRIBUTE_BELOW},
                                   {ATTRIBUTE_LEFT, ATTRIBUTE_BESIDE},
                                   {ATTRIBUTE_TOP, ATTRIBUTE_LEFT}};

bool objects_make_questions(Objects *o) {
    o->questions = ctx_alloc(o->search->ctx, OBJECTS_MOST_QUESTIONS * sizeof *o->questions);
    if (o->questions == NULL) {
        return false;
    }
    bool go_on = true;
    int asked = 0;
    for (double cost = 1; cost <= 4 && go_on; cost += 0.5) { /* of equal questions the cheapest is kept */
        for (int a = 0; a < ATTRIBUTE_COUNT && go_on; a++) {
            asked += scene_attributes[a].cost == cost;
            go_on = scene_attributes[a].cost != cost || ask_numbers(o, a);
        }
        for (size_t k = 0; k < sizeof ALIKE / sizeof *ALIKE && go_on && cost == 3; k++) {
            go_on = ask(o, ALIKE[k][0], RULE_SAME, ALIKE[k][1]);
        }
    }
    ASSERT(!go_on || asked == ATTRIBUTE_COUNT, "%d of %d attributes cost 1 to 4 bits", asked,
           ATTRIBUTE_COUNT);
    return !o->search->look_over;
}

/* Being first or second among the objects, from either end, or the odd one out. */
enum { RANKS_ASKED = 2 };

bool objects_ask_ranks(Objects *o) {
    bool go_on = true;
    for (int a = 0; a < ATTRIBUTE_COUNT && go_on; a++) {
        bool counts = scene_attributes[a].kind == FEATURE_IS_COUNT;
        for (int number = 0; number < RANKS_ASKED && go_on && counts; number++) {
            go_on = ask(o, a, SCENE_TEST_MORE, number) && ask(o, a, SCENE_TEST_LESS, number);
        }
        go_on = go_on && ask(o, a, SCENE_TEST_ALIKE, 1);
    }
    return !o->search->look_over;
}

/* ---- leaves for a set of objects ---- */

enum { MOST_CHOICES = 6, LEAF_WORDS = OBJECTS_MOST_LEAVES / 64 + 1 };

typedef struct Choices { /* cheapest first; none covers less than those before it */
    int16_t leaf[MOST_CHOICES];
    uint32_t covers[MOST_CHOICES];
    uint32_t n;
} Choices;

static uint32_t covered(const Objects *o, const uint64_t *set, uint32_t act) {
    uint32_t sum = 0;
    for (uint32_t w = 0; w < o->train_words; w++) {
        for (uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
            sum += o->covers[(size_t)act * o->n_train + w * 64 + (uint32_t)__builtin_ctzll(rest)];
        }
    }
    return sum;
}

/* The leaves that are right for all objects of a set; false: none is. */
static bool common_leaves(const Objects *o, const uint64_t *set, uint64_t *common) {
    bool first = true;
    for (uint32_t w = 0; w < o->train_words; w++) {
        for (uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
            const uint64_t *right =
                o->right + (size_t)(w * 64 + (uint32_t)__builtin_ctzll(rest)) * o->leaf_words;
            uint64_t any = 0;
            for (uint32_t k = 0; k < o->leaf_words; k++) {
                common[k] = first ? right[k] : common[k] & right[k];
                any |= common[k];
            }
            first = false;
            if (any == 0) {
                return false;
            }
        }
    }
    return !first;
}

static bool choose(const Objects *o, const uint64_t *set, Choices *to) {
    enum { ALIKE_MOST = 2 };
    uint64_t common[LEAF_WORDS];
    uint32_t alike = 0;
    to->n = 0;
    if (!common_leaves(o, set, common)) {
        return false;
    }
    for (uint32_t w = 0; w < o->leaf_words; w++) {
        for (uint64_t rest = common[w]; rest != 0 && to->n < MOST_CHOICES; rest &= rest - 1) {
            uint32_t leaf = w * 64 + (uint32_t)__builtin_ctzll(rest);
            uint32_t covers = covered(o, set, o->leaves[leaf].act);
            uint32_t most = to->n > 0 ? to->covers[to->n - 1] : 0;
            if (to->n > 0 && (covers < most || (covers == most && ++alike >= ALIKE_MOST))) {
                continue;
            }
            alike = covers > most ? 0 : alike;
            to->leaf[to->n] = (int16_t)leaf;
            to->covers[to->n++] = covers;
        }
    }
    return true;
}

static bool split(const Objects *o, const uint64_t *set, const ObjectsQuestion *q, uint64_t *yes,
                  uint64_t *no) {
    uint64_t any_yes = 0, any_no = 0;
    for (uint32_t w = 0; w < o->train_words; w++) {
        yes[w] = set[w] & q->yes[w];
        no[w] = set[w] & ~q->yes[w];
        any_yes |= yes[w];
        any_no |= no[w];
    }
    return any_yes && any_no;
}

/* ---- trees ---- */

static int16_t add_leaf(ObjectsTree *tree, int16_t leaf) {
    tree->nodes[tree->count] = (ObjectsNode){leaf, -1, -1, -1};
    return tree->count++;
}

static int16_t add_question(ObjectsTree *tree, int16_t question, int16_t yes, int16_t no) {
    tree->nodes[tree->count] = (ObjectsNode){-1, question, yes, no};
    return tree->count++;
}

/* A leaf whose objects are all of one pair has little support. */
static double backing(const Objects *o, const uint64_t *set) {
    int pair = -1;
    for (uint32_t w = 0; w < o->train_words; w++) {
        for (uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
            int mine = o->sample[w * 64 + (uint32_t)__builtin_ctzll(rest)];
            if (pair >= 0 && mine != pair) {
                return 0;
            }
            pair = mine;
        }
    }
    return o->search->task->n_train > 1 ? o->search->tune->objects_backing_cost : 0;
}

static bool fits(Objects *o, const ObjectsTree *tree) {
    int8_t to[FEATURE_MOST_CELLS];
    for (uint32_t s = 0; s < o->search->task->n_train; s++) {
        size_t cells = (size_t)o->scenes[s]->board.n;
        search_spend(o->search, 4 + cells / 16);
        objects_apply(o, tree, s, to);
        if (memcmp(to, o->search->task->out[s].b8, cells) != 0) {
            return false;
        }
    }
    return true;
}

static bool keep(Objects *o, const ObjectsTree *tree) {
    uint32_t at = o->n_finds < OBJECTS_MOST_FINDS ? o->n_finds : OBJECTS_MOST_FINDS - 1;
    if (o->n_finds == OBJECTS_MOST_FINDS && o->finds[at].cost <= tree->cost) {
        return false;
    }
    if (!fits(o, tree)) {
        return false;
    }
    for (; at > 0 && o->finds[at - 1].cost > tree->cost; at--) {
        o->finds[at] = o->finds[at - 1];
    }
    o->finds[at] = *tree;
    o->n_finds += o->n_finds < OBJECTS_MOST_FINDS;
    return true;
}

/* A question asked earlier in a list, with the leaf that settled one of its sides. */
typedef struct Asked {
    int16_t question, leaf;
    bool settled_yes; /* the leaf is on the yes side */
} Asked;

enum { LONGEST = 4 };

typedef struct List {
    Asked asked[LONGEST];
    uint32_t n, covers;
    double cost;
} List;

static ObjectsTree tree_of(const List *list) {
    return (ObjectsTree){.cost = list->cost};
}

/* Puts the questions of the list before the tree whose root is given. */
static void close_tree(const List *list, ObjectsTree *tree, int16_t root) {
    for (uint32_t k = list->n; k-- > 0;) {
        const Asked *a = &list->asked[k];
        int16_t leaf = add_leaf(tree, a->leaf);
        root = add_question(tree, a->question, a->settled_yes ? leaf : root, a->settled_yes ? root : leaf);
    }
    tree->root = root;
}

static void end_with_leaf(Objects *o, const uint64_t *set, const List *list) {
    Choices c;
    if (!choose(o, set, &c)) {
        return;
    }
    for (uint32_t k = 0; k < c.n; k++) {
        if (list->covers + c.covers[k] >= o->needs) {
            ObjectsTree tree = tree_of(list);
            tree.cost += o->leaves[c.leaf[k]].cost + backing(o, set);
            close_tree(list, &tree, add_leaf(&tree, c.leaf[k]));
            keep(o, &tree);
        }
    }
}

static void end_with_question(Objects *o, const uint64_t *set, uint32_t question, const List *list) {
    uint64_t yes[OBJECTS_MOST / 64], no[OBJECTS_MOST / 64];
    Choices a, b;
    const ObjectsQuestion *q = &o->questions[question];
    if (!split(o, set, q, yes, no) || !choose(o, yes, &a) || !choose(o, no, &b)) {
        return;
    }
    double cost = list->cost + q->cost + backing(o, yes) + backing(o, no);
    for (uint32_t x = 0; x < a.n; x++) {
        for (uint32_t y = 0; y < b.n; y++) {
            if (list->covers + a.covers[x] + b.covers[y] < o->needs) {
                continue;
            }
            ObjectsTree tree = tree_of(list);
            tree.cost = cost + o->leaves[a.leaf[x]].cost + o->leaves[b.leaf[y]].cost;
            int16_t left = add_leaf(&tree, a.leaf[x]), right = add_leaf(&tree, b.leaf[y]);
            close_tree(list, &tree, add_question(&tree, (int16_t)question, left, right));
            keep(o, &tree);
        }
    }
}

/* Tries lists of `more` further questions, each of which settles one side with a leaf and goes on with the
 * other. */
static bool go_on_with(Objects *o, const uint64_t *set, List *list, uint32_t more) {
    for (uint32_t k = 0; k < o->n_questions; k++) {
        if (more == 1) {
            end_with_question(o, set, k, list);
        } else {
            uint64_t sides[2][OBJECTS_MOST / 64];
            Choices c;
            bool splits = split(o, set, &o->questions[k], sides[1], sides[0]);
            for (int yes = 0; yes < 2 && splits; yes++) {
                if (!choose(o, sides[yes], &c)) {
                    continue;
                }
                /* the cheapest, and the one that covers most */
                uint32_t stride = c.n > 1 ? c.n - 1 : 1;
                for (uint32_t x = 0; x < c.n; x += stride) {
                    List longer = *list;
                    longer.asked[longer.n++] = (Asked){(int16_t)k, c.leaf[x], yes};
                    longer.covers += c.covers[x];
                    longer.cost += o->questions[k].cost + o->leaves[c.leaf[x]].cost + backing(o, sides[yes]);
                    if (!go_on_with(o, sides[!yes], &longer, more - 1)) {
                        return false;
                    }
                }
            }
        }
        if (!search_spend(o->search, 2 + o->leaf_words / 2)) {
            return false;
        }
    }
    return true;
}

/* Tries a leaf for each value of an attribute; the last value needs no question. */
static void try_table(Objects *o, int attribute) {
    enum { MOST_VALUES = 8 };
    uint64_t sets[MOST_VALUES][OBJECTS_MOST / 64];
    int values[MOST_VALUES];
    uint32_t n = 0;
    memset(sets, 0, sizeof sets);
    for (uint32_t k = 0; k < o->n_train; k++) {
        int value = attribute_of(o, attribute, k);
        uint32_t v = 0;
        while (v < n && values[v] != value) {
            v++;
        }
        if (v == MOST_VALUES) {
            return;
        }
        values[v] = value;
        sets[v][k / 64] |= (uint64_t)1 << k % 64;
        n += v == n;
    }
    for (uint32_t k = o->n_train; k < o->n; k++) { /* values in the tests must be in the table */
        uint32_t v = 0;
        while (v < n && values[v] != attribute_of(o, attribute, k)) {
            v++;
        }
        if (v == n) {
            return;
        }
    }
    if (n < 3) {
        return;
    }
    ObjectsTree tree = {.cost = 1 + scene_attributes[attribute].cost};
    uint32_t covers = 0;
    int16_t root = -1;
    for (uint32_t v = 0; v < n; v++) {
        Choices c;
        if (!choose(o, sets[v], &c)) {
            return;
        }
        int16_t leaf = c.leaf[c.n - 1];
        covers += c.covers[c.n - 1];
        tree.cost += o->leaves[leaf].cost + 1 + backing(o, sets[v]);
        int16_t at = add_leaf(&tree, leaf), question = -1;
        for (uint32_t q = 0; q < o->n_questions && root >= 0 && question < 0; q++) {
            const ObjectsQuestion *x = &o->questions[q];
            bool same = true;
            for (uint32_t w = 0; w < o->train_words && same; w++) {
                same = (x->yes[w] & (w + 1 < o->train_words || o->n_train % 64 == 0
                                         ? ~(uint64_t)0
                                         : ((uint64_t)1 << o->n_train % 64) - 1)) == sets[v][w];
            }
            question = (int16_t)(same && x->test == RULE_EQUAL && x->attribute == attribute ? (int)q : -1);
        }
        if (root >= 0 && question < 0) {
            return;
        }
        root = root < 0 ? at : add_question(&tree, question, at, root);
    }
    tree.root = root;
    if (covers >= o->needs) {
        keep(o, &tree);
    }
}

void objects_find_trees(Objects *o) {
    uint64_t all[OBJECTS_MOST / 64] = {0};
    List nothing = {.n = 0};
    for (uint32_t k = 0; k < o->n_train; k++) {
        all[k / 64] |= (uint64_t)1 << k % 64;
    }
    end_with_leaf(o, all, &nothing);
    bool go_on = go_on_with(o, all, &nothing, 1);
    for (int a = 0; a < ATTRIBUTE_COUNT && go_on; a++) {
        try_table(o, a);
        go_on = search_spend(o->search, 8 + o->n / 4);
    }
    for (uint32_t questions = 2; go_on && o->n_finds == 0 && questions <= 2 + (o->search->effort > 1);
         questions++) {
        go_on = go_on_with(o, all, &nothing, questions);
    }
}

/* ---- what a tree does ---- */

static int16_t decide(const Objects *o, const ObjectsTree *tree, uint32_t object) {
    int16_t at = tree->root;
    while (tree->nodes[at].leaf < 0) {
        const ObjectsNode *node = &tree->nodes[at];
        at = objects_in(o->questions[node->question].yes, object) ? node->yes : node->no;
    }
    return tree->nodes[at].leaf;
}

static SceneAct act_of(const Objects *o, int16_t leaf) {
    SceneAct act = o->acts[o->leaves[leaf].act];
    act.color = o->leaves[leaf].source;
    return act;
}

void objects_apply(Objects *o, const ObjectsTree *tree, uint32_t sample, int8_t *to) {
    SceneAct acts[SCENE_MOST_OBJECTS];
    uint16_t of[SCENE_MOST_OBJECTS];
    const Scene *s = o->scenes[sample];
    for (int32_t k = 0; k < s->count; k++) {
        acts[k] = act_of(o, decide(o, tree, o->first[sample] + (uint32_t)k));
        of[k] = (uint16_t)k;
    }
    scene_apply(s, acts, of, o->under, o->scratch, to);
}

Val objects_rule(Objects *o, const ObjectsTree *tree, int16_t at) {
    Ctx *ctx = o->search->ctx;
    const ObjectsNode *node = &tree->nodes[at];
    Val *items = val_buffer(ctx, 5);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    if (node->leaf >= 0) {
        SceneAct act = act_of(o, node->leaf);
        const SceneHow *how = scene_how(&act);
        items[0] = val_int(act.act);
        items[1] = val_int(act.how);
        items[2] = how != NULL && how->by == BY_PAIR ? val_pair32(act.by, act.by2) : val_int(act.by);
        items[3] = val_int(act.color);
        return val_tuple(ctx, items, 4);
    }
    const ObjectsQuestion *q = &o->questions[node->question];
    items[0] = val_int(q->attribute);
    items[1] = val_int(q->test);
    items[2] = val_int(q->number);
    items[3] = objects_rule(o, tree, node->yes);
    items[4] = objects_rule(o, tree, node->no);
    return val_failed(items[3]) || val_failed(items[4]) ? val_fail_budget(ctx) : val_tuple(ctx, items, 5);
}

/* Trees over items that fit: a leaf, one question, a table of one attribute, a list of questions each of
 * which settles some items, or a question with one on either side; see items.h. */
#include "base/mix.h"
#include "search/learning/items.h"

#include <string.h>

enum { SET_WORDS = ITEMS_MAX_CLASSES / 64, LEAF_WORDS = ITEMS_MAX_LEAVES / 64 + 1 };

enum { MAX_CHOICES = 6 };

typedef struct Choices { /* cheapest first; none covers less than those before it */
    int16_t leaf[MAX_CHOICES];
    uint32_t covers[MAX_CHOICES];
    uint32_t n;
} Choices;

/* The cheapest of those that cover most. */
static uint32_t fullest(const Choices *c) {
    uint32_t at = c->n - 1;
    while (at > 0 && c->covers[at - 1] == c->covers[c->n - 1]) {
        at--;
    }
    return at;
}

/* Sets of few classes are met again and again, in other orders of the same questions. */
enum { KNOWN_WORDS = 2, KNOWN_MAX = 4096 };
struct ItemsKnown {
    uint64_t set[KNOWN_WORDS];
    bool filled;
    Choices choices;
};

/* ---- classes ---- */

/* What is known about an item, as a hash: the leaves that are right, and the answers. */
static uint64_t hash_item(const Items *items, uint32_t item) {
    uint64_t hash = 0x243f6a8885a308d3u, bits = 0;
    for (uint32_t w = 0; w < items->leaf_words; w++) {
        hash = mix64(hash, items->right[(size_t)item * items->leaf_words + w]);
    }
    for (uint32_t q = 0; q < items->questions.count; q++) {
        bits = bits << 1 | bits_has(items->questions.list[q].yes, item);
        if (q % 64 == 63) {
            hash = mix64(hash, bits);
        }
    }
    return mix64(hash, bits);
}

/* Finds the class of each item. False: too many, or no memory. */
static bool find_classes(Items *items, int16_t *class_of) {
    enum { SLOTS = 4 * ITEMS_MAX_CLASSES };
    Ctx *ctx = items->search->ctx;
    CtxMark mark = ctx_mark(ctx);
    int16_t *slots = ctx_alloc(ctx, SLOTS * sizeof *slots);
    uint64_t *hashes = ctx_alloc(ctx, ITEMS_MAX_CLASSES * sizeof *hashes);
    if (slots == NULL || hashes == NULL) {
        return false;
    }
    memset(slots, -1, SLOTS * sizeof *slots);
    items->n_classes = 0;
    for (uint32_t k = 0; k < items->n_train; k++) {
        uint64_t hash = hash_item(items, k);
        uint32_t at = (uint32_t)(hash % SLOTS);
        while (slots[at] >= 0 && hashes[slots[at]] != hash) {
            at = (at + 1) % SLOTS;
        }
        if (slots[at] < 0) {
            if (items->n_classes == ITEMS_MAX_CLASSES) {
                return false;
            }
            uint32_t class = items->n_classes++;
            slots[at] = (int16_t) class;
            hashes[class] = hash;
        }
        class_of[k] = slots[at];
        if (!search_spend(items->search, 1 + items->questions.count / 64)) {
            return false;
        }
    }
    ctx_release(ctx, mark);
    return true;
}

static void *zeroed(Ctx *ctx, size_t count, size_t size) {
    void *memory = ctx_alloc(ctx, count * size);
    return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

static bool make_room(Items *items) {
    Ctx *ctx = items->search->ctx;
    uint32_t n = items->n_classes;
    size_t set = items->class_words * sizeof(uint64_t);
    items->known = items->class_words <= KNOWN_WORDS ? zeroed(ctx, KNOWN_MAX, sizeof *items->known) : NULL;
    items->class_first = ctx_alloc(ctx, n * sizeof *items->class_first);
    items->class_covers = zeroed(ctx, (size_t)items->n_acts * n, sizeof *items->class_covers);
    items->class_pairs = zeroed(ctx, n, sizeof *items->class_pairs);
    items->class_yes = zeroed(ctx, items->questions.count + 1, set);
    items->class_right = zeroed(ctx, items->n_leaves, set);
    items->class_paints = zeroed(ctx, items->n_acts, set);
    return (items->known != NULL || items->class_words > KNOWN_WORDS) && items->class_first != NULL &&
           items->class_covers != NULL && items->class_pairs != NULL && items->class_yes != NULL &&
           items->class_right != NULL && items->class_paints != NULL;
}

/* Notes what is known about the first item of a class. */
static void describe(Items *items, uint32_t item, uint32_t class) {
    const uint64_t *right = items->right + (size_t)item * items->leaf_words;
    uint32_t word = class / 64, bit = class % 64;
    items->class_first[class] = item;
    for (uint32_t q = 0; q < items->questions.count; q++) {
        items->class_yes[(size_t)q * items->class_words + word] |=
            (uint64_t)bits_has(items->questions.list[q].yes, item) << bit;
    }
    for (uint32_t leaf = 0; leaf < items->n_leaves; leaf++) {
        items->class_right[(size_t)leaf * items->class_words + word] |= (uint64_t)bits_has(right, leaf)
                                                                        << bit;
    }
}

/* Puts items into classes. False: there are too many, or no memory. */
static bool merge(Items *items) {
    int16_t *class_of = ctx_alloc(items->search->ctx, items->n_train * sizeof *class_of);
    if (class_of == NULL || !find_classes(items, class_of)) {
        return false;
    }
    items->class_words = (items->n_classes + 63) / 64;
    if (!make_room(items)) {
        return false;
    }
    for (uint32_t k = 0; k < items->n_train; k++) {
        uint32_t class = (uint32_t)class_of[k];
        if (items->class_pairs[class] == 0) {
            describe(items, k, class);
        }
        items->class_pairs[class] |= (uint64_t)1 << items->sample[k] % 64;
    }
    for (uint32_t a = 0; a < items->n_acts; a++) {
        const uint16_t *of = items->covers + (size_t)a * items->n_train;
        uint32_t *to = items->class_covers + (size_t)a * items->n_classes;
        uint64_t *paints = items->class_paints + (size_t)a * items->class_words;
        for (uint32_t k = 0; k < items->n_train; k++) {
            to[class_of[k]] += of[k];
            paints[class_of[k] / 64] |= (uint64_t)(of[k] > 0) << class_of[k] % 64;
        }
    }
    return search_spend(items->search, items->n_acts * items->n_train / 128);
}

/* ---- leaves for a set of classes ---- */

typedef uint64_t Set[SET_WORDS];

static uint32_t covered(const Items *items, const uint64_t *set, uint32_t act) {
    const uint32_t *covers = items->class_covers + (size_t)act * items->n_classes;
    const uint64_t *some = items->class_paints + (size_t)act * items->class_words;
    uint32_t sum = 0;
    for (uint32_t w = 0; w < items->class_words; w++) {
        for (uint64_t rest = set[w] & some[w]; rest != 0; rest &= rest - 1) {
            sum += covers[w * 64 + (uint32_t)__builtin_ctzll(rest)];
        }
    }
    return sum;
}

/* Is a leaf right for all classes of a set? */
static bool right_for(const Items *items, const uint64_t *set, uint32_t leaf) {
    return bits_inside(set, items->class_right + (size_t)leaf * items->class_words, items->class_words);
}

/* Adds a leaf, unless it covers less than a cheaper one, or as much as several. */
static void consider(const Items *items, const uint64_t *set, uint32_t leaf, Choices *to, uint32_t *alike) {
    enum { ALIKE_MAX = 2 };
    uint32_t covers = covered(items, set, items->leaves[leaf].act);
    uint32_t max = to->n > 0 ? to->covers[to->n - 1] : 0;
    if (to->n > 0 && (covers < max || (covers == max && ++*alike >= ALIKE_MAX))) {
        return;
    }
    *alike = covers > max ? 0 : *alike;
    to->leaf[to->n] = (int16_t)leaf;
    to->covers[to->n++] = covers;
}

/* The leaves that are right for all classes of a set, as bits; false: none is. */
static bool common_leaves(const Items *items, const uint64_t *set, uint64_t *common) {
    bool first = true;
    for (uint32_t w = 0; w < items->class_words; w++) {
        for (uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
            uint32_t class = w * 64 + (uint32_t)__builtin_ctzll(rest);
            const uint64_t *right = items->right + (size_t)items->class_first[class] * items->leaf_words;
            uint64_t any = 0;
            for (uint32_t k = 0; k < items->leaf_words; k++) {
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

/* Goes through the leaves if there are few of them, else through the classes. */
static void choose_anew(const Items *items, const uint64_t *set, Choices *to) {
    uint32_t alike = 0;
    to->n = 0;
    if (items->n_leaves < items->n_classes) {
        for (uint32_t leaf = 0; leaf < items->n_leaves && to->n < MAX_CHOICES; leaf++) {
            if (right_for(items, set, leaf)) {
                consider(items, set, leaf, to, &alike);
            }
        }
        return;
    }
    uint64_t common[LEAF_WORDS];
    bool any = common_leaves(items, set, common);
    for (uint32_t w = 0; w < items->leaf_words && any; w++) {
        for (uint64_t rest = common[w]; rest != 0 && to->n < MAX_CHOICES; rest &= rest - 1) {
            consider(items, set, w * 64 + (uint32_t)__builtin_ctzll(rest), to, &alike);
        }
    }
}

static bool choose(const Items *items, const uint64_t *set, Choices *to) {
    if (items->class_words > KNOWN_WORDS) {
        choose_anew(items, set, to);
        return to->n > 0;
    }
    uint64_t second = items->class_words > 1 ? set[1] : 0;
    struct ItemsKnown *known = &items->known[mix64(mix64(0, set[0]), second) % KNOWN_MAX];
    if (!known->filled || known->set[0] != set[0] || known->set[1] != second) {
        known->filled = true;
        known->set[0] = set[0];
        known->set[1] = second;
        choose_anew(items, set, &known->choices);
    }
    *to = known->choices;
    return to->n > 0;
}

/* ---- classes that need different leaves ---- */

enum { MAX_CLASHES = 512 };

/* Finds which classes have no leaf in common with which; false: no memory. With many classes it is not worth
 * the time. */
static bool find_clashes(Items *items) {
    uint32_t n = items->n_classes;
    items->class_clashes = NULL;
    if (n > MAX_CLASHES) {
        return true;
    }
    items->class_clashes = zeroed(items->search->ctx, (size_t)n * items->class_words, sizeof(uint64_t));
    items->class_degree = zeroed(items->search->ctx, n, sizeof *items->class_degree);
    if (items->class_clashes == NULL || items->class_degree == NULL) {
        return false;
    }
    for (uint32_t a = 0; a < n; a++) {
        const uint64_t *x = items->right + (size_t)items->class_first[a] * items->leaf_words;
        for (uint32_t b = 0; b < a; b++) {
            const uint64_t *y = items->right + (size_t)items->class_first[b] * items->leaf_words;
            uint32_t w = 0;
            while (w < items->leaf_words && (x[w] & y[w]) == 0) {
                w++;
            }
            if (w == items->leaf_words) {
                items->class_clashes[(size_t)a * items->class_words + b / 64] |= (uint64_t)1 << b % 64;
                items->class_clashes[(size_t)b * items->class_words + a / 64] |= (uint64_t)1 << a % 64;
                items->class_degree[a]++;
                items->class_degree[b]++;
            }
        }
    }
    return search_spend(items->search, n * n / 64);
}

/* Picks classes of a set no two of which have a leaf in common, until there are more than `max` of them;
 * returns how many: so many leaves the set needs at least. */
static uint32_t leaves_needed(const Items *items, const uint64_t *set, uint32_t max, uint32_t *picked) {
    Set left;
    uint32_t n = 0;
    if (items->class_clashes == NULL) {
        return 0;
    }
    memcpy(left, set, items->class_words * sizeof *set);
    while (n <= max) {
        uint32_t best = UINT32_MAX;
        for (uint32_t w = 0; w < items->class_words; w++) {
            for (uint64_t rest = left[w]; rest != 0; rest &= rest - 1) {
                uint32_t class = w * 64 + (uint32_t)__builtin_ctzll(rest);
                best = best == UINT32_MAX || items->class_degree[class] > items->class_degree[best] ? class
                                                                                                    : best;
            }
        }
        if (best == UINT32_MAX) {
            break;
        }
        picked[n++] = best;
        for (uint32_t w = 0; w < items->class_words; w++) {
            left[w] &= items->class_clashes[(size_t)best * items->class_words + w];
        }
    }
    return n;
}

enum { MAX_PICKED = 6 };

/* Whether a question can settle a set by itself, given what leaves_needed has picked from it: it must part
 * two classes that have no leaf in common. */
static bool may_settle(const Items *items, uint32_t question, const uint32_t *picked, uint32_t n) {
    const uint64_t *yes = items->class_yes + (size_t)question * items->class_words;
    return n < 2 || bits_has(yes, picked[0]) != bits_has(yes, picked[1]);
}

static bool split(const Items *items, const uint64_t *set, uint32_t question, uint64_t *yes, uint64_t *no) {
    return bits_split(set, items->class_yes + (size_t)question * items->class_words, items->class_words, yes,
                      no);
}

/* ---- trees ---- */

/* A leaf whose items are all of one pair has little support. */
static double backing(const Items *items, const uint64_t *set) {
    uint64_t pairs = 0;
    for (uint32_t w = 0; w < items->class_words; w++) {
        for (uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
            pairs |= items->class_pairs[w * 64 + (uint32_t)__builtin_ctzll(rest)];
        }
    }
    return (pairs & (pairs - 1)) == 0 && items->search->task->n_train > 1 ? items->backing_cost : 0;
}

/* Can the acts of some leaves together paint all that must be painted? */
static bool reach_all(const Items *items, const int16_t *leaves, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t w = 0; w < items->reach_words; w++) {
        uint64_t all = 0;
        for (uint32_t k = 0; k < n; k++) {
            all |= items->reach[(size_t)items->leaves[leaves[k]].act * items->reach_words + w];
        }
        sum += (uint32_t)__builtin_popcountll(all);
    }
    return sum >= items->needs;
}

static bool tree_reaches_all(const Items *items, const Tree *tree) {
    int16_t leaves[TREE_MAX_NODES];
    uint32_t n = 0;
    for (int16_t k = 0; k < tree->count; k++) {
        if (tree->nodes[k].leaf >= 0) {
            leaves[n++] = tree->nodes[k].leaf;
        }
    }
    return reach_all(items, leaves, n);
}

/* Makes room for a tree that says the same about the tests as others: if there are several of them, the
 * dearest goes. False: it is the new one. */
static bool thin_out(Items *items, const Tree *tree) {
    enum { MAX_ALIKE = 3 };
    uint32_t alike = 0, last = 0;
    for (uint32_t k = 0; k < items->n_finds; k++) {
        if (items->finds[k].answer == tree->answer) {
            alike++;
            last = k;
        }
    }
    if (alike < MAX_ALIKE) {
        return true;
    }
    if (items->finds[last].cost <= tree->cost) {
        return false;
    }
    memmove(&items->finds[last], &items->finds[last + 1], (--items->n_finds - last) * sizeof *items->finds);
    return true;
}

static void keep(Items *items, Tree *tree) {
    if ((items->n_finds == ITEMS_MAX_FINDS && items->finds[items->n_finds - 1].cost <= tree->cost) ||
        !tree_reaches_all(items, tree) || !items->fits(items->owner, tree) || !thin_out(items, tree)) {
        return;
    }
    tree_keep(items->finds, &items->n_finds, ITEMS_MAX_FINDS, tree);
}

static void close_and_keep(Items *items, const TreeList *list, Tree *tree, int16_t node) {
    tree_close(tree, list, node);
    keep(items, tree);
}

static void end_with_leaf(Items *items, const uint64_t *set) {
    Choices c;
    TreeList nothing = {.n = 0};
    if (!choose(items, set, &c)) {
        return;
    }
    for (uint32_t k = 0; k < c.n; k++) {
        if (c.covers[k] >= items->needs) {
            Tree tree = {.cost = items->leaves[c.leaf[k]].cost + backing(items, set)};
            close_and_keep(items, &nothing, &tree, tree_add_leaf(&tree, c.leaf[k]));
        }
    }
}

static void end_with_question(Items *items, const uint64_t *set, uint32_t question, const TreeList *list) {
    Set yes, no;
    Choices a, b;
    if (!split(items, set, question, yes, no) || !choose(items, yes, &a) || !choose(items, no, &b)) {
        return;
    }
    double cost =
        list->cost + items->questions.list[question].cost + backing(items, yes) + backing(items, no);
    for (uint32_t x = 0; x < a.n; x++) {
        for (uint32_t y = 0; y < b.n; y++) {
            if (list->covers + a.covers[x] + b.covers[y] < items->needs) {
                continue;
            }
            Tree tree = {.cost = cost + items->leaves[a.leaf[x]].cost + items->leaves[b.leaf[y]].cost};
            close_and_keep(items, list, &tree, tree_add_fork(&tree, question, a.leaf[x], b.leaf[y]));
        }
    }
}

/* Tries lists of `more` further questions, each of which settles one side with a leaf and goes on with the
 * other. */
static bool go_on_with(Items *items, const uint64_t *set, const TreeList *list, uint32_t more) {
    uint32_t picked[MAX_PICKED], needed = leaves_needed(items, set, more + 1, picked);
    if (needed > more + 1) {
        return search_spend(items->search, 1);
    }
    for (uint32_t k = 0; k < items->questions.count; k++) {
        if (more == 1) {
            if (!may_settle(items, k, picked, needed)) {
                continue;
            }
            end_with_question(items, set, k, list);
        } else {
            Set sides[2];
            Choices c;
            bool splits = split(items, set, k, sides[1], sides[0]);
            for (int yes = 0; yes < 2 && splits; yes++) {
                if (!choose(items, sides[yes], &c)) {
                    continue;
                }
                /* the cheapest, and the one that covers most */
                uint32_t stride = c.n > 1 ? c.n - 1 : 1;
                for (uint32_t x = 0; x < c.n; x += stride) {
                    TreeList longer = tree_list_with(list, k, c.leaf[x], yes);
                    longer.covers += c.covers[x];
                    longer.cost += items->questions.list[k].cost + items->leaves[c.leaf[x]].cost +
                                   backing(items, sides[yes]);
                    if (!go_on_with(items, sides[!yes], &longer, more - 1)) {
                        return false;
                    }
                }
            }
        }
        if (!search_spend(items->search, 1 + items->n_leaves / 64)) {
            return false;
        }
    }
    return true;
}

/* ---- one act under conditions ---- */

/* The most common kind of rule, which needs no search over all lists: one leaf where all of one to
 * three questions have a certain answer, elsewhere nothing. Every class that must be changed has to
 * give these answers, and every class for which the leaf is wrong has to fail at one of them. */
enum { MAX_LITERALS = 2 * ITEMS_MAX_QUESTIONS, MAX_CONDITIONS = 3 };

typedef struct Literal { /* a question with the answer that is asked for */
    uint32_t question;
    bool no;
    double cost;
} Literal;

typedef struct Conditions {
    Items *items;
    int16_t leaf, idle; /* what is done, and the leaf that changes nothing */
    Set wrong;          /* classes for which the leaf is wrong */
    Literal *literals;  /* that all classes which must be changed meet, cheapest first */
    uint64_t *fails;    /* [literal * class_words]: the wrong classes that do not meet it */
    uint32_t n;
    uint32_t excluders[ITEMS_MAX_CLASSES]; /* by class: how many literals it fails */
    bool barred[MAX_LITERALS];
    uint32_t tried[MAX_CONDITIONS][MAX_LITERALS];
    Set all;
} Conditions;

static uint64_t says(const Items *items, const Literal *l, uint32_t word) {
    uint64_t yes = items->class_yes[(size_t)l->question * items->class_words + word];
    return l->no ? ~yes : yes;
}

/* Lists the literals that hold for all classes which must be changed and fail for some wrong one. */
static void list_literals(Conditions *c) {
    const Items *items = c->items;
    const uint64_t *kept = items->class_right + (size_t)c->idle * items->class_words;
    c->n = 0;
    for (uint32_t k = 0; k < 2 * items->questions.count; k++) {
        Literal l = {k / 2, k % 2, items->questions.list[k / 2].cost + (k % 2 ? 0.5 : 0)};
        uint64_t misses = 0, any = 0;
        Set met;
        for (uint32_t w = 0; w < items->class_words; w++) {
            uint64_t yes = says(items, &l, w);
            misses |= c->all[w] & ~kept[w] & ~yes;
            any |= c->wrong[w] & ~yes;
            met[w] = c->all[w] & ~c->wrong[w] & yes;
        }
        if (misses != 0 || any == 0 || covered(items, met, items->leaves[c->leaf].act) < items->needs) {
            continue;
        }
        uint32_t at = c->n++;
        for (; at > 0 && c->literals[at - 1].cost > l.cost; at--) {
            c->literals[at] = c->literals[at - 1];
        }
        c->literals[at] = l;
    }
    memset(c->excluders, 0, items->n_classes * sizeof *c->excluders);
    for (uint32_t k = 0; k < c->n; k++) {
        for (uint32_t w = 0; w < items->class_words; w++) {
            uint64_t fails = c->wrong[w] & ~says(items, &c->literals[k], w);
            c->fails[(size_t)k * items->class_words + w] = fails;
            for (; fails != 0; fails &= fails - 1) {
                c->excluders[w * 64 + (uint32_t)__builtin_ctzll(fails)]++;
            }
        }
    }
}

/* What is left of a set after those that fail at a literal; false: nothing. */
static bool left_after(const Conditions *c, const uint64_t *set, uint32_t literal, uint64_t *left) {
    const uint64_t *fails = c->fails + (size_t)literal * c->items->class_words;
    uint64_t any = 0;
    for (uint32_t w = 0; w < c->items->class_words; w++) {
        left[w] = set[w] & ~fails[w];
        any |= left[w];
    }
    return any != 0;
}

/* Keeps the tree that asks for all chosen literals, the cheapest first. */
static void keep_conditions(Conditions *c, const uint32_t *found, uint32_t n) {
    Items *items = c->items;
    Set met, out;
    uint32_t chosen[MAX_CONDITIONS] = {0};
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = k;
        for (; at > 0 && chosen[at - 1] > found[k]; at--) {
            chosen[at] = chosen[at - 1];
        }
        chosen[at] = found[k];
    }
    memcpy(met, c->all, sizeof met);
    Tree tree = {.cost = items->leaves[c->leaf].cost};
    for (uint32_t k = 0; k < n; k++) {
        const Literal *l = &c->literals[chosen[k]];
        for (uint32_t w = 0; w < items->class_words; w++) {
            out[w] = met[w] & ~says(items, l, w);
            met[w] &= says(items, l, w);
        }
        tree.cost += l->cost + items->leaves[c->idle].cost + backing(items, out);
    }
    tree.cost += backing(items, met);
    TreeList list = {.n = n};
    for (uint32_t k = 0; k < n; k++) {
        const Literal *l = &c->literals[chosen[k]];
        list.asked[k] = (struct TreeAsked){l->question, c->idle, l->no};
    }
    close_and_keep(items, &list, &tree, tree_add_leaf(&tree, c->leaf));
}

/* A conjunction that costs this much is not better than what was found. */
static bool too_dear(const Conditions *c, double cost) {
    const Items *items = c->items;
    return items->n_finds > 0 &&
           cost + items->leaves[c->leaf].cost > items->finds[0].cost + items->backing_cost;
}

/* What is left of the other classes after those that fail at a literal; false: not enough is painted there.
 */
static bool still_covers(const Conditions *c, const uint64_t *set, uint32_t literal, uint64_t *left) {
    const Items *items = c->items;
    for (uint32_t w = 0; w < items->class_words; w++) {
        left[w] = set[w] & says(items, &c->literals[literal], w);
    }
    return covered(items, left, items->leaves[c->leaf].act) >= items->needs;
}

/* The wrong class of a set that the fewest literals exclude: one of these must be chosen. */
static uint32_t hardest(const Conditions *c, const uint64_t *wrong) {
    uint32_t best = UINT32_MAX;
    for (uint32_t w = 0; w < c->items->class_words; w++) {
        for (uint64_t rest = wrong[w]; rest != 0; rest &= rest - 1) {
            uint32_t class = w * 64 + (uint32_t)__builtin_ctzll(rest);
            best = best == UINT32_MAX || c->excluders[class] < c->excluders[best] ? class : best;
        }
    }
    return best;
}

/* Tries conjunctions of `size` literals, each of which excludes a class that those chosen before it do not: n
 * are chosen, cost that much, and leave a set of wrong classes. A literal that was tried for a class is
 * barred from what is tried after it, so that no conjunction comes twice. */
static bool try_conditions(Conditions *c, uint32_t size, const uint64_t *wrong, const uint64_t *right,
                           uint32_t *chosen, uint32_t n, double cost) {
    uint32_t class = hardest(c, wrong), x = 0;
    bool go_on = search_spend(c->items->search, 1 + c->n * c->items->class_words / 512);
    uint32_t *tried = c->tried[n], n_tried = 0;
    for (; x < c->n && go_on; x++) {
        Set left, met;
        double dearer = cost + c->literals[x].cost;
        if (n < 2 && too_dear(c, dearer)) {
            break;
        }
        if (c->barred[x] || !bits_has(c->fails + (size_t)x * c->items->class_words, class)) {
            continue;
        }
        chosen[n] = x;
        bool more = left_after(c, wrong, x, left);
        if (more == (n + 1 < size) && still_covers(c, right, x, met)) {
            if (more) {
                go_on = try_conditions(c, size, left, met, chosen, n + 1, dearer);
            } else {
                keep_conditions(c, chosen, size);
            }
        }
        c->barred[x] = true;
        tried[n_tried++] = x;
    }
    while (n_tried > 0) {
        c->barred[tried[--n_tried]] = false;
    }
    return go_on;
}

/* Tries this for every leaf that can paint all that must be painted. */
static bool try_single_leaves(Items *items, const uint64_t *all, uint32_t size) {
    Ctx *ctx = items->search->ctx;
    CtxMark mark = ctx_mark(ctx);
    Conditions *c = zeroed(ctx, 1, sizeof *c);
    if (c == NULL) {
        return false;
    }
    c->items = items;
    c->idle = -1;
    c->literals = ctx_alloc(ctx, MAX_LITERALS * sizeof *c->literals);
    c->fails = ctx_alloc(ctx, (size_t)MAX_LITERALS * items->class_words * sizeof *c->fails);
    bool go_on = c->literals != NULL && c->fails != NULL;
    for (uint32_t k = 0; k < items->n_leaves && c->idle < 0; k++) {
        c->idle = (int16_t)(items->leaves[k].act == 0 ? (int)k : -1);
    }
    memcpy(c->all, all, sizeof c->all);
    for (uint32_t k = 0; k < items->n_leaves && go_on && c->idle >= 0; k++) {
        const uint64_t *right = items->class_right + k * items->class_words;
        const uint64_t *kept = items->class_right + (size_t)c->idle * items->class_words;
        uint64_t lost = 0, any = 0;
        Set good;
        for (uint32_t w = 0; w < items->class_words; w++) {
            good[w] = all[w] & right[w];
            c->wrong[w] = all[w] & ~right[w];
            lost |= c->wrong[w] & ~kept[w]; /* must be changed, but not by this leaf */
            any |= c->wrong[w];
        }
        if (items->leaves[k].act != 0 && lost == 0 && any != 0 &&
            reach_all(items, (int16_t[]){(int16_t)k}, 1) &&
            covered(items, good, items->leaves[k].act) >= items->needs) {
            c->leaf = (int16_t)k;
            list_literals(c);
            uint32_t chosen[MAX_CONDITIONS];
            go_on = search_spend(items->search, 1 + items->questions.count / 16) &&
                    try_conditions(c, size, c->wrong, good, chosen, 0, 0);
        }
    }
    ctx_release(ctx, mark);
    return go_on;
}

/* ---- a question with one on either side ---- */

typedef struct Fork { /* a question and two leaves, for one side */
    uint32_t question;
    int16_t yes, no;
    uint32_t covers;
    double cost;
} Fork;

enum { MAX_FORKS = 4 };

/* The cheapest ways to settle a set by one question, those that cover most. False: there is none. */
static bool find_forks(Items *items, const uint64_t *set, Fork *forks, uint32_t *n) {
    uint32_t picked[MAX_PICKED], needed = leaves_needed(items, set, 2, picked);
    *n = 0;
    for (uint32_t k = 0; k < items->questions.count && needed <= 2; k++) {
        Set yes, no;
        Choices a, b;
        if (!may_settle(items, k, picked, needed) || !split(items, set, k, yes, no) ||
            !choose(items, yes, &a) || !choose(items, no, &b)) {
            continue;
        }
        Fork f = {k, a.leaf[fullest(&a)], b.leaf[fullest(&b)], a.covers[a.n - 1] + b.covers[b.n - 1],
                  items->questions.list[k].cost + backing(items, yes) + backing(items, no)};
        f.cost += items->leaves[f.yes].cost + items->leaves[f.no].cost;
        if (*n == MAX_FORKS && forks[*n - 1].cost <= f.cost) {
            continue;
        }
        uint32_t at = *n < MAX_FORKS ? (*n)++ : MAX_FORKS - 1;
        for (; at > 0 && forks[at - 1].cost > f.cost; at--) {
            forks[at] = forks[at - 1];
        }
        forks[at] = f;
    }
    return *n > 0;
}

static bool try_forks(Items *items, const uint64_t *all) {
    uint32_t picked[MAX_PICKED];
    bool possible = leaves_needed(items, all, 4, picked) <= 4;
    for (uint32_t k = 0; k < items->questions.count && possible; k++) {
        Set yes, no;
        Choices c;
        Fork a[MAX_FORKS], b[MAX_FORKS];
        uint32_t n_a, n_b;
        TreeList nothing = {.n = 0};
        if (split(items, all, k, yes, no) && !choose(items, yes, &c) && !choose(items, no, &c) &&
            find_forks(items, yes, a, &n_a) && find_forks(items, no, b, &n_b)) {
            for (uint32_t x = 0; x < n_a * n_b; x++) {
                const Fork *f = &a[x / n_b], *g = &b[x % n_b];
                if (f->covers + g->covers >= items->needs) {
                    Tree tree = {.cost = items->questions.list[k].cost + f->cost + g->cost};
                    int16_t left = tree_add_fork(&tree, f->question, f->yes, f->no);
                    int16_t right = tree_add_fork(&tree, g->question, g->yes, g->no);
                    close_and_keep(items, &nothing, &tree, tree_add_branch(&tree, k, left, right));
                }
            }
        }
        if (!search_spend(items->search, 1 + items->questions.count * (1 + items->n_leaves / 64))) {
            return false;
        }
    }
    return true;
}

/* ---- tables ---- */

enum { MAX_VALUES = 8 };

/* The questions that ask for each value of an attribute; false: too few or too many values, or the tests have
 * others. */
static bool values_of(const Items *items, uint32_t attribute, int *values, uint32_t *n) {
    const int8_t *x = items->attributes[attribute].values;
    *n = 0;
    for (uint32_t k = 0; k < items->n; k++) {
        uint32_t v = 0;
        while (v < *n && values[v] != x[k]) {
            v++;
        }
        if (v == *n && (v == MAX_VALUES || k >= items->n_train)) {
            return false;
        }
        values[v] = x[k];
        *n += v == *n;
    }
    return *n >= 3;
}

static int32_t question_for(const Items *items, uint32_t attribute, int value) {
    for (uint32_t q = 0; q < items->questions.count; q++) {
        const TreeQuestion *x = &items->questions.list[q];
        if (x->test == RULE_EQUAL && x->attribute == attribute && x->number == value) {
            return (int32_t)q;
        }
    }
    return -1;
}

/* Tries a leaf for each value of an attribute; the last value needs no question. */
static void try_table(Items *items, const uint64_t *all, uint32_t attribute) {
    int values[MAX_VALUES];
    uint32_t n, covers = 0;
    Set rest, sets[MAX_VALUES];
    if (!values_of(items, attribute, values, &n)) {
        return;
    }
    memcpy(rest, all, sizeof rest);
    for (uint32_t v = 0; v + 1 < n; v++) {
        int32_t question = question_for(items, attribute, values[v]);
        if (question < 0 || !split(items, rest, (uint32_t)question, sets[v], rest)) {
            return;
        }
        values[v] = question;
    }
    memcpy(sets[n - 1], rest, sizeof rest);
    Tree tree = {.cost = 1 + items->attributes[attribute].cost};
    int16_t root = -1;
    for (uint32_t v = n; v-- > 0;) {
        Choices c;
        if (!choose(items, sets[v], &c)) {
            return;
        }
        int16_t chosen = c.leaf[fullest(&c)], leaf = tree_add_leaf(&tree, chosen);
        covers += c.covers[c.n - 1];
        tree.cost += items->leaves[chosen].cost + 1 + backing(items, sets[v]);
        root = root < 0 ? leaf : tree_add_branch(&tree, (uint32_t)values[v], leaf, root);
    }
    if (covers >= items->needs) {
        TreeList nothing = {.n = 0};
        close_and_keep(items, &nothing, &tree, root);
    }
}

/* Lists of several questions, and a question with one on either side. Unless time does not matter, what takes
 * longer than its patience is left for later. */
static void find_longer(Items *items, const uint64_t *all) {
    Search *search = items->search;
    TreeList nothing = {.n = 0};
    double end = items->patience > 0 ? search_limit_slice(search, items->patience) : 0;
    bool go_on = true;
    for (uint32_t more = 2;
         go_on && items->n_finds == 0 && more <= (search->effort > 1 ? 3 : items->longest_list); more++) {
        go_on = go_on_with(items, all, &nothing, more) &&
                (more > 2 || items->n_finds > 0 || try_forks(items, all));
    }
    if (items->patience > 0) {
        search_lengthen_slice(search, end);
        items->postponed = !go_on && !search->slice_over;
    }
}

bool items_find_trees(Items *items) {
    Set all = {0};
    TreeList nothing = {.n = 0};
    items->n_finds = 0;
    if (!merge(items) || !find_clashes(items)) {
        return false;
    }
    for (uint32_t k = 0; k < items->n_classes; k++) {
        all[k / 64] |= (uint64_t)1 << k % 64;
    }
    end_with_leaf(items, all);
    bool go_on = try_single_leaves(items, all, 1) && try_single_leaves(items, all, 2) &&
                 go_on_with(items, all, &nothing, 1);
    for (uint32_t a = 0; a < items->n_attributes && go_on; a++) {
        try_table(items, all, a);
        go_on = search_spend(items->search, 8 + items->n / 4);
    }
    go_on = go_on && (items->n_finds > 0 || try_single_leaves(items, all, 3));
    if (go_on && items->n_finds == 0) {
        find_longer(items, all);
    }
    return items->n_finds > 0;
}

/* ---- turns ---- */

void items_next_turn(ItemsTurn *turn, unsigned ways) {
    ASSERT(ways <= ITEMS_MAX_WAYS, "%u ways", ways);
    do {
        turn->way++;
        if (turn->way >= ways) {
            turn->way = 0;
            turn->pass++;
        }
    } while (turn->pass > 0 && turn->pass < ITEMS_PASSES &&
             !(turn->postponed[turn->pass - 1] >> turn->way & 1));
}

double items_patience(const Search *search, const ItemsTurn *turn) {
    enum { MORE = 8 };
    double ms = search->tune->items_patience_ms;
    return turn->pass == 0 ? ms : turn->pass == 1 ? ms * MORE : 0;
}

/* ---- answers ---- */

uint64_t items_hash(uint64_t hash, const int8_t *cells, int32_t n) {
    for (int32_t k = 0; k < n; k++) {
        hash = mix64(hash, (uint64_t)cells[k] + 1);
    }
    return hash;
}

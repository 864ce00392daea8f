/* The output's size: finds the rule that computes it from the size of some entry, and writes that
 * rule as an expression. */
#include "engine/stamps/stamp.h"
#include "search/strategies/grow.h"

/* The k-th entry's size on a sample. */
static bool size_of(const Grow *g, uint32_t entry, uint32_t sample, int32_t *h, int32_t *w) {
    Stamp s;
    if (g->entries[entry].list || !stamp_read(g->entries[entry].vals[sample], &s)) {
        return false;
    }
    *h = s.h;
    *w = s.w;
    return true;
}

static Ref shape_ref(Grow *g, uint32_t entry, Ref *refs) {
    Ref at = grow_ref(g, entry, refs);
    if (g->entries[entry].parent != GROW_NONE) { /* roots are at the origin already */
        at = build_op(&g->search->builder, OP_PRIM, P_stamp_home, &at, 1, 0, "", 0);
    }
    return build_op(&g->search->builder, OP_PRIM, P_shape, &at, 1, 0, "", 0);
}

static Ref lifted(Grow *g, unsigned prim, Ref at, int a, int b, int neutral) {
    if (a == neutral && b == neutral) {
        return at;
    }
    Ref args[2] = {at, build_const(&g->search->builder, val_pair32(a, b))};
    return build_op(&g->search->builder, OP_PRIM, prim, args, 2, 0, "", 0);
}

static Ref rule_ref(Grow *g, Ref *refs) {
    const SizeRule *rule = &g->size;
    Builder *b = &g->search->builder;
    if (rule->entry_h == GROW_NONE && rule->entry_w == GROW_NONE) {
        return build_const(b, val_pair32(rule->add_h, rule->add_w));
    }
    Ref at;
    if (rule->entry_h == rule->entry_w) {
        at = shape_ref(g, rule->entry_h, refs);
    } else { /* height and width from different entries */
        Ref axes[2];
        for (int axis = 0; axis < 2; axis++) {
            uint32_t entry = axis == 0 ? rule->entry_h : rule->entry_w;
            axes[axis] = build_const(b, val_int(0));
            if (entry != GROW_NONE) {
                Ref shape = shape_ref(g, entry, refs);
                axes[axis] = build_op(b, OP_PRIM, axis == 0 ? P_first : P_last, &shape, 1, 0, "", 0);
            }
        }
        at = build_op(b, OP_PRIM, P_astuple, axes, 2, 0, "", 0);
    }
    at = lifted(g, P_multiply, at, rule->scale_h, rule->scale_w, 1);
    return lifted(g, P_add, at, rule->add_h, rule->add_w, 0);
}

Ref grow_size_ref(Grow *g, Ref *refs) {
    Ref *known = &refs[g->count];
    if (*known == GROW_NONE) {
        *known = rule_ref(g, refs);
    }
    return *known;
}

/* ---- finding the rule ---- */

/* The best linear rule for one axis from one entry: out = scale * size + add. */
typedef struct AxisRule {
    uint32_t entry, matched; /* matched: bit set of training outputs it reproduces */
    int8_t scale, add;
    double loss;
} AxisRule;

/* The training outputs that a rule matches, given an entry's sizes (all 0 for the constant). */
static uint32_t axis_matches(const Grow *g, const int32_t *sizes, int axis, int scale, int add) {
    const SearchTask *t = g->task;
    uint32_t set = 0;
    for (uint32_t k = 0; k < t->n_train; k++) {
        int32_t want = axis == 0 ? (int32_t)t->out[k].n : t->out[k].w;
        set |= (uint32_t)(sizes[k] * scale + add == want) << (k & 31);
    }
    return set;
}

static uint32_t matches(uint32_t set) {
    return (uint32_t)__builtin_popcount(set);
}

static bool better_rule(uint32_t count, double loss, uint32_t best_count, double best_loss) {
    return count != best_count ? count > best_count : loss < best_loss;
}

static bool rule_gives(const Grow *g, const SizeRule *rule, uint32_t sample, int32_t *h, int32_t *w) {
    int32_t eh = 0, ew = 0, other;
    if (rule->entry_h != GROW_NONE && !size_of(g, rule->entry_h, sample, &eh, &other)) {
        return false;
    }
    if (rule->entry_w != GROW_NONE && !size_of(g, rule->entry_w, sample, &other, &ew)) {
        return false;
    }
    int32_t max = (int32_t)g->search->own->max_side;
    *h = eh * rule->scale_h + rule->add_h;
    *w = ew * rule->scale_w + rule->add_w;
    return *h >= 1 && *w >= 1 && *h <= max && *w <= max;
}

static bool rule_holds_everywhere(const Grow *g, const SizeRule *rule) {
    int32_t h, w;
    for (uint32_t k = 0; k < g->task->n; k++) {
        if (!rule_gives(g, rule, k, &h, &w)) {
            return false;
        }
    }
    return true;
}

/* Simple rules over shallow entries are likelier than odd ones; ties go to the earlier entry. */
static double axis_loss(const Grow *g, uint32_t entry, int scale, int add) {
    if (entry == GROW_NONE) {
        return g->search->tune->size_constant_loss;
    }
    double odd = (scale > 1 ? 4 + scale : 0) + (add != 0 ? 12 + 4 * (add < 0 ? -add : add) : 0);
    return 10.0 * g->entries[entry].depth + odd + entry * 1e-4;
}

static AxisRule best_axis_rule(const Grow *g, uint32_t entry, int axis, const int32_t *sizes) {
    const SearchTask *t = g->task;
    AxisRule best = {.entry = entry};
    bool constant = entry == GROW_NONE;
    int value = axis == 0 ? (int)t->out[0].n : t->out[0].w;
    for (int scale = constant ? 0 : 1; scale <= (constant ? 0 : 5); scale++) {
        for (int add = constant ? value : -3; add <= (constant ? value : 3); add++) {
            uint32_t set = axis_matches(g, sizes, axis, scale, add);
            double loss = axis_loss(g, entry, scale, add);
            if (better_rule(matches(set), loss, matches(best.matched), best.loss)) {
                best = (AxisRule){entry, set, (int8_t)scale, (int8_t)add, loss};
            }
        }
    }
    return best;
}

static void consider(const Grow *g, const AxisRule *h, const AxisRule *w, SizeRule *best) {
    SizeRule rule = {h->entry,
                     w->entry,
                     h->scale,
                     w->scale,
                     h->add,
                     w->add,
                     matches(h->matched & w->matched),
                     h->loss + w->loss + (h->entry != w->entry ? g->search->tune->size_two_places_loss : 0)};
    if (rule.matched > 0 && better_rule(rule.matched, rule.loss, best->matched, best->loss) &&
        rule_holds_everywhere(g, &rule)) {
        *best = rule;
    }
}

bool grow_guess_size(Grow *g) {
    const SearchTask *t = g->task;
    SizeRule best = {.matched = 0};
    AxisRule axis[2] = {{.matched = 0}, {.matched = 0}}; /* the best of each axis so far */
    uint32_t considered = 0;
    for (uint32_t e = 0; e <= g->count && considered < g->search->tune->size_sources_max; e++) {
        uint32_t entry = e == 0 ? GROW_NONE : e - 1; /* the constant first */
        int32_t sizes[2][SEARCH_MAX_SAMPLES] = {{0}};
        bool usable = true;
        for (uint32_t k = 0; k < t->n_train && entry != GROW_NONE && usable; k++) {
            usable = size_of(g, entry, k, &sizes[0][k], &sizes[1][k]);
        }
        if (!usable) {
            continue;
        }
        considered++;
        AxisRule mine[2];
        for (int a = 0; a < 2; a++) {
            mine[a] = best_axis_rule(g, entry, a, sizes[a]);
            if (better_rule(matches(mine[a].matched), mine[a].loss, matches(axis[a].matched), axis[a].loss)) {
                axis[a] = mine[a];
            }
        }
        consider(g, &mine[0], &mine[1], &best);
        consider(g, &axis[0], &axis[1], &best);
        if (!search_spend(g->search, 2)) {
            break;
        }
    }
    if (best.matched == 0) {
        return false;
    }
    g->size = best;
    return true;
}

bool grow_size_is_clear(const Grow *g) {
    return g->size.matched == g->task->n_train && g->size.loss <= g->search->tune->size_clean_loss;
}

void grow_use_size(Grow *g) {
    g->has_size = true;
    for (uint32_t k = 0; k < g->task->n; k++) {
        int32_t h = 1, w = 1;
        rule_gives(g, &g->size, k, &h, &w); /* cannot fail, or the rule would not have been found */
        g->dims_out[k] = val_pair32(h, w);
    }
    if (!g->task->same_size || g->size.entry_h != 0 || g->size.entry_w != 0) {
        grow_add_blank(g, ROOT_BLANK_OUT, g->dims_out);
    }
}

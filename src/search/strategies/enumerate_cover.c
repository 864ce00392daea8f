/* Explains outputs layer by layer: which patches must be filled with which colors.
 *
 * A base, the bottom of a stack, is a grid of the outputs' sizes. Layers (a patch filled with a
 * color, or an object painted) are chosen from the top down: each may only be wrong where one above
 * it has settled the cell, and must settle cells that the base has wrong. When the base is right on
 * all cells that are left, the stack is a program. All of this is done with bit sets over the cells
 * of the training outputs. */
#include "base/alloc.h"
#include "base/mix.h"
#include "search/strategies/enumerate.h"

#include <string.h>

enum { MAX_COLORS = 20, MAX_BASES = 6, MAX_LAYERS = 4, FIRST_CHOICES = 5, SAME_BITS = 4 };

enum { HOW_FILL, HOW_PAINT, HOW_UNDERFILL, HOW_UNDERPAINT };

typedef struct CoverPatch {
    uint32_t term;
    uint8_t cost;
    uint32_t first, end;    /* words in which it has cells */
    uint64_t *bits, *wrong; /* wrong: where an object's own colors are wrong; NULL for indices */
} CoverPatch;

typedef struct CoverLayer {
    uint32_t patch, color; /* color: index, or none */
    uint8_t how;
    uint32_t gain, cost;
} CoverLayer;

/* Keeps the best few layers, best first. */
typedef struct BestLayers {
    CoverLayer items[FIRST_CHOICES];
    uint32_t count, max;
} BestLayers;

typedef struct CoverBase {
    uint32_t term, n_wrong, tried; /* tried: patches at its last run */
    uint64_t *wrong, *background;  /* background: cells of its most common color, which `under` may change */
    uint32_t *useful;              /* patches that settle cells the base has wrong, and are half right */
    uint32_t n_useful, room;
    BestLayers first; /* the best top layers so far */
} CoverBase;

/* The open cells that a patch decides: all of them, or only those on the base's background. */
typedef struct Speech {
    uint32_t words, gain;
    uint32_t *at; /* words that have some; room for all words of the cover */
    uint64_t *bits;
} Speech;

struct EnumCover {
    Enumerate *e;
    uint32_t cells, words;
    uint32_t start[SEARCH_MAX_SAMPLES];
    CoverPatch *patches;
    uint32_t count, room;
    uint32_t colors[MAX_COLORS], n_colors;
    uint64_t *right[MAX_COLORS]; /* cells whose output has the color */
    CoverBase bases[MAX_BASES];
    uint32_t n_bases;
    uint8_t seen[1 << 12]; /* how many patches have bits with this hash */
    uint64_t *scratch;
    Speech speech;
};

static uint64_t *new_set(EnumCover *c) {
    uint64_t *set = ctx_alloc(c->e->search->ctx, c->words * sizeof *set);
    if (set != NULL) {
        memset(set, 0, c->words * sizeof *set);
    }
    return set;
}

EnumCover *cover_open(Enumerate *e) {
    const SearchTask *t = e->search->task;
    EnumCover *c = mem_zalloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->e = e;
    for (uint32_t k = 0; k < t->n_train; k++) {
        c->start[k] = c->cells;
        c->cells += t->out[k].n * t->out[k].w;
    }
    c->words = c->cells / 64 + 1;
    c->scratch = mem_array((size_t)c->words * (MAX_LAYERS + 1), sizeof *c->scratch);
    c->speech.at = mem_array(c->words, sizeof *c->speech.at);
    c->speech.bits = mem_array(c->words, sizeof *c->speech.bits);
    if (c->scratch == NULL || c->speech.at == NULL || c->speech.bits == NULL) {
        cover_close(c);
        return NULL;
    }
    return c;
}

void cover_close(EnumCover *c) {
    if (c != NULL) {
        for (uint32_t k = 0; k < c->n_bases; k++) {
            quota_free(&c->e->search->quota, c->bases[k].useful);
        }
        quota_free(&c->e->search->quota, c->patches);
        mem_free(c->scratch);
        mem_free(c->speech.at);
        mem_free(c->speech.bits);
        mem_free(c);
    }
}

static void set_bit(uint64_t *set, uint32_t k) {
    set[k / 64] |= (uint64_t)1 << k % 64;
}

static uint32_t count_bits(const uint64_t *set, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++) {
        n += (uint32_t)__builtin_popcountll(set[w]);
    }
    return n;
}

void cover_add_color(EnumCover *c, uint32_t term) {
    const SearchTask *t = c->e->search->task;
    uint64_t *right = c->n_colors < MAX_COLORS ? new_set(c) : NULL;
    if (right == NULL) {
        return;
    }
    bool any = false;
    for (uint32_t k = 0; k < t->n_train; k++) {
        int64_t color = c->e->terms[term].vals[k].i;
        for (uint32_t x = 0, n = t->out[k].n * t->out[k].w; x < n; x++) {
            if (t->out[k].b8[x] == color) {
                set_bit(right, c->start[k] + x);
                any = true;
            }
        }
    }
    if (any) {
        c->right[c->n_colors] = right;
        c->colors[c->n_colors++] = term;
    }
}

static int most_common(Val grid) {
    unsigned counts[256] = {0}, n = grid.n * grid.w;
    int best = 0;
    for (unsigned k = 0; k < n; k++) {
        counts[(uint8_t)grid.b8[k]]++;
    }
    for (int color = 1; color < 256; color++) {
        best = counts[color] > counts[best] ? color : best;
    }
    return best;
}

void cover_add_base(EnumCover *c, uint32_t term) {
    const SearchTask *t = c->e->search->task;
    CoverBase base = {.term = term,
                      .wrong = new_set(c),
                      .background = new_set(c),
                      .first = {.max = c->e->search->tune->cover_first_choices}};
    if (base.wrong == NULL || base.background == NULL) {
        return;
    }
    for (uint32_t k = 0; k < t->n_train; k++) {
        Val grid = c->e->terms[term].vals[k];
        int background = most_common(grid);
        for (uint32_t x = 0, n = grid.n * grid.w; x < n; x++) {
            if (grid.b8[x] != t->out[k].b8[x]) {
                set_bit(base.wrong, c->start[k] + x);
            }
            if ((uint8_t)grid.b8[x] == background) {
                set_bit(base.background, c->start[k] + x);
            }
        }
    }
    base.n_wrong = count_bits(base.wrong, c->words);
    if (c->n_bases < MAX_BASES) {
        c->bases[c->n_bases++] = base;
        return;
    }
    uint32_t worst = 1; /* the first, usually the input, stays */
    for (uint32_t k = 2; k < c->n_bases; k++) {
        worst = c->bases[k].n_wrong >= c->bases[worst].n_wrong ? k : worst;
    }
    if (base.n_wrong < c->bases[worst].n_wrong) {
        quota_free(&c->e->search->quota, c->bases[worst].useful);
        c->bases[worst] = base;
    }
}

static bool patch_bits(EnumCover *c, const EnumTerm *term, CoverPatch *p) {
    const SearchTask *t = c->e->search->task;
    bool any = false;
    for (uint32_t k = 0; k < t->n_train; k++) {
        Val v = term->vals[k];
        uint32_t h = t->out[k].n, w = t->out[k].w;
        for (uint32_t x = 0; val_is_keys(v) && x < v.n; x++) {
            uint32_t i = (uint32_t)key_row(v.kind, v.k[x]), j = (uint32_t)key_col(v.kind, v.k[x]);
            if (i < h && j < w) {
                uint32_t at = c->start[k] + i * w + j;
                set_bit(p->bits, at);
                any = true;
                if (p->wrong != NULL && key_color(v.kind, v.k[x]) != t->out[k].b8[i * w + j]) {
                    set_bit(p->wrong, at);
                }
            }
        }
    }
    return any;
}

void cover_add_patch(EnumCover *c, uint32_t term) {
    const EnumTerm *t = &c->e->terms[term];
    CtxMark mark = ctx_mark(c->e->search->ctx);
    CoverPatch p = {.term = term, .cost = t->cost, .bits = new_set(c)};
    p.wrong = t->type == IDIOM_object ? new_set(c) : NULL;
    if (p.bits == NULL || (t->type == IDIOM_object && p.wrong == NULL)) {
        return;
    }
    uint64_t hash = 0;
    bool any = patch_bits(c, t, &p);
    for (uint32_t w = 0; w < c->words; w++) {
        hash = mix64(hash, p.bits[w] ^ (p.wrong ? p.wrong[w] * 3 : 0));
    }
    uint8_t *seen = &c->seen[hash >> 20 & (sizeof c->seen - 1)];
    if (!any || *seen >= SAME_BITS) {
        ctx_release(c->e->search->ctx, mark);
        return;
    }
    if (c->count == c->room) {
        uint32_t room = c->room ? c->room * 2 : 1024;
        CoverPatch *grown = quota_grow(&c->e->search->quota, c->patches, room, sizeof *grown);
        if (grown == NULL) {
            return;
        }
        c->patches = grown;
        c->room = room;
    }
    for (p.end = c->words; p.bits[p.end - 1] == 0; p.end--) {
    }
    while (p.bits[p.first] == 0) {
        p.first++;
    }
    ++*seen;
    c->patches[c->count++] = p;
}

/* ---- stacking ---- */

static void choose(BestLayers *best, CoverLayer layer) {
    uint32_t at = best->count;
    for (; at > 0; at--) {
        const CoverLayer *other = &best->items[at - 1];
        if (other->gain > layer.gain || (other->gain == layer.gain && other->cost <= layer.cost)) {
            break;
        }
    }
    if (at == best->max) {
        return;
    }
    best->count += best->count < best->max;
    for (uint32_t k = best->count - 1; k > at; k--) {
        best->items[k] = best->items[k - 1];
    }
    best->items[at] = layer;
}

static void listen(const CoverPatch *p, const CoverBase *base, bool under, const uint64_t *open,
                   Speech *speech) {
    speech->words = speech->gain = 0;
    for (uint32_t w = p->first; w < p->end; w++) {
        uint64_t bits = p->bits[w] & open[w] & (under ? base->background[w] : ~(uint64_t)0);
        speech->at[speech->words] = w;
        speech->bits[speech->words] = bits;
        speech->words += bits != 0;
        speech->gain += (uint32_t)__builtin_popcountll(bits & base->wrong[w]);
    }
}

/* The colors (bits) that are right for all the cells it decides. */
static uint32_t right_colors(const EnumCover *c, const Speech *speech) {
    uint32_t alive = (1u << c->n_colors) - 1;
    for (uint32_t k = 0; k < speech->words && alive != 0; k++) {
        for (uint32_t rest = alive; rest != 0; rest &= rest - 1) {
            unsigned color = (unsigned)__builtin_ctz(rest);
            if (speech->bits[k] & ~c->right[color][speech->at[k]]) {
                alive &= ~(1u << color);
            }
        }
    }
    return alive;
}

static bool right_paint(const CoverPatch *p, const Speech *speech) {
    for (uint32_t k = 0; k < speech->words; k++) {
        if (speech->bits[k] & p->wrong[speech->at[k]]) {
            return false;
        }
    }
    return true;
}

/* Adds the layers that patch k can form to the choices; false if it settles nothing. */
static bool consider(EnumCover *c, const CoverBase *base, uint32_t k, const uint64_t *open,
                     BestLayers *best) {
    const CoverPatch *p = &c->patches[k];
    for (unsigned under = 0; under < 2; under++) {
        listen(p, base, under, open, &c->speech);
        uint32_t gain = c->speech.gain;
        if (gain == 0) {
            return under;
        }
        if (p->wrong != NULL && right_paint(p, &c->speech)) {
            choose(best, (CoverLayer){k, 0, under ? HOW_UNDERPAINT : HOW_PAINT, gain, 2u + under + p->cost});
        }
        for (uint32_t rest = right_colors(c, &c->speech); rest != 0; rest &= rest - 1) {
            uint32_t color = (uint32_t)__builtin_ctz(rest);
            choose(best, (CoverLayer){k, color, under ? HOW_UNDERFILL : HOW_FILL, gain,
                                      2u + under + p->cost + c->e->terms[c->colors[color]].cost});
        }
    }
    return true;
}

/* Whether some color is right on at least half of a patch's cells, so that it may be a lower layer. */
static bool half_right(const EnumCover *c, const CoverPatch *p) {
    uint32_t all = count_bits(p->bits + p->first, p->end - p->first);
    for (uint32_t color = 0; color <= c->n_colors; color++) {
        uint32_t right = 0;
        for (uint32_t w = p->first; w < p->end; w++) {
            uint64_t good = color < c->n_colors ? c->right[color][w] : p->wrong ? ~p->wrong[w] : 0;
            right += (uint32_t)__builtin_popcountll(p->bits[w] & good);
        }
        if (right * 2 >= all) {
            return true;
        }
    }
    return false;
}

/* Takes in the patches that are new since the base's last run. */
static bool look_at_new(EnumCover *c, CoverBase *base, const uint64_t *open) {
    uint64_t looked = c->count - base->tried;
    for (; base->tried < c->count; base->tried++) {
        uint32_t k = base->tried;
        if (!consider(c, base, k, open, &base->first) ||
            base->n_useful == c->e->search->tune->cover_useful_max || !half_right(c, &c->patches[k])) {
            continue;
        }
        if (base->n_useful == base->room) {
            uint32_t room = base->room ? base->room * 2 : 256;
            uint32_t *grown = quota_grow(&c->e->search->quota, base->useful, room, sizeof *grown);
            if (grown == NULL) {
                return false;
            }
            base->useful = grown;
            base->room = room;
        }
        base->useful[base->n_useful++] = k;
    }
    return search_spend(c->e->search, 1 + looked * (2 + c->words / 4) / 4);
}

static bool find_layers(EnumCover *c, const CoverBase *base, const uint64_t *open, BestLayers *best) {
    best->count = 0;
    for (uint32_t k = 0; k < base->n_useful; k++) {
        consider(c, base, base->useful[k], open, best);
    }
    return search_spend(c->e->search, 1 + (uint64_t)base->n_useful * (2 + c->words / 4) / 8);
}

/* In how many training pairs a layer changes something: what only one of them needs is hardly a rule. */
static uint32_t pairs_changed(const EnumCover *c, const CoverBase *base, const CoverLayer *l) {
    const SearchTask *t = c->e->search->task;
    const uint64_t *bits = c->patches[l->patch].bits;
    uint32_t pairs = 0;
    for (uint32_t k = 0; k < t->n_train; k++) {
        uint32_t end = c->start[k] + t->out[k].n * t->out[k].w, x = c->start[k];
        while (x < end && !((bits[x / 64] & base->wrong[x / 64]) >> x % 64 & 1)) {
            x++;
        }
        pairs += x < end;
    }
    return pairs;
}

static void offer(EnumCover *c, const CoverBase *base, const CoverLayer *layers, unsigned n) {
    static const uint16_t prims[] = {P_fill, P_paint, P_underfill, P_underpaint};
    Enumerate *e = c->e;
    Ref *refs = enumerate_refs(e);
    if (refs == NULL) {
        return;
    }
    Ref at = enumerate_ref(e, base->term, refs);
    double cost = e->terms[base->term].cost;
    for (unsigned k = n; k-- > 0;) { /* the top layer is chosen first and laid last */
        const CoverLayer *l = &layers[k];
        Ref patch = enumerate_ref(e, c->patches[l->patch].term, refs);
        bool fills = l->how == HOW_FILL || l->how == HOW_UNDERFILL;
        Ref args[3] = {at, patch, patch};
        if (fills) {
            args[1] = enumerate_ref(e, c->colors[l->color], refs);
        }
        at = build_op(&e->search->builder, OP_PRIM, prims[l->how], args, fills ? 3 : 2, 0, "", 0);
        cost += l->cost + (pairs_changed(c, base, l) == 1 && e->search->task->n_train > 1
                               ? e->search->tune->enumerate_once_cost
                               : 0);
    }
    enumerate_offer(e, refs, at, cost);
}

static void settle(const EnumCover *c, const CoverBase *base, const CoverLayer *l, const uint64_t *open,
                   uint64_t *left) {
    bool under = l->how == HOW_UNDERFILL || l->how == HOW_UNDERPAINT;
    for (uint32_t w = 0; w < c->words; w++) {
        left[w] = open[w] & ~(c->patches[l->patch].bits[w] & (under ? base->background[w] : ~(uint64_t)0));
    }
}

static bool stack(EnumCover *c, const CoverBase *base, CoverLayer *layers, unsigned n, const uint64_t *open) {
    bool covered = true;
    for (uint32_t w = 0; w < c->words && covered; w++) {
        covered = (open[w] & base->wrong[w]) == 0;
    }
    if (covered) {
        if (n > 0) {
            offer(c, base, layers, n);
        }
        return true;
    }
    BestLayers best = base->first;
    if (n == c->e->search->tune->cover_layers_max) {
        return true;
    }
    if (n > 0) {
        best.max = n == 1 ? 2 : 1;
        if (!find_layers(c, base, open, &best)) {
            return false;
        }
    }
    uint64_t *left = c->scratch + (size_t)(n + 1) * c->words;
    for (uint32_t k = 0; k < best.count; k++) {
        layers[n] = best.items[k];
        settle(c, base, &layers[n], open, left);
        if (!stack(c, base, layers, n + 1, left)) {
            return false;
        }
    }
    return true;
}

void cover_run(EnumCover *c, bool last) {
    CoverLayer layers[MAX_LAYERS];
    memset(c->scratch, 0xff, c->words * sizeof *c->scratch);
    for (uint32_t k = 0; k < c->n_bases; k++) {
        CoverBase *base = &c->bases[k];
        uint32_t wait = last ? base->tried : base->tried + base->tried / 2 + 8;
        if (c->count > wait) {
            if (!look_at_new(c, base, c->scratch) || !stack(c, base, layers, 0, c->scratch)) {
                return;
            }
        }
    }
}

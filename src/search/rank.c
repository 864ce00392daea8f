/* Which candidate to believe first: those that are right on the training pairs, described shortly, and whose
 * answers look like the outputs of the training pairs. */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>

const SearchDoubt search_doubts[DOUBT_COUNT] = {
#define DOUBT(id, cost, text) {cost, text},
#include "search/doubts.def"
#undef DOUBT
};

static uint16_t colors_of(Image image) {
    uint16_t set = 0;
    for (int32_t k = 0; k < image.h * image.w; k++) {
        set |= (uint16_t)(1u << (image.cells[k] & 15));
    }
    return set;
}

static bool one_color(uint16_t set) {
    return (set & (set - 1)) == 0;
}

static bool equals(Val grid, Image image) {
    return task_image_equal((Image){(int32_t)grid.n, grid.w, grid.b8}, image);
}

/* What the training pairs have in common, so that an answer without it is odd. */
typedef struct Habits {
    bool changes;             /* no output is its input */
    bool colorful;            /* no output has one color only */
    bool one_size;            /* all outputs have the same size, and inputs have not */
    int32_t scale_h, scale_w; /* outputs are so many times as large as inputs; 0: they are not */
} Habits;

static Habits habits_of(const SearchTask *t) {
    Habits h = {true, true, true, 0, 0};
    bool inputs_differ = false;
    for (uint32_t k = 0; k < t->n; k++) {
        inputs_differ |= t->in[k].n != t->in[0].n || t->in[k].w != t->in[0].w;
    }
    for (uint32_t k = 0; k < t->n_train; k++) {
        Image out = {(int32_t)t->out[k].n, t->out[k].w, t->out[k].b8};
        h.changes &= !equals(t->in[k], out);
        h.colorful &= !one_color(colors_of(out));
        h.one_size &= out.h == (int32_t)t->out[0].n && out.w == t->out[0].w;
        int32_t ih = (int32_t)t->in[k].n, iw = t->in[k].w;
        int32_t sh = out.h % ih == 0 ? out.h / ih : -1, sw = out.w % iw == 0 ? out.w / iw : -1;
        h.scale_h = k == 0 || h.scale_h == sh ? sh : -1;
        h.scale_w = k == 0 || h.scale_w == sw ? sw : -1;
    }
    h.one_size &= inputs_differ;
    return h;
}

static unsigned doubts_about(const SearchTask *t, const Habits *h, const Image *answers) {
    unsigned set = 0;
    for (uint32_t k = 0; k < t->n_test; k++) {
        Image a = answers[k];
        if (a.h == 0) {
            set |= 1u << DOUBT_NONE;
            continue;
        }
        Val in = t->in[t->n_train + k];
        uint16_t colors = colors_of(a), inputs = colors_of((Image){(int32_t)in.n, in.w, in.b8});
        set |= (unsigned)(h->changes && equals(in, a)) << DOUBT_UNCHANGED;
        set |= (unsigned)(h->colorful && one_color(colors)) << DOUBT_ONE_COLOR;
        set |= (unsigned)((colors & ~(t->out_colors | inputs)) != 0) << DOUBT_COLORS;
        bool sized = (h->one_size && (a.h != (int32_t)t->out[0].n || a.w != t->out[0].w)) ||
                     (h->scale_h > 0 && a.h != h->scale_h * (int32_t)in.n) ||
                     (h->scale_w > 0 && a.w != h->scale_w * in.w);
        set |= (unsigned)sized << DOUBT_SIZE;
    }
    return set;
}

/* A program that misses a pair is believed before one that fits only by being far-fetched. */
static void judge(const SearchTask *t, const Tunables *tune, const Habits *h, Candidate *c) {
    uint32_t missed = t->n_train - c->right;
    c->doubts = (uint8_t)doubts_about(t, h, c->answers);
    c->rank = c->cost - fmin(tune->rank_support, log2(c->support));
    c->rank += missed ? tune->rank_miss + tune->rank_miss_all * (double)missed / t->n_train : 0;
    for (unsigned k = 0; k < DOUBT_COUNT; k++) {
        c->rank += c->doubts >> k & 1 ? search_doubts[k].cost : 0;
    }
}

static int by_trust(const void *left, const void *right) {
    const Candidate *a = left, *b = right;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (a->unseen != b->unseen) { /* of equals, the one that foretold pairs it was not made from */
        return a->unseen > b->unseen ? -1 : 1;
    }
    return a->steps != b->steps ? (a->steps < b->steps ? -1 : 1) : (a->hash > b->hash) - (a->hash < b->hash);
}

void search_rank(Search *s) {
    Habits habits = habits_of(s->own);
    for (uint32_t k = 0; k < s->count; k++) {
        judge(s->own, s->tune, &habits, &s->candidates[k]);
    }
    if (s->count > 1) {
        qsort(s->candidates, s->count, sizeof *s->candidates, by_trust);
    }
}

const Image *search_answer(const Search *s, uint32_t test, uint32_t attempt, const Candidate **who) {
    for (uint32_t k = 0; k < s->count; k++) {
        const Image *mine = &s->candidates[k].answers[test];
        bool seen = mine->h == 0;
        for (uint32_t x = 0; x < k && !seen; x++) {
            seen = task_image_equal(s->candidates[x].answers[test], *mine);
        }
        if (!seen && attempt-- == 0) {
            if (who != NULL) {
                *who = &s->candidates[k];
            }
            return mine;
        }
    }
    return NULL;
}

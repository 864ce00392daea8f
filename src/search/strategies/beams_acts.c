/* What beams could do, and whether the outputs agree; see beams_internal.h. */
#include "search/strategies/beams_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the acts worth trying ---- */

static double act_cost(const BeamAct *act) {
    double cost = 1.5 + (act->every != 1 ? 1.5 + abs(act->every) / 2.0 : 0) +
                  (act->length > 0 ? 1.5 + log2(act->length) : 0);
    for (int k = 0; k < act->n; k++) {
        cost += (act->at[k] < N_COLORS ? 2 : 1) + beam_actions[act->does[k]].cost;
    }
    return cost;
}

static void add(BeamSearch *b, BeamAct act) {
    if (b->n_acts < BEAMS_MAX_ACTS) {
        act.draws = true;
        b->prices[b->n_acts] = (ItemAct){ITEM_PAINTS, act_cost(&act)};
        b->acts[b->n_acts++] = act;
    }
}

static bool is_turn(int action) {
    return action == BEAM_DO_TURN_LEFT || action == BEAM_DO_TURN_RIGHT || action == BEAM_DO_BOUNCE ||
           action == BEAM_DO_SPLIT;
}

/* The places that an exception may be about: colors of the inputs, and the others. */
static uint32_t list_places(const BeamSearch *b, uint8_t *to) {
    uint32_t n = 0;
    for (int c = 0; c < N_COLORS; c++) {
        bool background = true;
        for (uint32_t s = 0; s < b->search->task->n; s++) {
            background &= b->of[s]->grid.background == c;
        }
        if ((b->search->task->in_colors >> c & 1) && !background) {
            to[n++] = (uint8_t)c;
        }
    }
    to[n++] = BEAM_AT_OWN;
    to[n++] = BEAM_AT_FOREGROUND;
    to[n++] = BEAM_AT_EDGE; /* last */
    return n;
}

static void list_single(BeamSearch *b, const uint8_t *places, uint32_t n) {
    enum { LONGEST = 6 };
    static const int8_t every[] = {2, -2, 3};
    add(b, (BeamAct){.every = 1});
    for (uint32_t p = 0; p < n; p++) {
        for (int action = 0; action < BEAM_ACTIONS; action++) {
            if (action != BEAM_DO_STOP && (places[p] != BEAM_AT_EDGE || is_turn(action))) {
                add(b, (BeamAct){.every = 1, .n = 1, .at = {places[p]}, .does = {(uint8_t)action}});
            }
        }
    }
    for (size_t k = 0; k < sizeof every; k++) {
        add(b, (BeamAct){.every = every[k]});
        add(b, (BeamAct){.every = every[k], .n = 1, .at = {BEAM_AT_FOREGROUND}, .does = {BEAM_DO_GO}});
        add(b, (BeamAct){.every = every[k], .n = 1, .at = {BEAM_AT_FOREGROUND}, .does = {BEAM_DO_PASS}});
    }
    for (int8_t length = 1; length <= LONGEST; length++) {
        add(b, (BeamAct){.every = 1, .length = length});
    }
}

static bool is_passing(int action) {
    return action == BEAM_DO_GO || action == BEAM_DO_PASS || action == BEAM_DO_TAKE;
}

static bool is_end(int action) {
    return action == BEAM_DO_STRIKE || action == BEAM_DO_FLOOD;
}

/* Whether two exceptions together may mean something: through everything up to some color, or one thing here
 * and another there. */
static bool is_sensible(int p, int x, int q, int y) {
    if (q == BEAM_AT_EDGE) {
        return is_turn(x) && is_turn(y);
    }
    if (q == BEAM_AT_FOREGROUND || q == BEAM_AT_OWN) {
        return p != BEAM_AT_EDGE && (x == BEAM_DO_STOP || is_turn(x)) &&
               (y == BEAM_DO_GO || y == BEAM_DO_PASS);
    }
    return (is_turn(x) && (is_turn(y) || is_passing(y) || is_end(y))) ||
           (is_turn(y) && (is_passing(x) || is_end(x))) || (is_passing(x) && is_passing(y) && x != y);
}

static void list_double(BeamSearch *b, const uint8_t *places, uint32_t n) {
    for (uint32_t q = n; q-- > 1;) { /* what is not about colors first */
        for (uint32_t p = 0; p < q; p++) {
            for (int x = 0; x < BEAM_ACTIONS; x++) {
                for (int y = 0; y < BEAM_ACTIONS; y++) {
                    if (is_sensible(places[p], x, places[q], y)) {
                        add(b, (BeamAct){.every = 1,
                                         .n = 2,
                                         .at = {places[p], places[q]},
                                         .does = {(uint8_t)x, (uint8_t)y}});
                    }
                }
            }
        }
    }
}

/* ---- what they would do ---- */

typedef struct BeamPair {
    const Beams *beams;
    const int8_t *in, *out;
    int16_t *coverer;
    uint32_t first, sample;
} BeamPair;

static BeamPair pair_of(const BeamSearch *b, uint32_t s) {
    const SearchTask *t = b->search->task;
    return (BeamPair){b->of[s], t->in[s].b8, t->out[s].b8, b->coverer[s], b->first[s], s};
}

/* The color that the output has along the beam's path; WANT_NOTHING: the path is empty. */
static int8_t wanted(const BeamSearch *b, const BeamPair *p) {
    const BeamPath *path = b->path;
    int8_t want = WANT_NOTHING;
    bool changes = false;
    for (int32_t k = 0; k < path->n; k++) {
        int8_t out = p->out[path->cell[k]];
        changes |= out != p->in[path->cell[k]];
        if (path->color[k] != BEAM_PAINT ? path->color[k] != out : want != WANT_NOTHING && want != out) {
            return WANT_NO;
        }
        want = path->color[k] == BEAM_PAINT ? out : want;
    }
    return (int8_t)(path->n > 0 && !changes ? WANT_NO : want);
}

/* Counts the changed cells that the path covers, and notes which beam can cover them. */
static uint16_t note_cover(const BeamSearch *b, const BeamPair *p, int32_t beam, uint32_t act) {
    uint16_t covers = 0;
    uint64_t *reach = b->reach + (size_t)act * b->reach_words;
    for (int32_t k = 0; k < b->path->n; k++) {
        int16_t *coverer = &p->coverer[b->path->cell[k]];
        if (*coverer != NEED_NOT) {
            uint32_t change = b->first_changed[p->sample] + b->change[p->sample][b->path->cell[k]];
            reach[change / 64] |= (uint64_t)1 << change % 64;
            covers++;
            *coverer = (int16_t)(*coverer == NEED_OPEN || *coverer == beam ? beam : NEED_MANY);
        }
    }
    return covers;
}

/* Tries acts from..to on a pair. */
static bool try_acts(BeamSearch *b, uint32_t s, uint32_t from, uint32_t to) {
    BeamPair p = pair_of(b, s);
    enum { PLAIN = 1 }; /* the act without exceptions, which comes first */
    for (uint32_t a = from; a < to; a++) {
        const BeamAct *act = &b->acts[a];
        uint64_t before = b->path->looks;
        b->useful[a] |= a <= PLAIN;
        for (int32_t k = 0; k < p.beams->count; k++) {
            size_t slot = (size_t)a * b->n_train + p.first + (uint32_t)k;
            size_t plain = (size_t)PLAIN * b->n_train + p.first + (uint32_t)k;
            bool longer = a > PLAIN && act->every == 1 && act->length == 0; /* paints all that plain does */
            b->covers[slot] = 0;
            b->want[slot] = a == 0 ? WANT_NOTHING : WANT_NO;
            if (a == 0 || (longer && b->want[plain] == WANT_NO)) {
                continue;
            }
            if (beam_follow(p.beams, k, act, b->path)) {
                b->want[slot] = wanted(b, &p);
            }
            if (b->want[slot] != WANT_NO) {
                b->covers[slot] = note_cover(b, &p, k, a);
                b->useful[a] |= b->covers[slot] > 0 && (!longer || b->path->used != 0);
            }
        }
        if (!search_spend(b->search, 1 + (b->path->looks - before) / 16 + (uint64_t)p.beams->count / 64)) {
            return false;
        }
    }
    return true;
}

/* Marks and numbers the changed cells; returns how many there are. */
static uint32_t mark_needs(const BeamSearch *b, const BeamPair *p) {
    uint16_t changed = 0;
    for (int32_t k = 0; k < p->beams->grid.n; k++) {
        p->coverer[k] = p->out[k] != p->in[k] ? NEED_OPEN : NEED_NOT;
        b->change[p->sample][k] = changed;
        changed = (uint16_t)(changed + (p->out[k] != p->in[k]));
    }
    return changed;
}

static bool try_range(BeamSearch *b, uint32_t from, uint32_t to) {
    for (uint32_t s = 0; s < b->search->task->n_train; s++) {
        if (!try_acts(b, s, from, to)) {
            return false;
        }
    }
    return true;
}

/* An act whose exceptions matter in no pair says nothing that a simpler one does not. */
static void drop_useless(BeamSearch *b) {
    uint32_t stay = 0;
    for (uint32_t a = 0; a < b->n_acts; a++) {
        if (b->useful[a]) {
            size_t from = (size_t)a * b->n_train, to = (size_t)stay * b->n_train;
            memmove(b->reach + (size_t)stay * b->reach_words, b->reach + (size_t)a * b->reach_words,
                    b->reach_words * sizeof *b->reach);
            memmove(b->want + to, b->want + from, b->n_train);
            memmove(b->covers + to, b->covers + from, b->n_train * sizeof *b->covers);
            b->acts[stay] = b->acts[a];
            b->prices[stay++] = b->prices[a];
        }
    }
    b->n_acts = stay;
}

static void count_needs(BeamSearch *b) {
    b->needs = b->unmet = 0;
    for (uint32_t s = 0; s < b->search->task->n_train; s++) {
        for (int32_t k = 0; k < b->of[s]->grid.n; k++) {
            b->unmet += b->coverer[s][k] == NEED_OPEN;
            b->needs += b->coverer[s][k] >= NEED_MANY;
        }
    }
}

/* ---- what must be done ---- */

static void settle_pair(BeamSearch *b, uint32_t s) {
    BeamPair p = pair_of(b, s);
    uint16_t owed[FEATURE_MAX_CELLS * BEAM_HEADINGS];
    memset(owed, 0, (size_t)p.beams->count * sizeof *owed);
    for (int32_t k = 0; k < p.beams->grid.n; k++) {
        if (p.coverer[k] >= 0) {
            owed[p.coverer[k]]++;
        }
    }
    for (uint32_t a = 0; a < b->n_acts; a++) {
        for (int32_t k = 0; k < p.beams->count; k++) {
            size_t slot = (size_t)a * b->n_train + p.first + (uint32_t)k;
            b->must[slot] = b->want[slot] != WANT_NO && owed[k] == 0;
            if (b->want[slot] != WANT_NO && owed[k] > 0 && a > 0 && b->covers[slot] >= owed[k] &&
                beam_follow(p.beams, k, &b->acts[a], b->path)) {
                uint32_t paid = 0;
                for (int32_t x = 0; x < b->path->n; x++) {
                    paid += p.coverer[b->path->cell[x]] == k;
                }
                b->must[slot] = paid >= owed[k];
            }
        }
    }
    for (int32_t k = 0; k < p.beams->count; k++) {
        b->kept[p.first + (uint32_t)k] = owed[k] == 0;
    }
}

static bool make_room(BeamSearch *b) {
    Ctx *ctx = b->search->ctx;
    size_t slots = (size_t)BEAMS_MAX_ACTS * b->n_train;
    b->want = ctx_alloc(ctx, slots);
    b->must = ctx_alloc(ctx, slots);
    b->covers = ctx_alloc(ctx, slots * sizeof *b->covers);
    b->kept = ctx_alloc(ctx, b->n_train);
    b->path = ctx_alloc(ctx, sizeof *b->path);
    bool good = b->want != NULL && b->must != NULL && b->covers != NULL && b->kept != NULL && b->path != NULL;
    for (uint32_t s = 0; s < b->search->task->n_train && good; s++) {
        b->coverer[s] = ctx_alloc(ctx, (size_t)b->of[s]->grid.n * sizeof **b->coverer);
        b->change[s] = ctx_alloc(ctx, (size_t)b->of[s]->grid.n * sizeof **b->change);
        good = b->coverer[s] != NULL && b->change[s] != NULL;
    }
    return good;
}

static bool find_changes(BeamSearch *b) {
    uint32_t changed = 0;
    for (uint32_t s = 0; s < b->search->task->n_train; s++) {
        BeamPair p = pair_of(b, s);
        b->first_changed[s] = changed;
        changed += mark_needs(b, &p);
    }
    b->reach_words = changed / 64 + 1;
    size_t bytes = (size_t)BEAMS_MAX_ACTS * b->reach_words * sizeof *b->reach;
    b->reach = ctx_alloc(b->search->ctx, bytes);
    if (b->reach != NULL) {
        memset(b->reach, 0, bytes);
    }
    return b->reach != NULL && changed > 0;
}

bool beams_list_acts(BeamSearch *b) {
    uint8_t places[BEAM_PLACES];
    uint32_t n = list_places(b, places);
    if (!make_room(b) || !find_changes(b)) {
        return false;
    }
    beam_path_open(b->path);
    b->acts[0] = (BeamAct){.every = 1};
    b->prices[0] = (ItemAct){ITEM_COLORLESS, 1};
    b->n_acts = 1;
    list_single(b, places, n);
    if (!try_range(b, 0, b->n_acts)) {
        return false;
    }
    count_needs(b);
    if (b->unmet > 0 || b->search->effort > 1) {
        uint32_t before = b->n_acts;
        list_double(b, places, n);
        if (!try_range(b, before, b->n_acts)) {
            return false;
        }
        count_needs(b);
    }
    drop_useless(b);
    for (uint32_t s = 0; s < b->search->task->n_train; s++) {
        settle_pair(b, s);
    }
    return b->needs > 0 && search_spend(b->search, b->n_acts);
}

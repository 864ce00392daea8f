/* The templates strategy: wherever the input has a small pattern, the output has another one.
 *
 * The changed cells form connected pieces; each is taken with what lies around it and turned until
 * its changed places match those of another piece, and what all of them have in common becomes the
 * pattern. The only search is over how much of the surroundings counts, which turns are allowed,
 * and whether colors may differ. */
#include "base/flood_fill.h"
#include "engine/features/grid_analysis.h"
#include "search/schedule/strategies.h"
#include "search/strategies/templates_internal.h"

#include <string.h>

enum { MAX_SIDE = 9, MAX_CELLS = MAX_SIDE * MAX_SIDE, MAX_RULES = 8, MAX_MEMBERS = 48, TURNS = 8 };
enum { ANY = -1, FIRST_VARIABLE = 10, VARIABLES = 6, FIRST_KEYED = FIRST_VARIABLE + VARIABLES };

typedef struct ChangedPiece { /* a window on a pair; `to` is ANY where nothing changed, `from` outside the
                                 grid */
    int32_t h, w;
    int8_t from[MAX_CELLS], to[MAX_CELLS];
    const int8_t *legend; /* of its input, as in analysis_legend */
} ChangedPiece;

typedef struct TemplateRule {
    ChangedPiece members[MAX_MEMBERS];
    int32_t count;
    ChangedPiece result;
    double cost;
} TemplateRule;

typedef struct TemplateChoice {
    int32_t margin, turns; /* turns: as in pattern_rewrite */
    int32_t reach;         /* how far apart changed cells of one piece may be */
    bool variables;
    int32_t again; /* as in pattern_rewrite */
} TemplateChoice;

typedef struct Templates {
    Search *search;
    TemplateChoice choice;
    TemplateRule rules[MAX_RULES];
    int32_t count;
    int16_t label[FEATURE_MAX_CELLS], queue[FEATURE_MAX_CELLS];
    bool seen[FEATURE_MAX_CELLS];
    int8_t legends[SEARCH_MAX_SAMPLES][N_COLORS];
} Templates;

static ChangedPiece turned(const ChangedPiece *p, int32_t turn) {
    bool lies = turn == 1 || turn == 3 || turn >= 6;
    ChangedPiece to = {.h = lies ? p->w : p->h, .w = lies ? p->h : p->w, .legend = p->legend};
    for (int32_t i = 0; i < p->h; i++) {
        for (int32_t j = 0; j < p->w; j++) {
            int32_t down = p->h - 1 - i, right = p->w - 1 - j;
            const int32_t at[TURNS][2] = {{i, j},     {j, down}, {down, right}, {right, i},
                                          {i, right}, {down, j}, {j, i},        {right, down}};
            int32_t k = at[turn][0] * to.w + at[turn][1];
            to.from[k] = p->from[i * p->w + j];
            to.to[k] = p->to[i * p->w + j];
        }
    }
    return to;
}

/* How many cells of two pieces look the same; -1: different places changed, or in a different way. */
static int32_t likeness(const ChangedPiece *a, const ChangedPiece *b, bool variables) {
    int32_t alike = 0;
    if (a->h != b->h || a->w != b->w) {
        return -1;
    }
    for (int32_t k = 0; k < a->h * a->w; k++) {
        bool same = variables ? (a->to[k] == ANY) == (b->to[k] == ANY) : a->to[k] == b->to[k];
        if (!same) {
            return -1;
        }
        alike += a->from[k] == b->from[k];
    }
    return alike;
}

/* Adds a piece to the rule it fits, or begins a new rule; false: too many. */
static bool add_piece(Templates *t, const ChangedPiece *piece) {
    int32_t turns = t->choice.turns == 0 ? 1 : t->choice.turns == 1 ? 4 : TURNS;
    for (int32_t r = 0; r < t->count; r++) {
        TemplateRule *rule = &t->rules[r];
        int32_t best = -1;
        ChangedPiece best_piece = {0};
        for (int32_t turn = 0; turn < turns; turn++) {
            ChangedPiece tried = turned(piece, turn);
            int32_t alike = likeness(&rule->members[0], &tried, t->choice.variables);
            if (alike > best) {
                best = alike;
                best_piece = tried;
            }
        }
        if (best >= 0) {
            if (rule->count == MAX_MEMBERS) {
                return false;
            }
            rule->members[rule->count++] = best_piece;
            return true;
        }
    }
    if (t->count == MAX_RULES) {
        return false;
    }
    t->rules[t->count].count = 1;
    t->rules[t->count++].members[0] = *piece;
    return true;
}

/* Cuts out the window around the cells with a label; false: it is too large. */
static bool cut_piece(const Templates *t, Val in, Val out, int16_t label, ChangedPiece *p) {
    int32_t h = (int32_t)in.n, w = in.w, top = h, left = w, bottom = -1, right = -1;
    for (int32_t k = 0; k < h * w; k++) {
        if (t->label[k] == label) {
            int32_t i = k / w, j = k % w;
            top = i < top ? i : top;
            left = j < left ? j : left;
            bottom = i > bottom ? i : bottom;
            right = j > right ? j : right;
        }
    }
    top -= t->choice.margin;
    left -= t->choice.margin;
    *p = (ChangedPiece){.h = bottom + t->choice.margin - top + 1, .w = right + t->choice.margin - left + 1};
    if (p->h > MAX_SIDE || p->w > MAX_SIDE) {
        return false;
    }
    for (int32_t x = 0; x < p->h * p->w; x++) {
        int32_t i = top + x / p->w, j = left + x % p->w, k = i * w + j;
        bool inside = i >= 0 && j >= 0 && i < h && j < w;
        p->from[x] = inside ? in.b8[k] : ANY;
        p->to[x] = inside && t->label[k] == label ? out.b8[k] : ANY;
    }
    return true;
}

/* Labels the pieces of what changed; returns how many there are. */
static int16_t label_changes(Templates *t, Val in, Val out) {
    int32_t h = (int32_t)in.n, w = in.w, reach = t->choice.reach;
    int16_t count = 0;
    for (int32_t k = 0; k < h * w; k++) {
        t->seen[k] = in.b8[k] == out.b8[k];
        t->label[k] = -1;
    }
    for (int32_t start = 0; start < h * w; start++) {
        if (!t->seen[start]) {
            t->seen[start] = true;
            t->queue[0] = (int16_t)start;
            int32_t n = flood_unseen(h, w, (FloodReach){reach, reach, false}, t->queue, 1, t->seen);
            for (int32_t k = 0; k < n; k++) {
                t->label[t->queue[k]] = count;
            }
            count++;
        }
    }
    return count;
}

/* ---- what the pieces of a rule have in common ---- */

static bool constant(const TemplateRule *r, int32_t k, bool to) {
    for (int32_t m = 1; m < r->count; m++) {
        int8_t here = to ? r->members[m].to[k] : r->members[m].from[k];
        if (here != (to ? r->members[0].to[k] : r->members[0].from[k])) {
            return false;
        }
    }
    return true;
}

/* Whether two places have the same color in every piece; with `to`, what y becomes is compared. */
static bool together(const TemplateRule *r, int32_t x, int32_t y, bool to) {
    for (int32_t m = 0; m < r->count; m++) {
        int8_t there = to ? r->members[m].to[y] : r->members[m].from[y];
        if (r->members[m].from[x] <= 0 || r->members[m].from[x] != there) {
            return false;
        }
    }
    return true;
}

/* Whether a legend always pairs the color of a place with what another one becomes. */
static bool keyed(const TemplateRule *r, int32_t x, int32_t y) {
    for (int32_t m = 0; m < r->count; m++) {
        const ChangedPiece *p = &r->members[m];
        if (p->from[x] <= 0 || p->from[x] >= N_COLORS || p->legend[p->from[x]] != p->to[y]) {
            return false;
        }
    }
    return true;
}

/* The first place whose color determines what another place becomes; n: none. */
static int32_t source_of(const TemplateRule *r, int32_t n, int32_t place, bool by_legend) {
    int32_t x = 0;
    while (x < n && !(by_legend ? keyed(r, x, place) : together(r, x, place, true))) {
        x++;
    }
    return x;
}

/* Works out the pattern of a rule and what replaces it; false: the pieces do not determine it. */
static bool settle(TemplateRule *r) {
    ChangedPiece *p = &r->result;
    int32_t n = r->members[0].h * r->members[0].w, variables = 0, told = 0, keys = 0;
    int8_t var[MAX_CELLS];
    *p = (ChangedPiece){.h = r->members[0].h, .w = r->members[0].w};
    memset(var, ANY, sizeof var);
    for (int32_t k = 0; k < n; k++) {
        p->from[k] = constant(r, k, false) ? r->members[0].from[k] : ANY;
        p->to[k] = constant(r, k, true) ? r->members[0].to[k] : ANY;
        told += p->from[k] != ANY;
    }
    for (int32_t k = 0; k < n; k++) {
        if (constant(r, k, true)) {
            continue;
        }
        bool by_legend = source_of(r, n, k, false) == n;
        int32_t x = source_of(r, n, k, by_legend);
        if (x == n || (var[x] == ANY && variables == VARIABLES)) {
            return false;
        }
        var[x] = var[x] == ANY ? (int8_t)(FIRST_VARIABLE + variables++) : var[x];
        p->from[x] = var[x];
        p->to[k] = (int8_t)(by_legend ? var[x] + FIRST_KEYED - FIRST_VARIABLE : var[x]);
        keys += by_legend;
    }
    for (int32_t x = 0; x < n; x++) { /* other places that always show a variable's color must show it */
        for (int32_t y = 0; y < n && var[x] != ANY; y++) {
            p->from[y] = p->from[y] == ANY && together(r, x, y, false) ? var[x] : p->from[y];
        }
    }
    int32_t painted = 0;
    for (int32_t k = 0; k < n; k++) {
        painted += p->to[k] != ANY;
    }
    r->cost = 4 + 1.5 * (painted < 8 ? painted : 8) + 2 * (variables + keys) + (r->count == 1 ? 10 : 0);
    return told + variables > 0;
}

/* Learns rules from the training pairs in the set; false: there are none. */
static bool learn(Templates *t, uint64_t pairs) {
    const SearchTask *task = t->search->task;
    t->count = 0;
    for (uint32_t k = 0; k < task->n_train; k++) {
        if (!(pairs >> k & 1)) {
            continue;
        }
        int16_t pieces = label_changes(t, task->in[k], task->out[k]);
        for (int16_t x = 0; x < pieces; x++) {
            ChangedPiece piece;
            if (!cut_piece(t, task->in[k], task->out[k], x, &piece)) {
                return false;
            }
            piece.legend = t->legends[k];
            if (!add_piece(t, &piece)) {
                return false;
            }
        }
    }
    for (int32_t r = 0; r < t->count; r++) {
        if (!settle(&t->rules[r])) {
            return false;
        }
    }
    return t->count > 0;
}

/* ---- programs ---- */

static Val grid_value(Ctx *ctx, const int8_t *cells, int32_t h, int32_t w) {
    Reason why;
    int8_t *to = grid_buffer(ctx, h, w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    memcpy(to, cells, (size_t)(h * w));
    return val_grid8(to, (uint32_t)h, (uint32_t)w);
}

static Val rules_value(const Templates *t) {
    Ctx *ctx = t->search->ctx;
    Val *items = val_buffer(ctx, (size_t)t->count);
    for (int32_t r = 0; r < t->count && items != NULL; r++) {
        const ChangedPiece *p = &t->rules[r].result;
        Val from = grid_value(ctx, p->from, p->h, p->w), to = grid_value(ctx, p->to, p->h, p->w);
        if (val_failed(from) || val_failed(to)) {
            return val_fail_budget(ctx);
        }
        items[r] = val_tuple2(ctx, from, to);
    }
    return items != NULL ? val_tuple(ctx, items, (uint32_t)t->count) : val_fail_budget(ctx);
}

/* Training pairs that the rules get right, bits. */
static uint64_t right_pairs(Templates *t, Val rules, uint64_t among) {
    Search *s = t->search;
    uint64_t right = 0;
    for (uint32_t k = 0; k < s->task->n_train && !val_failed(rules); k++) {
        if (among >> k & 1) {
            CtxMark mark = ctx_mark(s->ctx);
            ctx_rebudget(s->ctx);
            Val args[4] = {s->task->in[k], rules, val_int(t->choice.turns), val_int(t->choice.again)};
            Val v = prim_call(s->ctx, P_pattern_rewrite, args, 4);
            right |= (uint64_t)val_eq(v, s->task->out[k]) << k;
            search_spend(s, ctx_steps_used(s->ctx));
            ctx_release(s->ctx, mark);
        }
    }
    ctx_rebudget(s->ctx);
    return right;
}

/* How many pairs are right by rules learnt from the others. */
static uint32_t predicted(Templates *t) {
    const SearchTask *task = t->search->task;
    uint64_t all = ((uint64_t)1 << task->n_train) - 1;
    uint32_t count = 0;
    for (uint32_t k = 0; k < task->n_train && !t->search->slice_over; k++) {
        uint64_t one = (uint64_t)1 << k;
        count += learn(t, all & ~one) && right_pairs(t, rules_value(t), one) != 0;
    }
    return count;
}

static void try_choice(Templates *t) {
    enum { COST = 30 }; /* high: seven of ten first answers were right, fewer than for other strategies */
    Search *s = t->search;
    uint64_t all = ((uint64_t)1 << s->task->n_train) - 1;
    CtxMark mark = ctx_mark(s->ctx);
    if (learn(t, all)) {
        Val rules = rules_value(t);
        if (!val_failed(rules) && right_pairs(t, rules, all) == all) {
            double cost =
                COST + t->choice.turns + t->choice.margin + (t->choice.again > 0) + t->choice.reach - 1;
            for (int32_t r = 0; r < t->count; r++) {
                cost += t->rules[r].cost;
            }
            Builder *b = &s->builder;
            build_start(b);
            Ref args[4] = {PARAM_I, build_const(b, rules), build_const(b, val_int(t->choice.turns)),
                           build_const(b, val_int(t->choice.again))};
            Program *program = search_finish(s, build_op(b, OP_PRIM, P_pattern_rewrite, args, 4, 0, "", 0));
            /* rules that fit only what they were made from say nothing about a test */
            if (predicted(t) == s->task->n_train) {
                search_offer(s, program, cost);
            } else {
                prog_free(program);
            }
        }
    }
    ctx_release(s->ctx, mark);
}

/* Whether there is something to learn from, and memory; reads the legends. */
static Templates *begin(Search *s) {
    Templates *t =
        s->task->same_size && s->task->n_train > 1 ? quota_grow(&s->quota, NULL, 1, sizeof *t) : NULL;
    for (uint32_t k = 0; k < s->task->n_train && t != NULL; k++) {
        GridAnalysis b;
        Reason why;
        if (analysis_of(s->task->in[k], &b, &why)) {
            analysis_legend(&b, t->legends[k]);
        } else {
            quota_free(&s->quota, t);
            t = NULL;
        }
    }
    return t;
}

void strategy_templates_run(Search *s, void *state) {
    (void)state;
    templates_decorate(s);
    Templates *t = begin(s);
    enum { REACHES = 3, MARGINS = 3, TURNINGS = 3, REPEATS = 3 };
    enum { OF_TURNS = 2 * REPEATS, OF_MARGIN = TURNINGS * OF_TURNS, OF_REACH = MARGINS * OF_MARGIN };
    for (int32_t x = 0; x < REACHES * OF_REACH && t != NULL && !s->slice_over; x++) {
        t->search = s;
        t->choice = (TemplateChoice){.reach = 1 + x / OF_REACH,
                                     .margin = x / OF_MARGIN % MARGINS,
                                     .turns = x / OF_TURNS % TURNINGS,
                                     .variables = x / REPEATS % 2,
                                     .again = x % REPEATS};
        try_choice(t);
    }
    if (t != NULL) {
        quota_free(&s->quota, t);
    }
}

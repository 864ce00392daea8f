/* The walkers part: explains what is drawn as the work of walkers (patterns/walk.h).
 *
 * All starts, headings and colors of walkers are tried, but not all tables of what they do: at the first cell
 * ahead about which the table says nothing, each action is tried, and nearly all of them paint a wrong cell
 * at once; so the drawn cells determine the table entry by entry. Walkers that paint nothing wrong, but not
 * everything, are applied, and then others are looked for. */
#include "patterns/walk.h"
#include "search/parts.h"

#include <string.h>

enum { MOST_RULES = 3, MOST_NODES = 400, COLORS = 10 };

typedef struct Found {
    WalkRule rule;
    int32_t right; /* cells that had to be painted, and are */
    double cost;
    uint16_t needed; /* table entries determined by the pairs, bits */
} Found;

typedef struct Walkers {
    Search *search;
    Board in[SEARCH_MOST_SAMPLES];
    int8_t cells[SEARCH_MOST_SAMPLES][FEATURE_MOST_CELLS]; /* of the inputs, as painted so far */
    int32_t open;                                          /* training cells that are not right yet */
    Found chosen[MOST_RULES], best, whole;
    uint32_t count;
    uint32_t nodes;
    uint16_t needed;
    uint16_t drawn; /* colors that open cells must get, bits */
    Walk walk;
} Walkers;

/* Counts the cells that are not right yet, and notes the colors they must get. */
static int32_t count_open(Walkers *w, uint32_t pair, const int8_t *cells) {
    const int8_t *wanted = w->search->task->out[pair].b8;
    int32_t open = 0;
    for (int32_t k = 0; k < w->in[pair].n; k++) {
        if (cells[k] != wanted[k]) {
            open++;
            w->drawn |= (uint16_t)(1u << wanted[k]);
        }
    }
    return open;
}

/* Bits for the choice of starts, colors and headings, and for the table entries that are needed. */
static double price(const WalkRule *r, uint16_t needed) {
    bool single = (r->headings & (r->headings - 1)) == 0;
    double entries = 0;
    for (int32_t c = 0; c < WALK_ENTRIES; c++) {
        bool usual = r->table[c] == (c == 0 ? WALK_GO : WALK_STOP);
        entries += needed >> c & 1 ? (usual ? 0.5 : 4) : 0;
    }
    return 9 + (r->start < 0 ? 1 : 3) + (r->behind < 0 ? 0 : 4) +
           (r->arrive < 0           ? 0
            : r->arrive == WALK_OWN ? 1
                                    : 3) +
           (r->paint < 0 ? 1 : 3) + (single ? 4 : 2) + entries;
}

/* Notes a rule that paints nothing wrong in any pair. */
static void note(Walkers *w, const WalkRule *rule) {
    Found f = {.rule = *rule, .needed = w->needed, .cost = price(rule, w->needed)};
    int32_t left = 0;
    for (int32_t c = 0; c < WALK_ENTRIES; c++) {
        f.rule.table[c] = f.rule.table[c] == WALK_OPEN ? WALK_STOP : f.rule.table[c];
    }
    for (uint32_t k = 0; k < w->search->task->n_train; k++) {
        walk_run(&w->walk, &w->in[k], &f.rule, NULL);
        left += count_open(w, k, w->walk.cells);
    }
    f.right = w->open - left;
    if (left == 0 && (w->whole.right == 0 || f.cost < w->whole.cost)) {
        w->whole = f;
    }
    if (f.right > w->best.right || (f.right == w->best.right && f.right > 0 && f.cost < w->best.cost)) {
        w->best = f;
    }
}

/* Fills in the table, from a pair on; false: no budget left. */
static bool fill_table(Walkers *w, WalkRule *rule, uint32_t pair) {
    Search *s = w->search;
    const SearchTask *t = s->task;
    WalkEnd end = WALK_DONE;
    for (; pair < t->n_train && end == WALK_DONE; pair++) {
        end = walk_run(&w->walk, &w->in[pair], rule, t->out[pair].b8);
        if (!search_spend(s, 1 + w->walk.looks / 32)) {
            return false;
        }
    }
    if (end == WALK_DONE) {
        note(w, rule);
        return true;
    }
    if (end != WALK_NEEDS || w->nodes++ > MOST_NODES) {
        return true;
    }
    int32_t entry = w->walk.needs;
    bool ground = entry == w->in[pair - 1].ground, go_on = true;
    w->needed |= (uint16_t)(1u << entry);
    for (int8_t action = 0; action < WALK_ACTIONS && go_on; action++) {
        bool moves = action == WALK_GO || action == WALK_PASS || action == WALK_HIT || action == WALK_TAKE;
        if ((entry == WALK_EDGE && moves) || (ground && action != WALK_GO && action != WALK_PASS)) {
            continue;
        }
        rule->table[entry] = action;
        go_on = fill_table(w, rule, pair - 1);
    }
    rule->table[entry] = WALK_OPEN;
    w->needed &= (uint16_t) ~(1u << entry);
    return go_on;
}

static bool try_who(Walkers *w, int8_t start, int8_t behind, int8_t paint, int8_t arrive, uint8_t headings) {
    WalkRule rule = {start, behind, headings, paint, arrive, {0}};
    memset(rule.table, WALK_OPEN, sizeof rule.table);
    rule.table[WALK_EDGE] = arrive < 0 ? WALK_OPEN : WALK_STOP;
    w->nodes = 0;
    w->needed = 0;
    return fill_table(w, &rule, 0);
}

/* Tries all walkers; false: no budget left. */
static bool try_all(Walkers *w, uint16_t colors) {
    static const uint8_t headings[] = {15, 240, 255, 5, 10, 80, 160, 1, 2, 4, 8, 16, 32, 64, 128};
    uint16_t outs = w->drawn;
    for (int8_t start = -1; start < COLORS; start++) {
        for (int8_t paint = -1; paint < COLORS; paint++) {
            bool odd = (start >= 0 && (!(colors >> start & 1) || paint == -1)) ||
                       (paint >= 0 && !(outs >> paint & 1));
            for (uint32_t h = 0; h < sizeof headings && !odd; h++) {
                if (!try_who(w, start, -1, paint, -1, headings[h])) {
                    return false;
                }
                for (int8_t arrive = 0; arrive <= WALK_OWN && h < 7; arrive++) {
                    bool sensible = arrive == WALK_OWN || (colors >> arrive & 1 && arrive != start);
                    if (sensible && !try_who(w, start, -1, paint, arrive, headings[h])) {
                        return false;
                    }
                }
                for (int8_t behind = 0; behind < COLORS && h < 3; behind++) {
                    if ((colors >> behind & 1) && !try_who(w, start, behind, paint, -1, headings[h])) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

static Val numbers(Ctx *ctx, const int8_t *from, uint32_t n) {
    int64_t items[WALK_ENTRIES];
    for (uint32_t k = 0; k < n; k++) {
        items[k] = from[k];
    }
    return val_ints(ctx, items, n);
}

static void offer(Walkers *w) {
    Search *s = w->search;
    Builder *b = &s->builder;
    build_start(b);
    Ref grid = PARAM_I;
    double cost = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        const WalkRule *r = &w->chosen[k].rule;
        Val who = numbers(s->ctx, (int8_t[]){r->start, r->behind, r->paint, r->arrive}, 4);
        Val table = numbers(s->ctx, r->table, WALK_ENTRIES);
        if (val_failed(who) || val_failed(table)) {
            return;
        }
        Ref args[4] = {grid, build_const(b, who), build_const(b, val_int(r->headings)),
                       build_const(b, table)};
        grid = build_op(b, OP_PRIM, P_walk, args, 4, 0, "", 0);
        cost += w->chosen[k].cost;
    }
    search_offer(s, search_finish(s, grid), cost);
}

/* Paints what the chosen walkers paint. */
static void apply(Walkers *w, const WalkRule *rule) {
    w->open = w->drawn = 0;
    for (uint32_t k = 0; k < w->search->task->n; k++) {
        Board *b = &w->in[k];
        Reason why;
        walk_run(&w->walk, b, rule, NULL);
        memcpy(w->cells[k], w->walk.cells, (size_t)b->n);
        board_of(val_grid8(w->cells[k], (uint32_t)b->h, (uint32_t)b->w), b, &why);
        w->open += k < w->search->task->n_train ? count_open(w, k, w->cells[k]) : 0;
    }
}

static void look(Walkers *w) {
    const SearchTask *t = w->search->task;
    for (uint32_t k = 0; k < t->n; k++) {
        Reason why;
        if (!board_of(t->in[k], &w->in[k], &why)) {
            return;
        }
        w->open += k < t->n_train ? count_open(w, k, t->in[k].b8) : 0;
    }
    bool go_on = true;
    while (go_on && w->count < MOST_RULES && w->open > 0) {
        w->best = w->whole = (Found){.right = 0};
        go_on = try_all(w, t->in_all);
        Found next = w->whole.right > 0 ? w->whole : w->best;
        if (next.right <= 0) {
            return;
        }
        w->chosen[w->count++] = next;
        apply(w, &next.rule);
        if (w->open == 0) {
            offer(w);
        }
    }
}

void part_walkers_run(Search *s, void *state) {
    (void)state;
    if (!s->task->same_size) {
        return;
    }
    CtxMark mark = ctx_mark(s->ctx);
    Walkers *w = quota_grow(&s->quota, NULL, 1, sizeof *w);
    if (w != NULL) {
        memset(w, 0, sizeof *w);
        w->search = s;
        look(w);
        quota_free(&s->quota, w);
    }
    ctx_release(s->ctx, mark);
}

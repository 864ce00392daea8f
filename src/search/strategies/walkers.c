/* The walkers strategy explains what is drawn as the trails of walkers (engine/patterns/walk.h).
 *
 * All starts, headings and colors of walkers are tried, but not all tables of what they do: at the
 * first cell ahead about which the table says nothing, each action is tried, and nearly all of them
 * paint a wrong cell at once; so the drawn cells determine the table entry by entry. Walkers that
 * paint nothing wrong, but not everything, are applied before the search for others goes on.
 *
 * At first effort walkers see the color ahead in the input; with more effort the search tries those
 * that see what is painted, and more than the cell ahead. */
#include "engine/patterns/walk.h"
#include "search/schedule/strategies.h"

#include <string.h>

enum {
    MAX_RULES = 3,
    MAX_NODES = 400,
    COLORS = 10,
    MAX_COST = 48 /* a rule that costs more is not credible */
};

typedef struct FoundRule {
    WalkRule rule;
    int32_t right; /* cells that had to be painted, and are */
    double cost;
} FoundRule;

typedef struct Walkers {
    Search *search;
    GridAnalysis in[SEARCH_MAX_SAMPLES];
    int8_t cells[SEARCH_MAX_SAMPLES][FEATURE_MAX_CELLS]; /* of the inputs, as painted so far */
    int32_t open;                                        /* training cells that are not right yet */
    FoundRule chosen[MAX_RULES], best, whole;
    uint32_t count;
    uint32_t nodes;
    int16_t needed[TRAIL_CONTEXTS]; /* table entries determined by the pairs */
    int32_t n_needed;
    int32_t reached; /* the most cells that a rule of the current branch gets right */
    uint16_t drawn;  /* colors that open cells must get, bits */
    bool repaints;   /* some of them are not background */
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
            w->repaints |= cells[k] != w->in[pair].background;
        }
    }
    return open;
}

/* What an entry would be without any rule: on over background, and no farther. */
static int8_t usual(const Walkers *w, const WalkRule *r, int32_t context) {
    int8_t background = r->sees == WALK_SEES_ORIGINAL ? 0 : w->in[0].background;
    return context % TRAIL_ENTRIES == background ? WALK_GO : WALK_STOP;
}

/* Bits for the choice of starts, colors and headings, and for the table entries that are needed. */
static double price(const Walkers *w, const WalkRule *r) {
    bool single = (r->headings & (r->headings - 1)) == 0;
    double entries = r->sees == WALK_SEES_ORIGINAL ? 0 : r->sees == WALK_SEES_AHEAD ? 2 : 4;
    for (int32_t x = 0; x < w->n_needed; x++) {
        entries += r->table[w->needed[x]] == usual(w, r, w->needed[x]) ? 0.5 : 4;
    }
    return 9 + (r->start < 0 ? 1 : 3) + (r->behind < 0 ? 0 : 4) +
           (r->arrive < 0           ? 0
            : r->arrive == WALK_OWN ? 1
                                    : 3) +
           (r->paint < 0 ? 1 : 3) + (single ? 4 : 2) + entries;
}

/* Fills the entries that the pairs leave open. What was seen on one side holds for the other. */
static void close_table(WalkRule *r) {
    for (int32_t c = 0; c < WALK_ENTRIES && r->sees == WALK_SEES_ORIGINAL; c++) {
        r->table[c] = r->table[c] == WALK_OPEN ? WALK_STOP : r->table[c];
    }
    for (int32_t c = 0; c < TRAIL_CONTEXTS && r->sees == WALK_SEES_SIDES; c++) {
        int8_t there = r->table[walk_mirrored(c)];
        if (r->table[c] == WALK_OPEN && there != WALK_OPEN) {
            r->table[c] = there == WALK_LEFT ? WALK_RIGHT : there == WALK_RIGHT ? WALK_LEFT : there;
        }
    }
}

/* Notes a rule that paints nothing wrong in any pair. */
static void note(Walkers *w, const WalkRule *rule) {
    FoundRule f = {.rule = *rule, .cost = price(w, rule)};
    int32_t left = 0;
    close_table(&f.rule);
    for (uint32_t k = 0; k < w->search->task->n_train; k++) {
        walk_run(&w->walk, &w->in[k], &f.rule, NULL);
        left += count_open(w, k, w->walk.cells);
    }
    f.right = w->open - left;
    w->reached = f.right > w->reached ? f.right : w->reached;
    if (left == 0 && (w->whole.right == 0 || f.cost < w->whole.cost)) {
        w->whole = f;
    }
    if (f.right > w->best.right || (f.right == w->best.right && f.right > 0 && f.cost < w->best.cost)) {
        w->best = f;
    }
}

/* What draws the most comes first, because the number of tables that are tried is bounded. */
static const int8_t actions_tried[TRAIL_ACTIONS] = {WALK_GO,     WALK_LEFT, WALK_RIGHT, WALK_HOME, WALK_SPLIT,
                                                    WALK_BOUNCE, WALK_HIT,  WALK_TAKE,  WALK_STOP, WALK_PASS};

/* Whether an action is worth trying where a walker sees this. */
static bool sensible(const Walkers *w, const WalkRule *rule, int32_t context, int8_t action,
                     int8_t background) {
    int32_t ahead = context % TRAIL_ENTRIES;
    bool trail = rule->sees != WALK_SEES_ORIGINAL, more = rule->sees > WALK_SEES_AHEAD;
    bool home = rule->sees == WALK_SEES_HOME && context / TRAIL_ENTRIES == WALK_AT_HOME;
    switch (action) {
    case WALK_GO:
        return ahead != WALK_EDGE;
    case WALK_PASS:
        return ahead != WALK_EDGE && (ahead != background || (w->repaints && !trail));
    case WALK_HIT:
    case WALK_TAKE:
        return ahead != WALK_EDGE && ahead != background;
    case WALK_HOME: /* it must know where that is, and not be going there */
        return rule->sees == WALK_SEES_HOME && !home;
    case WALK_LEFT:
    case WALK_RIGHT: /* off its way a walker goes on, goes home or ends */
        return rule->sees == WALK_SEES_HOME ? home && ahead != background : ahead != background || more;
    case WALK_BOUNCE:
        return ahead != background;
    default: /* over background walkers go on, unless they see more than that it is background */
        return ahead != background || more;
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
    double max = w->whole.right > 0 ? w->whole.cost : MAX_COST;
    if (end != WALK_NEEDS || w->nodes++ > MAX_NODES || price(w, rule) > max) {
        return true;
    }
    int32_t context = w->walk.needs, before = w->reached, reached = 0;
    bool go_on = true;
    w->needed[w->n_needed++] = (int16_t)context;
    for (uint32_t x = 0; x < TRAIL_ACTIONS && go_on; x++) {
        int8_t action = actions_tried[x];
        /* What draws is better than what stops, and going on is better than turning. */
        bool enough =
            reached > 0 && (action == WALK_STOP || action == WALK_PASS || rule->table[context] == WALK_GO);
        if (!enough && sensible(w, rule, context, action, w->in[pair - 1].background)) {
            rule->table[context] = action;
            w->reached = 0;
            go_on = fill_table(w, rule, pair - 1);
            reached = w->reached > reached ? w->reached : reached;
        }
    }
    w->reached = reached > before ? reached : before;
    rule->table[context] = WALK_OPEN;
    w->n_needed--;
    return go_on;
}

static bool try_who(Walkers *w, WalkRule rule) {
    memset(rule.table, WALK_OPEN, sizeof rule.table);
    rule.table[WALK_EDGE] = rule.arrive < 0 ? WALK_OPEN : WALK_STOP;
    w->nodes = 0;
    w->n_needed = 0;
    return fill_table(w, &rule, 0);
}

static const uint8_t headings_tried[] = {15, 240, 255, 5, 10, 80, 160, 1, 2, 4, 8, 16, 32, 64, 128};

/* Tries all walkers; false: no budget left. */
static bool try_all(Walkers *w, uint16_t colors) {
    uint16_t outs = w->drawn;
    for (int8_t start = -1; start < COLORS; start++) {
        for (int8_t paint = -1; paint < COLORS; paint++) {
            bool odd = (start >= 0 && (!(colors >> start & 1) || paint == -1)) ||
                       (paint >= 0 && !(outs >> paint & 1));
            for (uint32_t h = 0; h < sizeof headings_tried && !odd; h++) {
                WalkRule rule = {.start = start, .behind = -1, headings_tried[h], paint, -1, 0, {0}};
                bool everywhere =
                    start == w->in[0].background; /* then only what lies behind distinguishes the starts */
                if (!everywhere && !try_who(w, rule)) {
                    return false;
                }
                for (rule.arrive = 0; rule.arrive <= WALK_OWN && h < 7 && !everywhere; rule.arrive++) {
                    bool sensible =
                        rule.arrive == WALK_OWN || (colors >> rule.arrive & 1 && rule.arrive != start);
                    if (sensible && !try_who(w, rule)) {
                        return false;
                    }
                }
                rule.arrive = -1;
                for (rule.behind = 0; rule.behind < COLORS && h < 3; rule.behind++) {
                    if ((colors >> rule.behind & 1) && !try_who(w, rule)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

/* Tries all trails from starts of one kind; false: no budget left. */
static bool try_trails_from(Walkers *w, int8_t start, int8_t paint, uint16_t colors) {
    for (uint32_t h = 0; h < sizeof headings_tried; h++) {
        for (int8_t behind = -1; behind <= WALK_OWN; behind++) {
            bool own = behind == WALK_OWN, corner = start >= WALK_CORNER;
            if ((behind >= 0 && corner) || (behind >= 0 && !own && (h > 2 || !(colors >> behind & 1)))) {
                continue;
            }
            for (WalkSees sees = WALK_SEES_AHEAD; sees < WALK_SEES_COUNT; sees++) {
                if (!try_who(w, (WalkRule){start, behind, headings_tried[h], paint, -1, sees, {0}})) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool try_all_trails(Walkers *w, uint16_t colors) {
    uint16_t outs = w->drawn;
    colors &= (uint16_t) ~(1u << w->in[0].background); /* nothing starts from everywhere */
    for (int8_t start = -1; start < WALK_CORNER + WALK_CORNERS; start++) {
        for (int8_t paint = -1; paint < COLORS; paint++) {
            bool odd = (start >= 0 && paint == -1) ||
                       (start >= 0 && start < COLORS && !(colors >> start & 1)) ||
                       (paint >= 0 && !(outs >> paint & 1));
            if (!odd && !try_trails_from(w, start, paint, colors)) {
                return false;
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

/* The entries of a trail's table. */
static Val entries_of(Ctx *ctx, const WalkRule *r) {
    Val *items = val_buffer(ctx, TRAIL_CONTEXTS);
    uint32_t n = 0;
    for (int32_t c = 0; c < TRAIL_CONTEXTS && items != NULL; c++) {
        if (r->table[c] != WALK_OPEN) {
            items[n++] = val_ints(ctx, (int64_t[]){c, r->table[c]}, 2);
        }
    }
    return items != NULL ? val_tuple(ctx, items, n) : val_fail_budget(ctx);
}

/* Adds a call that sends walkers over *grid; false: no room for its constants. */
static bool add_call(Search *s, const WalkRule *r, Ref *grid) {
    Builder *b = &s->builder;
    bool original = r->sees == WALK_SEES_ORIGINAL;
    int8_t last = original ? r->arrive : (int8_t)r->sees;
    Val who = numbers(s->ctx, (int8_t[]){r->start, r->behind, r->paint, last}, 4);
    Val table = original ? numbers(s->ctx, r->table, WALK_ENTRIES) : entries_of(s->ctx, r);
    if (val_failed(who) || val_failed(table)) {
        return false;
    }
    Ref args[4] = {*grid, build_const(b, who), build_const(b, val_int(r->headings)), build_const(b, table)};
    *grid = build_op(b, OP_PRIM, original ? P_walk : P_trail, args, 4, 0, "", 0);
    return true;
}

static void offer(Walkers *w) {
    Search *s = w->search;
    build_start(&s->builder);
    Ref grid = PARAM_I;
    double cost = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        if (!add_call(s, &w->chosen[k].rule, &grid)) {
            return;
        }
        cost += w->chosen[k].cost;
    }
    search_offer(s, search_finish(s, grid), cost);
}

/* Paints what the chosen walkers paint. */
static void apply(Walkers *w, const WalkRule *rule) {
    w->open = w->drawn = 0;
    w->repaints = false;
    for (uint32_t k = 0; k < w->search->task->n; k++) {
        GridAnalysis *b = &w->in[k];
        Reason why;
        walk_run(&w->walk, b, rule, NULL);
        memcpy(w->cells[k], w->walk.cells, (size_t)b->n);
        analysis_of(val_grid8(w->cells[k], (uint32_t)b->h, (uint32_t)b->w), b, &why);
        w->open += k < w->search->task->n_train ? count_open(w, k, w->cells[k]) : 0;
    }
}

static void find_rules(Walkers *w) {
    const SearchTask *t = w->search->task;
    for (uint32_t k = 0; k < t->n; k++) {
        Reason why;
        if (!analysis_of(t->in[k], &w->in[k], &why)) {
            return;
        }
        w->open += k < t->n_train ? count_open(w, k, t->in[k].b8) : 0;
    }
    bool go_on = true;
    while (go_on && w->count < MAX_RULES && w->open > 0) {
        w->best = w->whole = (FoundRule){.right = 0};
        go_on = w->search->effort > 1 ? try_all_trails(w, t->in_all) : try_all(w, t->in_all);
        FoundRule next = w->whole.right > 0 ? w->whole : w->best;
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

void strategy_walkers_run(Search *s, void *state) {
    (void)state;
    if (!s->task->same_size) {
        return;
    }
    CtxMark mark = ctx_mark(s->ctx);
    Walkers *w = quota_grow(&s->quota, NULL, 1, sizeof *w);
    if (w != NULL) {
        memset(w, 0, sizeof *w);
        w->search = s;
        find_rules(w);
        quota_free(&s->quota, w);
    }
    ctx_release(s->ctx, mark);
}

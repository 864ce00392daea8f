/* Walkers; see walk.h. */
#include "engine/patterns/walk.h"

#include "base/check.h"

#include <string.h>

enum { MAX_WAITING = 256, MAX_LOOKS = 1 << 20, LOOKS_PER_STEP = 16 };

typedef struct Walker {
    int16_t i, j;
    int8_t heading, home, color, arrive; /* home: the first heading; arrive: -1 or a color */
} Walker;

typedef struct Crowd {
    Walk *walk;
    const GridAnalysis *b;
    const WalkRule *rule;
    const int8_t *wanted;
    Walker waiting[MAX_WAITING];
    int32_t count;
} Crowd;

/* Paints the trail; false: some of it is wrong. */
static bool paint_trail(Crowd *c) {
    Walk *walk = c->walk;
    for (int32_t x = 0; x < walk->length; x++) {
        int16_t k = walk->trail[x];
        walk->cells[k] = walk->colors[x];
        walk->painted[k] = true;
        if (c->wanted != NULL && c->wanted[k] != walk->colors[x]) {
            return false;
        }
    }
    walk->length = 0;
    return true;
}

/* Moves a walker to the cell ahead; false: it paints a wrong color. Trails that count only on arrival are
 * painted later. */
static bool step(Crowd *c, Walker *w, bool paint) {
    Walk *walk = c->walk;
    w->i = (int16_t)(w->i + heading_di(w->heading));
    w->j = (int16_t)(w->j + heading_dj(w->heading));
    if (paint) {
        walk->trail[walk->length] = (int16_t)(w->i * c->b->w + w->j);
        walk->colors[walk->length++] = w->color;
    }
    return !paint || w->arrive >= 0 || paint_trail(c);
}

/* Whether a walker stood here with this heading before: then it would only repeat itself. */
static bool been_there(Crowd *c, const Walker *w) {
    uint8_t *been = &c->walk->been[w->i * c->b->w + w->j], bit = (uint8_t)(1u << w->heading);
    bool before = (*been & bit) != 0;
    *been |= bit;
    return before;
}

static WalkKind kind_of(const Crowd *c, int32_t i, int32_t j) {
    int8_t color = analysis_color(c->b, i, j);
    return color < 0                           ? WALK_OUTSIDE
           : c->walk->painted[i * c->b->w + j] ? WALK_PAINTED_KIND
           : color == c->b->background         ? WALK_FREE
                                               : WALK_TAKEN;
}

static WalkKind kind_towards(const Crowd *c, const Walker *w, int8_t heading, int32_t far) {
    return kind_of(c, w->i + far * heading_di(heading), w->j + far * heading_dj(heading));
}

/* The place in the table for what a walker sees; `ahead` is the color there. */
static int32_t context_of(const Crowd *c, const Walker *w, int8_t ahead) {
    int32_t entry = ahead < 0 ? WALK_EDGE : ahead, more = 0;
    if (c->rule->sees == WALK_SEES_ORIGINAL) {
        return entry;
    }
    if (kind_towards(c, w, w->heading, 1) == WALK_PAINTED_KIND) {
        entry = WALK_PAINTED;
    }
    if (c->rule->sees == WALK_SEES_SECOND) {
        more = (int32_t)kind_towards(c, w, w->heading, 2);
    } else if (c->rule->sees == WALK_SEES_SIDES) {
        int32_t left = (int32_t)kind_towards(c, w, heading_turned(w->heading, -1), 1);
        int32_t right = (int32_t)kind_towards(c, w, heading_turned(w->heading, 1), 1);
        more = left + WALK_KINDS * right;
    } else if (c->rule->sees == WALK_SEES_HOME) {
        more = w->heading == w->home ? (int32_t)WALK_AT_HOME : (int32_t)kind_towards(c, w, w->home, 1);
    }
    return entry + TRAIL_ENTRIES * more;
}

int32_t walk_mirrored(int32_t context) {
    int32_t sides = context / TRAIL_ENTRIES;
    return context % TRAIL_ENTRIES + TRAIL_ENTRIES * (sides / WALK_KINDS + sides % WALK_KINDS * WALK_KINDS);
}

/* Runs one walker until it stops. */
static WalkEnd follow(Crowd *c, Walker w) {
    c->walk->length = 0;
    while (!been_there(c, &w)) {
        int8_t ahead = analysis_color(c->b, w.i + heading_di(w.heading), w.j + heading_dj(w.heading));
        int32_t context = context_of(c, &w, ahead);
        int8_t action = c->rule->table[context];
        if (c->walk->looks++ > MAX_LOOKS) {
            return WALK_TOO_LONG;
        }
        if (w.arrive >= 0 && ahead == w.arrive) {
            return paint_trail(c) ? WALK_DONE : WALK_WRONG;
        }
        if (action == WALK_OPEN && c->wanted != NULL) {
            c->walk->needs = context;
            return WALK_NEEDS;
        }
        if (action == WALK_OPEN) {
            action = context % TRAIL_ENTRIES == c->b->background ? WALK_GO : WALK_STOP;
        }
        bool moves = action == WALK_GO || action == WALK_PASS || action == WALK_HIT || action == WALK_TAKE;
        if (action == WALK_STOP || (moves && ahead < 0)) {
            return WALK_DONE;
        }
        if (action == WALK_TAKE) {
            w.color = ahead;
        }
        if (moves && !step(c, &w, action == WALK_GO || action == WALK_HIT)) {
            return WALK_WRONG;
        }
        if (action == WALK_HIT) {
            return WALK_DONE;
        }
        if (action == WALK_SPLIT) {
            if (c->count == MAX_WAITING) {
                return WALK_TOO_LONG;
            }
            c->waiting[c->count] = w;
            c->waiting[c->count++].heading = heading_turned(w.heading, 1);
        }
        if (action == WALK_BOUNCE) {
            w.heading = heading_bounced(c->b, w.i, w.j, w.heading);
        } else if (action == WALK_HOME) {
            w.heading = w.home;
        } else if (!moves) {
            w.heading = heading_turned(w.heading, action == WALK_RIGHT ? 1 : -1);
        }
    }
    return WALK_DONE;
}

/* Whether a walker with this heading starts at cell k. */
static bool starts(const Crowd *c, int32_t k, int8_t heading) {
    ASSERT(k >= 0 && heading >= 0 && heading < 8, "cell %d, heading %d", k, heading);
    const GridAnalysis *b = c->b;
    const WalkRule *r = c->rule;
    const int32_t corners[WALK_CORNERS] = {0, b->w - 1, b->n - 1, b->n - b->w};
    bool here = r->start < 0              ? b->c[k] != b->background
                : r->start >= WALK_CORNER ? k == corners[r->start - WALK_CORNER]
                                          : b->c[k] == r->start;
    int32_t i = k / b->w, j = k % b->w;
    int8_t behind = r->behind == WALK_OWN ? b->c[k] : r->behind;
    return here && (r->headings >> heading & 1) &&
           (behind < 0 || analysis_color(b, i - heading_di(heading), j - heading_dj(heading)) == behind);
}

/* Sends a walker off, and those it splits into. */
static WalkEnd send(Crowd *c, Walker first) {
    if (c->rule->start >= WALK_CORNER) {
        c->walk->trail[0] = (int16_t)(first.i * c->b->w + first.j);
        c->walk->colors[0] = first.color;
        c->walk->length = 1;
        if (!paint_trail(c)) {
            return WALK_WRONG;
        }
    }
    c->waiting[c->count++] = first;
    WalkEnd end = WALK_DONE;
    while (c->count > 0 && end == WALK_DONE) {
        end = follow(c, c->waiting[--c->count]);
    }
    return end;
}

WalkEnd walk_run(Walk *walk, const GridAnalysis *b, const WalkRule *rule, const int8_t *wanted) {
    Crowd c = {.walk = walk, .b = b, .rule = rule, .wanted = wanted};
    memcpy(walk->cells, b->c, (size_t)b->n);
    memset(walk->painted, 0, (size_t)b->n * sizeof *walk->painted);
    walk->looks = (uint64_t)b->n;
    for (int32_t k = 0; k < b->n; k++) {
        bool fresh = true;
        for (int8_t heading = 0; heading < WALK_HEADINGS; heading++) {
            if (!starts(&c, k, heading)) {
                continue;
            }
            if (fresh) {
                memset(walk->been, 0, (size_t)b->n);
                walk->looks += (uint64_t)b->n / LOOKS_PER_STEP;
                fresh = false;
            }
            int8_t color = rule->paint < 0 ? b->c[k] : rule->paint;
            WalkEnd end = send(&c, (Walker){(int16_t)(k / b->w), (int16_t)(k % b->w), heading, heading, color,
                                            rule->arrive == WALK_OWN ? b->c[k] : rule->arrive});
            if (end != WALK_DONE) {
                return end;
            }
        }
    }
    return WALK_DONE;
}

/* ---- the primitives ---- */

/* Reads a tuple of exactly n numbers in min..max; false: it is not one. */
static bool read_numbers(Val v, int8_t *to, uint32_t n, int64_t min, int64_t max) {
    if (!val_is_ints(v) || val_len(v) != n) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        int64_t x = val_ints_at(v, k);
        if (x < min || x > max) {
            return false;
        }
        to[k] = (int8_t)x;
    }
    return true;
}

static bool read_headings(Val v, uint8_t *headings) {
    *headings = val_int_within(v, 0, 256) ? (uint8_t)v.i : 0;
    return val_is_int(v) && v.i == *headings;
}

static bool read_walk(const Val *a, WalkRule *rule) {
    int8_t who[4];
    if (!read_numbers(a[1], who, 4, -1, WALK_OWN) || !read_headings(a[2], &rule->headings) ||
        who[0] == WALK_OWN || who[1] == WALK_OWN || who[2] == WALK_OWN) {
        return false;
    }
    rule->start = who[0];
    rule->behind = who[1];
    rule->paint = who[2];
    rule->arrive = who[3];
    return read_numbers(a[3], rule->table, WALK_ENTRIES, 0, WALK_ACTIONS - 1);
}

/* Reads the entries of a trail's table, pairs of context and action. */
static bool read_entries(Val v, int8_t *table) {
    memset(table, WALK_OPEN, TRAIL_CONTEXTS);
    bool good = val_is_tuple(v) && val_len(v) <= TRAIL_CONTEXTS;
    for (uint32_t k = 0; good && k < val_len(v); k++) {
        Val entry = val_at(v, k);
        good = val_is_ints(entry) && val_len(entry) == 2;
        int64_t context = good ? val_ints_at(entry, 0) : -1, action = good ? val_ints_at(entry, 1) : -1;
        good = context >= 0 && context < TRAIL_CONTEXTS && action >= 0 && action < TRAIL_ACTIONS;
        if (good) {
            table[context] = (int8_t)action;
        }
    }
    return good;
}

static bool read_trail(const Val *a, WalkRule *rule) {
    int8_t who[4];
    if (!read_numbers(a[1], who, 4, -1, WALK_CORNER + WALK_CORNERS - 1) || who[1] > WALK_OWN ||
        who[2] >= WALK_OWN || who[3] < (int8_t)WALK_SEES_AHEAD || who[3] >= (int8_t)WALK_SEES_COUNT ||
        !read_headings(a[2], &rule->headings)) {
        return false;
    }
    rule->start = who[0];
    rule->behind = who[1];
    rule->paint = who[2];
    rule->arrive = -1;
    rule->sees = (WalkSees)who[3];
    return read_entries(a[3], rule->table);
}

static Val walk_over(Ctx *ctx, Val grid, const WalkRule *rule) {
    GridAnalysis b;
    Reason why;
    int8_t *to = analysis_of(grid, &b, &why) ? grid_buffer(ctx, b.h, b.w, &why) : NULL;
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Walk *walk = ctx_alloc(ctx, sizeof *walk);
    if (walk == NULL) {
        return val_fail_budget(ctx);
    }
    WalkEnd end = walk_run(walk, &b, rule, NULL);
    memcpy(to, walk->cells, (size_t)b.n);
    uint64_t steps = walk->looks / LOOKS_PER_STEP;
    ctx_release(ctx, mark);
    if (!ctx_charge(ctx, steps)) {
        return val_fail_budget(ctx);
    }
    return end == WALK_DONE ? val_grid8(to, (uint32_t)b.h, (uint32_t)b.w) : val_fail(FAIL_LIMIT);
}

Val prim_walk(Ctx *ctx, const Val *a) {
    WalkRule rule = {.sees = WALK_SEES_ORIGINAL};
    return read_walk(a, &rule) ? walk_over(ctx, a[0], &rule) : val_fail(FAIL_TYPE);
}

Val prim_trail(Ctx *ctx, const Val *a) {
    WalkRule rule = {0};
    return read_trail(a, &rule) ? walk_over(ctx, a[0], &rule) : val_fail(FAIL_TYPE);
}

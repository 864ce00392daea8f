/* Walkers; see walk.h. */
#include "patterns/walk.h"

#include "core/check.h"

#include <string.h>

enum { MOST_WAITING = 256, MOST_LOOKS = 1 << 20, LOOKS_A_STEP = 16 };

typedef struct Walker {
    int16_t i, j;
    int8_t heading, color, arrive; /* arrive: -1 or a color */
} Walker;

typedef struct Crowd {
    Walk *walk;
    const Board *b;
    const WalkRule *rule;
    const int8_t *wanted;
    Walker waiting[MOST_WAITING];
    int32_t count;
} Crowd;

/* Paints the trail; false: some of it is wrong. */
static bool paint_trail(Crowd *c) {
    Walk *walk = c->walk;
    for (int32_t x = 0; x < walk->length; x++) {
        int16_t k = walk->trail[x];
        walk->cells[k] = walk->colors[x];
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

/* Runs one walker until it stops. */
static WalkEnd follow(Crowd *c, Walker w) {
    c->walk->length = 0;
    while (!been_there(c, &w)) {
        int8_t ahead = board_color(c->b, w.i + heading_di(w.heading), w.j + heading_dj(w.heading));
        int32_t entry = ahead < 0 ? WALK_EDGE : ahead;
        int8_t action = c->rule->table[entry];
        if (c->walk->looks++ > MOST_LOOKS) {
            return WALK_TOO_LONG;
        }
        if (w.arrive >= 0 && ahead == w.arrive) {
            return paint_trail(c) ? WALK_DONE : WALK_WRONG;
        }
        if (action == WALK_OPEN) {
            c->walk->needs = entry;
            return WALK_NEEDS;
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
            if (c->count == MOST_WAITING) {
                return WALK_TOO_LONG;
            }
            c->waiting[c->count] = w;
            c->waiting[c->count++].heading = heading_turned(w.heading, 1);
        }
        if (action == WALK_BOUNCE) {
            w.heading = heading_bounced(c->b, w.i, w.j, w.heading);
        } else if (!moves) {
            w.heading = heading_turned(w.heading, action == WALK_RIGHT ? 1 : -1);
        }
    }
    return WALK_DONE;
}

/* Whether a walker with this heading starts at cell k. */
static bool starts(const Crowd *c, int32_t k, int8_t heading) {
    ASSERT(k >= 0 && heading >= 0 && heading < 8, "cell %d, heading %d", k, heading);
    const Board *b = c->b;
    const WalkRule *r = c->rule;
    bool here = r->start < 0 ? b->c[k] != b->ground : b->c[k] == r->start;
    int32_t i = k / b->w, j = k % b->w;
    return here && (r->headings >> heading & 1) &&
           (r->behind < 0 || board_color(b, i - heading_di(heading), j - heading_dj(heading)) == r->behind);
}

WalkEnd walk_run(Walk *walk, const Board *b, const WalkRule *rule, const int8_t *wanted) {
    Crowd c = {.walk = walk, .b = b, .rule = rule, .wanted = wanted};
    memcpy(walk->cells, b->c, (size_t)b->n);
    walk->looks = (uint64_t)b->n;
    for (int32_t k = 0; k < b->n; k++) {
        bool fresh = true;
        for (int8_t heading = 0; heading < WALK_HEADINGS; heading++) {
            if (!starts(&c, k, heading)) {
                continue;
            }
            if (fresh) {
                memset(walk->been, 0, (size_t)b->n);
                walk->looks += (uint64_t)b->n / LOOKS_A_STEP;
                fresh = false;
            }
            int8_t color = rule->paint < 0 ? b->c[k] : rule->paint;
            c.waiting[c.count++] = (Walker){(int16_t)(k / b->w), (int16_t)(k % b->w), heading, color,
                                            rule->arrive == WALK_OWN ? b->c[k] : rule->arrive};
            while (c.count > 0) {
                WalkEnd end = follow(&c, c.waiting[--c.count]);
                if (end != WALK_DONE) {
                    return end;
                }
            }
        }
    }
    return WALK_DONE;
}

/* ---- the primitive ---- */

/* Reads a tuple of exactly n numbers in least..most; false: it is not one. */
static bool read_numbers(Val v, int8_t *to, uint32_t n, int64_t least, int64_t most) {
    if (!val_is_ints(v) || val_len(v) != n) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        int64_t x = val_ints_at(v, k);
        if (x < least || x > most) {
            return false;
        }
        to[k] = (int8_t)x;
    }
    return true;
}

static bool read_rule(const Val *a, WalkRule *rule) {
    int8_t who[4];
    if (!read_numbers(a[1], who, 4, -1, WALK_OWN) || !val_is_int(a[2]) || a[2].i < 0 || a[2].i > 255) {
        return false;
    }
    *rule = (WalkRule){who[0], who[1], (uint8_t)a[2].i, who[2], who[3], {0}};
    if (who[0] == WALK_OWN || who[1] == WALK_OWN || who[2] == WALK_OWN) {
        return false;
    }
    return read_numbers(a[3], rule->table, WALK_ENTRIES, 0, WALK_ACTIONS - 1);
}

Val prim_walk(Ctx *ctx, const Val *a) {
    Board b;
    WalkRule rule;
    Reason why;
    if (!read_rule(a, &rule)) {
        return val_fail(FAIL_TYPE);
    }
    int8_t *to = board_of(a[0], &b, &why) ? grid_buffer(ctx, b.h, b.w, &why) : NULL;
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Walk *walk = ctx_alloc(ctx, sizeof *walk);
    if (walk == NULL) {
        return val_fail_budget(ctx);
    }
    WalkEnd end = walk_run(walk, &b, &rule, NULL);
    memcpy(to, walk->cells, (size_t)b.n);
    uint64_t steps = walk->looks / LOOKS_A_STEP;
    ctx_release(ctx, mark);
    if (!ctx_charge(ctx, steps)) {
        return val_fail_budget(ctx);
    }
    return end == WALK_DONE ? val_grid8(to, (uint32_t)b.h, (uint32_t)b.w) : val_fail(FAIL_LIMIT);
}

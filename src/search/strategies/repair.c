/* The repair strategy: the output is the input with its pattern repaired, or what a hole in it
 * hides, or the tile it is made of, or the input with its shapes made symmetric.
 *
 * pattern_repair and shape_repair find the pattern of each grid by themselves; this strategy only
 * learns which kind of regularity it is, what hides it, and which piece of the result is the
 * output. */
#include "engine/primitives/prim.h"
#include "search/schedule/strategies.h"
#include "search/strategies/forms.h"

enum { REGULARITIES = 7, GROUPS = 9, SCOPES = 3, MASKS = 13, COLORS = 10, MAX_MULTIPLE = 5 };

typedef struct Repair { /* one choice */
    const SearchTask *task;
    unsigned prim;
    Val given[2];
    uint32_t n_given;
    int32_t times_h, times_w; /* the input lies in the corner of a canvas this many times as large */
} Repair;

/* The input; if the output is larger, in the corner of a larger canvas of unknown cells. */
static Val spread(const Repair *r, Ctx *ctx, Val in) {
    if (r->times_h == 1 && r->times_w == 1) {
        return in;
    }
    Val args[2] = {val_int(-1), val_pair32((int32_t)in.n * r->times_h, in.w * r->times_w)};
    Val canvas = prim_call(ctx, P_canvas, args, 2);
    Val cells = prim_call(ctx, P_asobject, &in, 1);
    return prim_call(ctx, P_paint, (Val[]){canvas, cells}, 2);
}

static Val make(void *owner, Ctx *ctx, uint32_t sample) {
    const Repair *r = owner;
    Val args[3] = {spread(r, ctx, r->task->in[sample]), r->given[0], r->given[1]};
    return prim_call(ctx, r->prim, args, 1 + r->n_given);
}

static Ref build(void *owner, Builder *b, Ref input) {
    const Repair *r = owner;
    Ref grid = input;
    if (r->times_h != 1 || r->times_w != 1) {
        Ref times = build_const(b, val_pair32(r->times_h, r->times_w));
        Ref shape = build_call(b, P_shape, &input, 1);
        Ref size = build_call(b, P_multiply, (Ref[]){shape, times}, 2);
        Ref canvas = build_call(b, P_canvas, (Ref[]){build_const(b, val_int(-1)), size}, 2);
        grid = build_call(b, P_paint, (Ref[]){canvas, build_call(b, P_asobject, &input, 1)}, 2);
    }
    Ref args[3] = {grid};
    for (uint32_t k = 0; k < r->n_given; k++) {
        args[1 + k] = build_const(b, r->given[k]);
    }
    return build_call(b, r->prim, args, 1 + r->n_given);
}

static bool try_one(Search *s, Repair *r, double cost, int32_t mask) {
    r->task = s->task;
    FormSource source = {make, build, r, cost, (int8_t)(mask >= 0 ? mask : -1), 1};
    return forms_try(s, &source);
}

/* How many times as large as inputs outputs are; false: there is no common factor. */
static bool times_of(const SearchTask *t, Repair *r) {
    for (uint32_t k = 0; k < t->n_train; k++) {
        int32_t h = (int32_t)(t->out[k].n / t->in[k].n), w = t->out[k].w / t->in[k].w;
        bool whole = t->out[k].n == t->in[k].n * (uint32_t)h && t->out[k].w == t->in[k].w * w;
        if (!whole || (k > 0 && (h != r->times_h || w != r->times_w))) {
            return false;
        }
        r->times_h = h;
        r->times_w = w;
    }
    return r->times_h >= 1 && r->times_w >= 1 && r->times_h <= MAX_MULTIPLE && r->times_w <= MAX_MULTIPLE;
}

/* Weak regularities cost more: rings, and lines that each have a period of their own. */
static double regularity_cost(int32_t regularity) {
    static const double costs[REGULARITIES] = {2, 2, 2, 3, 5, 4, 4};
    return costs[regularity];
}

static double mask_cost(int32_t mask) {
    return mask >= 0 ? 4 : mask == -1 ? 2 : 3;
}

/* Tries what may hide the pattern: a color that is in all inputs; nothing (-1); the outside (-3); or
 * whichever color fits (-2), which is expensive and only tried if nothing else explained the outputs. */
static void try_patterns(Search *s, bool larger, const Repair *size) {
    const SearchTask *t = s->task;
    bool any = false;
    static const int32_t order[MASKS] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -3, -2};
    for (uint32_t m = 0; m < MASKS && !s->slice_over; m++) {
        int32_t mask = order[m];
        if ((mask >= 0 && !(t->in_all >> mask & 1)) || (mask == -2 && any)) {
            continue;
        }
        for (int32_t regularity = 0; regularity < REGULARITIES && !s->slice_over; regularity++) {
            Repair r = *size;
            r.prim = P_pattern_repair;
            r.given[0] = val_int(mask);
            r.given[1] = val_int(regularity);
            r.n_given = 2;
            any |= try_one(s, &r, 8 + regularity_cost(regularity) + mask_cost(mask) + 2 * larger, mask);
        }
        if (!t->same_size && !larger && !s->slice_over) {
            Repair r = {.prim = P_pattern_core, .n_given = 1, .times_h = 1, .times_w = 1};
            r.given[0] = val_int(mask);
            any |= try_one(s, &r, 10 + mask_cost(mask), -1);
        }
    }
}

static void try_shapes(Search *s) {
    for (int32_t scope = 0; scope < SCOPES; scope++) {
        for (int32_t group = 0; group < GROUPS && !s->slice_over; group++) {
            Repair r = {.prim = P_shape_repair, .n_given = 2, .times_h = 1, .times_w = 1};
            r.given[0] = val_int(group);
            r.given[1] = val_int(scope);
            try_one(s, &r, 14, -1);
        }
    }
}

void strategy_repair_run(Search *s, void *state) {
    (void)state;
    Repair size = {.times_h = 1, .times_w = 1};
    bool larger = !s->task->same_size && times_of(s->task, &size);
    if (!larger) {
        size.times_h = size.times_w = 1;
    }
    if (s->task->same_size) {
        try_shapes(s);
    }
    try_patterns(s, larger, &size);
}

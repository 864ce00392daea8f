/* Outputs made of runs of colors along a path: counts, bars, rows, rings and the like. */
#include "search/strategies/layouts_internal.h"

#include <string.h>

enum { MAX_SIZES = 24, MAX_MULTIPLE = 5 };

/* ---- reading the outputs ---- */

static int32_t height(Val v) {
    return (int32_t)v.n;
}

/* Reads the colors along a path up to the last that is not rest; false: cells that share a place differ, or a
 * cell off the path is not rest. */
static bool read_along(Search *s, LayoutReading *r, uint32_t pair) {
    Val out = s->task->out[pair];
    int32_t h = height(out), w = out.w, room = lay_room((LayPath)r->path, h, w), last = -1;
    int8_t *colors = ctx_alloc(s->ctx, (size_t)room);
    if (colors == NULL) {
        return false;
    }
    memset(colors, -1, (size_t)room);
    for (int32_t k = 0; k < h * w; k++) {
        int32_t place = lay_place((LayPath)r->path, h, w, k / w, k % w);
        int8_t c = out.b8[k];
        if (place < 0 ? c != r->rest : colors[place] >= 0 && colors[place] != c) {
            return false;
        }
        if (place >= 0) {
            colors[place] = c;
            last = c != r->rest && place > last ? place : last;
        }
    }
    r->painted[pair] = (uint32_t)(last + 1);
    r->colors[pair] = colors;
    return true;
}

/* Only counts the cells that are not rest: the bars themselves are compared when they are laid. */
static void read_bars(const Search *s, LayoutReading *r, uint32_t pair) {
    Val out = s->task->out[pair];
    r->painted[pair] = 0;
    for (int32_t k = 0; k < height(out) * out.w; k++) {
        r->painted[pair] += out.b8[k] != r->rest;
    }
}

static int8_t only_foreground(const SearchTask *t, const LayoutReading *r) {
    int8_t foreground = -1;
    for (uint32_t p = 0; p < t->n_train; p++) {
        for (uint32_t k = 0; r->colors[p] != NULL && k < r->painted[p]; k++) {
            if (foreground >= 0 && r->colors[p][k] != foreground) {
                return -1;
            }
            foreground = r->colors[p][k];
        }
        for (int32_t k = 0; r->colors[p] == NULL && k < height(t->out[p]) * t->out[p].w; k++) {
            int8_t c = t->out[p].b8[k];
            if (c != r->rest && foreground >= 0 && c != foreground) {
                return -1;
            }
            foreground = c != r->rest ? c : foreground;
        }
    }
    return foreground;
}

static bool same_reading(const SearchTask *t, const LayoutReading *a, const LayoutReading *b) {
    return a->path == b->path && a->foreground == b->foreground &&
           memcmp(a->painted, b->painted, t->n_train * sizeof *a->painted) == 0;
}

static void add_reading(Search *s, LayoutReadings *readings, int path, int8_t rest) {
    const SearchTask *t = s->task;
    LayoutReading r = {.path = (uint8_t)path, .rest = rest};
    bool good = readings->count < LAYOUTS_READINGS, any = false;
    for (uint32_t p = 0; p < t->n_train && good; p++) {
        if (lay_is_bars((LayPath)path)) {
            read_bars(s, &r, p);
        } else {
            good = read_along(s, &r, p);
        }
        any |= r.painted[p] > 0;
    }
    r.foreground = good ? only_foreground(t, &r) : -1;
    for (uint32_t k = 0; k < readings->count && good; k++) {
        good = !same_reading(t, &readings->items[k], &r);
    }
    if (good && any) {
        readings->items[readings->count++] = r;
    }
}

/* In a single row or column most paths are the same. */
static bool is_path_of_its_own(const SearchTask *t, int path) {
    bool rows = true, columns = true;
    for (uint32_t p = 0; p < t->n_train; p++) {
        rows &= t->out[p].n == 1;
        columns &= t->out[p].w == 1;
    }
    return rows ? path == LAY_ROWS : columns ? path == LAY_COLUMNS : true;
}

/* False: outputs are too large, or the time slice is over. */
bool layouts_read(Search *s, LayoutReadings *readings) {
    const SearchTask *t = s->task;
    readings->count = 0;
    for (uint32_t p = 0; p < t->n_train; p++) {
        if (t->out[p].n * t->out[p].w > FEATURE_MAX_CELLS) {
            return false;
        }
    }
    for (int path = 0; path < LAY_PATHS; path++) {
        for (int8_t rest = 0; rest < N_COLORS; rest++) {
            if (is_path_of_its_own(t, path) && (rest == 0 || (t->out_all >> rest & 1))) {
                add_reading(s, readings, path, rest);
            }
        }
    }
    return search_spend(s, 8 * (uint64_t)LAY_PATHS);
}

/* ---- sizes ---- */

static int32_t side_of(const SearchTask *t, uint32_t sample, bool rows, bool of_output) {
    Val v = of_output ? t->out[sample] : t->in[sample];
    return rows ? height(v) : v.w;
}

static int32_t side_given(const SearchTask *t, uint32_t sample, bool rows, LayoutSide kind, int32_t number) {
    switch (kind) {
    case SIDE_CONSTANT:
        return number;
    case SIDE_TIMES:
        return side_of(t, sample, rows, false) * number;
    case SIDE_PART:
        return side_of(t, sample, rows, false) / number;
    default:
        return 0;
    }
}

/* The number that gives all outputs this side, for a kind of side; 0: there is none. */
static int32_t side_number(const SearchTask *t, bool rows, LayoutSide kind) {
    int32_t first_in = side_of(t, 0, rows, false), first_out = side_of(t, 0, rows, true);
    int32_t number = kind == SIDE_CONSTANT ? first_out
                     : kind == SIDE_TIMES  ? first_out / first_in
                                           : first_in / first_out;
    if (number < 1 || (kind == SIDE_PART && number < 2) || (kind != SIDE_CONSTANT && number > MAX_MULTIPLE)) {
        return 0;
    }
    for (uint32_t p = 0; p < t->n_train; p++) {
        if (side_given(t, p, rows, kind, number) != side_of(t, p, rows, true) ||
            (kind == SIDE_PART && side_of(t, p, rows, false) % number != 0)) {
            return 0;
        }
    }
    return number;
}

static bool size_fits(const SearchTask *t, const LayoutRuns *runs, LayPath path, const LayoutSize *size) {
    for (uint32_t p = 0; p < t->n; p++) {
        int32_t h = side_given(t, p, true, (LayoutSide)size->h, size->number_h);
        int32_t w = side_given(t, p, false, (LayoutSide)size->w, size->number_w);
        if (!lay_size(path, runs->runs[p], runs->count[p], &h, &w) ||
            (p < t->n_train && (h != height(t->out[p]) || w != t->out[p].w))) {
            return false;
        }
    }
    return true;
}

/* Lists the sizes that are right for all outputs and possible for every test; cheapest first. */
static uint32_t list_sizes(const SearchTask *t, const LayoutRuns *runs, LayPath path, LayoutSize *sizes) {
    static const double costs[SIDE_KINDS] = {1, 1.5, 2.5, 0.5};
    uint32_t n = 0;
    for (int h = 0; h < SIDE_KINDS; h++) {
        int32_t number_h = h == SIDE_NEEDED ? 1 : side_number(t, true, (LayoutSide)h);
        for (int w = 0; w < SIDE_KINDS && number_h > 0; w++) {
            int32_t number_w = w == SIDE_NEEDED ? 1 : side_number(t, false, (LayoutSide)w);
            LayoutSize size = {(uint8_t)h, (uint8_t)w, (int16_t)number_h, (int16_t)number_w,
                               costs[h] + costs[w] + (h != w)};
            if (number_w > 0 && n < MAX_SIZES && size_fits(t, runs, path, &size)) {
                sizes[n++] = size;
            }
        }
    }
    return n;
}

static Ref side_ref(Builder *b, bool rows, LayoutSide kind, int32_t number) {
    if (kind == SIDE_CONSTANT || kind == SIDE_NEEDED) {
        return build_const(b, val_int(kind == SIDE_CONSTANT ? number : 0));
    }
    Ref input = PARAM_I;
    Ref side = build_op(b, OP_PRIM, rows ? P_height : P_width, &input, 1, 0, "", 0);
    Ref args[2] = {side, build_const(b, val_int(number))};
    return number == 1 ? side
                       : build_op(b, OP_PRIM, kind == SIDE_TIMES ? P_multiply : P_divide, args, 2, 0, "", 0);
}

static Ref size_ref(Builder *b, const LayoutSize *size) {
    bool fixed_h = size->h == SIDE_CONSTANT || size->h == SIDE_NEEDED;
    bool fixed_w = size->w == SIDE_CONSTANT || size->w == SIDE_NEEDED;
    if (fixed_h && fixed_w) {
        return build_const(b, val_pair32(size->h == SIDE_CONSTANT ? size->number_h : 0,
                                         size->w == SIDE_CONSTANT ? size->number_w : 0));
    }
    Ref input = PARAM_I;
    if (size->h == SIDE_TIMES && size->w == SIDE_TIMES && size->number_h == 1 && size->number_w == 1) {
        return build_op(b, OP_PRIM, P_shape, &input, 1, 0, "", 0);
    }
    Ref sides[2] = {side_ref(b, true, (LayoutSide)size->h, size->number_h),
                    side_ref(b, false, (LayoutSide)size->w, size->number_w)};
    return build_op(b, OP_PRIM, P_astuple, sides, 2, 0, "", 0);
}

/* ---- lists ---- */

static const struct {
    uint8_t attribute;
    double cost;
} COLORS_OF[] = {{ATTRIBUTE_COLOR, 0},
                 {ATTRIBUTE_SECOND_COLOR, 2},
                 {ATTRIBUTE_INSIDE_COLOR, 2.5},
                 {ATTRIBUTE_AROUND_COLOR, 2.5}};

enum { COLORS_COUNT = sizeof COLORS_OF / sizeof *COLORS_OF };

/* How many cells the list of each pair has. */
static void count_cells(const Layouts *l, const LayoutChoice *choice, uint32_t times, uint32_t *sums) {
    const Objects *o = &l->o;
    for (uint32_t p = 0; p < o->search->task->n_train; p++) {
        sums[p] = 0;
        for (uint32_t k = o->first[p]; k < o->first[p + 1]; k++) {
            if (bits_has(choice->set, k)) {
                sums[p] += (uint32_t)object_list_times(o->scenes[p], (int32_t)(k - o->first[p]),
                                                       layouts_times[times].attribute);
            }
        }
    }
}

/* Fills in the runs of all samples; false: an object has no such color. */
static bool fill_runs(Layouts *l, const LayoutChoice *choice, uint32_t times, uint32_t order, uint32_t color,
                      bool foreground, LayoutRuns *to) {
    const Objects *o = &l->o;
    uint8_t list[SCENE_MAX_OBJECTS];
    for (uint32_t s = 0; s < o->search->task->n; s++) {
        int32_t n = layouts_list(l, choice, order, s, list);
        to->count[s] = n;
        for (int32_t k = 0; k < n; k++) {
            int8_t c = o->scenes[s]->attributes[COLORS_OF[color].attribute][list[k]];
            if (c < 0 && !foreground) {
                return false;
            }
            int32_t often = object_list_times(o->scenes[s], list[k], layouts_times[times].attribute);
            to->runs[s][k] = (LayRun){(int8_t)(c < 0 ? 0 : c), (int16_t)often};
        }
    }
    return true;
}

static bool gives_outputs(const SearchTask *t, const LayoutRuns *runs, const LayoutReading *r,
                          LayColors colors) {
    int8_t cells[FEATURE_MAX_CELLS];
    for (uint32_t p = 0; p < t->n_train; p++) {
        Val out = t->out[p];
        lay_runs(runs->runs[p], runs->count[p], (LayPath)r->path, false, colors, height(out), out.w, cells);
        if (memcmp(cells, out.b8, (size_t)out.n * out.w) != 0) {
            return false;
        }
    }
    return true;
}

typedef struct FoundList { /* a list that explains the outputs */
    const LayoutChoice *choice;
    const LayoutReading *reading;
    uint32_t times, order, color;
    bool foreground;
} FoundList;

static void offer(Layouts *l, const FoundList *f, const LayoutSize *size) {
    Search *search = l->o.search;
    Builder *b = &search->builder;
    const Tunables *tune = search->tune;
    const LayoutReading *r = f->reading;
    if (!layouts_may_offer(l)) {
        return;
    }
    double units = lay_path_costs[r->path] + size->cost + (r->rest != 0 ? 1 : 0) +
                   (f->foreground ? 1 : layouts_orders[f->order].cost + COLORS_OF[f->color].cost);
    build_start(b);
    Ref list =
        layouts_list_ref(l, P_object_runs, f->choice, f->order, COLORS_OF[f->color].attribute, f->times);
    Ref args[4] = {list, size_ref(b, size), build_const(b, val_pair32(r->path, 0)),
                   build_const(b, val_pair32(f->foreground ? r->foreground : -1, r->rest))};
    Ref result = build_op(b, OP_PRIM, P_lay_runs, args, 4, 0, "", 0);
    search_offer(search, search_finish(search, result),
                 layouts_list_cost(l, f->choice, f->times) + tune->layouts_scale * units);
}

/* Offers a list that explains the outputs, with every size that does. */
static void offer_sizes(Layouts *l, const FoundList *f, const LayoutRuns *runs) {
    LayoutSize sizes[MAX_SIZES];
    uint32_t n = list_sizes(l->o.search->task, runs, (LayPath)f->reading->path, sizes);
    for (uint32_t k = 0; k < n; k++) {
        offer(l, f, &sizes[k]);
    }
}

static bool try_reading(Layouts *l, const LayoutChoice *choice, uint32_t times, const LayoutReading *r) {
    const SearchTask *t = l->o.search->task;
    LayoutRuns *runs = l->runs;
    bool foreground = r->foreground >= 0 && !lay_is_bars((LayPath)r->path);
    if (foreground) { /* a mere count: the order of the objects does not matter */
        FoundList f = {choice, r, times, 0, 0, true};
        if (fill_runs(l, choice, times, 0, 0, true, runs) &&
            gives_outputs(t, runs, r, (LayColors){r->foreground, r->rest})) {
            offer_sizes(l, &f, runs);
        }
        return search_spend(l->o.search, 4);
    }
    for (uint32_t color = 0; color < COLORS_COUNT; color++) {
        for (uint32_t order = 0; order < LAYOUTS_ORDERS; order++) {
            FoundList f = {choice, r, times, order, color, false};
            if (!fill_runs(l, choice, times, order, color, false, runs)) {
                break;
            }
            if (gives_outputs(t, runs, r, (LayColors){-1, r->rest})) {
                offer_sizes(l, &f, runs);
            }
            if (!search_spend(l->o.search, 4 + l->o.n / 16)) {
                return false;
            }
        }
    }
    return true;
}

bool layouts_try_runs(Layouts *l, const LayoutChoice *choice) {
    uint32_t sums[SEARCH_MAX_SAMPLES];
    bool go_on = true;
    for (uint32_t times = 0; times < LAYOUTS_TIMES && go_on && choice->max > 0; times++) {
        count_cells(l, choice, times, sums);
        for (uint32_t k = 0; k < l->readings->count && go_on; k++) {
            const LayoutReading *r = &l->readings->items[k];
            bool fits = memcmp(sums, r->painted, l->o.search->task->n_train * sizeof *sums) == 0;
            go_on = !fits || try_reading(l, choice, times, r);
        }
        go_on = go_on && search_spend(l->o.search, 1 + l->o.n / 64);
    }
    return go_on;
}

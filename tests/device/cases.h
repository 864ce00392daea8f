/* Random jobs for the batched operations: generated from a seed, run by a device, by the processor,
 * and by plain models of what the headers of src/backends/devices specify. Shared by test_backend
 * (a fake device) and test_device (OpenCL's). */
#ifndef BATT_TESTS_CASES_H
#define BATT_TESTS_CASES_H

#include "backends/devices/batch.h"
#include "base/alloc.h"
#include "engine/primitives/prim.h"
#include "search/learning/rules.h"
#include "search/strategies/layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Dice {
    uint64_t state;
} Dice;

static inline uint64_t dice_bits(Dice *d) {
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline uint32_t dice(Dice *d, uint32_t n) { /* 0..n-1 */
    return (uint32_t)((dice_bits(d) >> 32) * n >> 32);
}

/* Jobs are so many times smaller: for simulators. */
static uint32_t case_smaller = 1;

static inline uint32_t sized(uint32_t max) {
    return max / case_smaller > 1 ? max / case_smaller : 2;
}

/* What a case has done; `wrong` names the first thing that is not as it should be. */
typedef struct CaseResult {
    uint64_t items;
    char wrong[200];
} CaseResult;

/* Runs a job on a device queue and by the processor into `other`; true: the same bytes. */
static bool case_both(Backend *backend, unsigned queue, BackendJob *job, CaseResult *r) {
    DeviceError why = {0};
    void *result = job->result, *other = malloc(job->result_bytes + 1);
    memset(other, 0xa5, job->result_bytes + 1);
    memset(result, 0x5a, job->result_bytes);
    job->result = other;
    bool done = backend_run_on(backend, queue, job, &why);
    job->result = result;
    job->op->cpu(job);
    r->items += job->items;
    if (!done) {
        snprintf(r->wrong, sizeof r->wrong, "%s: %.150s", backend_op_names[job->op->id], why.text);
    } else if (memcmp(result, other, job->result_bytes) != 0) {
        size_t at = 0;
        while (((unsigned char *)result)[at] == ((unsigned char *)other)[at]) {
            at++;
        }
        snprintf(r->wrong, sizeof r->wrong, "%s: device and processor differ at byte %zu of %zu",
                 backend_op_names[job->op->id], at, job->result_bytes);
    }
    free(other);
    return r->wrong[0] == '\0';
}

/* ---- rules ---- */

static bool case_in(const uint64_t *set, uint32_t cell) {
    return set[cell / 64] >> cell % 64 & 1;
}

/* The cheapest leaf that is right on the cells of `set` for which `says` (may be NULL) is `yes`; -1: none, or
 * no cell. */
static int model_leaf(const RulesTable *t, const uint64_t *set, const uint64_t *says, bool yes) {
    for (uint32_t leaf = 0; leaf < t->leaves; leaf++) {
        bool fits = true, any = false;
        for (uint32_t c = 0; c < t->cells && fits; c++) {
            if (case_in(set, c) && (says == NULL || case_in(says, c) == yes)) {
                any = true;
                fits = case_in(t->right + (size_t)leaf * t->words, c);
            }
        }
        if (fits && any) {
            return (int)leaf;
        }
    }
    return -1;
}

static uint64_t model_rule(const RulesTable *t, const uint64_t *set, bool leaf_too) {
    uint64_t best = RULES_NONE;
    int alone = leaf_too ? model_leaf(t, set, NULL, true) : -1;
    best = alone >= 0 ? (uint64_t)t->leaf_cost[alone] << 16 : best;
    for (uint32_t k = 0; k < t->tests; k++) {
        const uint64_t *says = t->yes + (size_t)k * t->words;
        int a = model_leaf(t, set, says, true), b = model_leaf(t, set, says, false);
        uint64_t key =
            (uint64_t)(t->test_cost[k] + (a >= 0 ? t->leaf_cost[a] : 0) + (b >= 0 ? t->leaf_cost[b] : 0))
                << 16 |
            (k + 1);
        best = a >= 0 && b >= 0 && key < best ? key : best;
    }
    return best;
}

static uint64_t model_tree(const RulesTable *t, const uint64_t *set) {
    uint64_t *yes = calloc(t->words, 8), *no = calloc(t->words, 8), best = RULES_NONE;
    int alone = model_leaf(t, set, NULL, true);
    best = alone >= 0 ? (uint64_t)t->leaf_cost[alone] << 16 : best;
    for (uint32_t k = 0; k < t->tests; k++) {
        for (uint32_t w = 0; w < t->words; w++) {
            yes[w] = set[w] & t->yes[(size_t)k * t->words + w];
            no[w] = set[w] & ~t->yes[(size_t)k * t->words + w];
        }
        uint64_t a = model_rule(t, yes, true), b = model_rule(t, no, true);
        if (a != RULES_NONE && b != RULES_NONE) {
            uint64_t key = (t->test_cost[k] + (a >> 16) + (b >> 16)) << 16 | (k + 1);
            best = key < best ? key : best;
        }
    }
    free(yes);
    free(no);
    return best;
}

static void fill_table(Dice *d, RulesTable *t) {
    uint32_t hidden[3] = {dice(d, t->tests), dice(d, t->tests), dice(d, t->tests)};
    for (uint32_t k = 0; k < t->tests; k++) {
        unsigned dense = 1 + dice(d, 4);
        for (uint32_t c = 0; c < t->cells; c++) {
            t->yes[(size_t)k * t->words + c / 64] |= (uint64_t)(dice(d, 8) < dense) << c % 64;
        }
        t->test_cost[k] = 1000 + 64 * dice(d, 40);
    }
    rules_index_table(t);
    for (uint32_t leaf = 0; leaf < t->leaves; leaf++) { /* some follow from the hidden questions */
        for (uint32_t c = 0; c < t->cells; c++) {
            unsigned which = 0;
            for (int h = 0; h < 3; h++) {
                which += (unsigned)case_in(t->yes + (size_t)hidden[h] * t->words, c) << h;
            }
            bool right = leaf < 6 ? which % 6 == leaf || which % 3 == leaf % 4 : dice(d, 8) == 0;
            t->right[(size_t)leaf * t->words + c / 64] |= (uint64_t)right << c % 64;
            t->leaves_at[2 * c + leaf / 64] |= (uint64_t)right << leaf % 64;
        }
        t->leaf_cost[leaf] = 500 + (leaf > 0 ? t->leaf_cost[leaf - 1] - 500 : 0) + dice(d, 3) * 100;
    }
}

/* model: also by the plain one, which is slow. */
static bool case_rules(Backend *backend, unsigned queue, uint64_t seed, bool trees, bool model,
                       CaseResult *r) {
    Dice d = {seed};
    uint32_t tests = 1 + dice(&d, sized(trees ? 40 : 300)),
             leaves = 1 + dice(&d, dice(&d, 8) == 0 ? 128 : 12);
    uint32_t cells = 1 + dice(&d, sized(model ? 150 : 600)), words = cells / 64 + 1;
    uint32_t items = 1 + dice(&d, sized(trees ? 8 : 80));
    size_t bytes = rules_table_bytes(tests, leaves, words, cells);
    void *memory = calloc(bytes, 1);
    RulesTable t;
    rules_table_lay(&t, memory, tests, leaves, words, cells);
    fill_table(&d, &t);
    RulesAsk ask = {.table = &t, .count = items, .leaf = dice(&d, 2), .trees = trees};
    ask.args = calloc(rules_ask_bytes(&t, items) + 8, 1);
    ask.best = malloc(items * sizeof *ask.best);
    unsigned open = dice(&d, 4);
    for (uint32_t c = 0; c < cells; c++) {
        ask.args[c / 64] |= (uint64_t)(open == 0 || dice(&d, 2 + open) == 0) << c % 64;
    }
    for (uint32_t k = 0; k < items; k++) {
        rules_ask_literals(&ask)[k] = dice(&d, 20) == 0 ? RULES_WHOLE : dice(&d, 2 * tests);
    }
    BackendJob job;
    rules_job(&ask, &job);
    bool good = case_both(backend, queue, &job, r);
    uint64_t *set = calloc(words, 8);
    for (uint32_t k = 0; k < items && model && good; k++) {
        uint32_t literal = rules_ask_literals(&ask)[k];
        for (uint32_t w = 0; w < words; w++) {
            uint64_t says = t.yes[(size_t)(literal == RULES_WHOLE ? 0 : literal >> 1) * words + w];
            set[w] = ask.args[w] & (literal == RULES_WHOLE ? ~(uint64_t)0 : literal & 1 ? ~says : says);
        }
        uint64_t right = trees ? model_tree(&t, set) : model_rule(&t, set, ask.leaf);
        if (right != ask.best[k]) {
            snprintf(r->wrong, sizeof r->wrong, "%s: %llx, by the model %llx", backend_op_names[job.op->id],
                     (unsigned long long)ask.best[k], (unsigned long long)right);
            good = false;
        }
    }
    backend_drop_block(backend, &t.block);
    free(set);
    free(ask.args);
    free(ask.best);
    free(memory);
    return good;
}

/* ---- layers ---- */

typedef struct CasePieces {
    uint32_t pieces, known, stride, words;
    int8_t *cells, *right;
    uint64_t *zero, *wrong;
} CasePieces;

static void make_pieces(Dice *d, CasePieces *p) {
    p->pieces = 1 + dice(d, sized(200));
    p->known = 1 + dice(d, sized(400));
    p->stride = p->known + dice(d, sized(100));
    p->words = p->known / 64 + 1;
    p->cells = calloc((size_t)p->pieces * p->stride, 1);
    p->right = calloc(p->known, 1);
    p->zero = calloc((size_t)p->pieces * p->words, 8);
    p->wrong = calloc((size_t)p->pieces * p->words, 8);
    unsigned colors = 2 + dice(d, 5);
    for (uint32_t k = 0; k < p->known; k++) {
        p->right[k] = (int8_t)dice(d, colors);
    }
    for (uint32_t n = 0; n < p->pieces; n++) {
        unsigned style = dice(d, 4); /* pieces of what is right; what a table makes right; anything */
        int8_t add = (int8_t)dice(d, 10), only = (int8_t)dice(d, colors);
        for (uint32_t k = 0; k < p->stride; k++) {
            int8_t c = k < p->known ? p->right[k] : (int8_t)dice(d, colors);
            int8_t *to = &p->cells[(size_t)n * p->stride + k];
            *to = (int8_t)(style == 0   ? (c == only ? c : 0)
                           : style == 1 ? (c + add) % 10
                           : style == 2 ? (dice(d, 3) == 0 ? c : 0)
                                        : (int)dice(d, 10));
            if (k < p->known) {
                p->zero[(size_t)n * p->words + k / 64] |= (uint64_t)(*to == 0) << k % 64;
                p->wrong[(size_t)n * p->words + k / 64] |= (uint64_t)(*to != c) << k % 64;
            }
        }
        for (uint32_t k = p->known; k < 64 * p->words;
             k++) { /* as the search has it: beyond the cells all is transparent */
            p->zero[(size_t)n * p->words + k / 64] |= (uint64_t)1 << k % 64;
        }
    }
}

static void free_pieces(CasePieces *p) {
    free(p->cells);
    free(p->right);
    free(p->zero);
    free(p->wrong);
}

/* Cell by cell. */
static CoverResult model_cover(const CasePieces *p, const CoverRun *run, const uint64_t *open,
                               const uint64_t *goal) {
    CoverResult r = {.end = COVER_MAX_LAYERS};
    bool *is_open = calloc(p->known, 1);
    for (uint32_t k = 0; k < p->known; k++) {
        is_open[k] = case_in(open, k);
    }
    while (r.layers < run->max) {
        uint32_t best = 0, max = 0, left = 0;
        for (uint32_t n = 0; n < run->limit; n++) {
            for (unsigned way = 0; way < LAYERS_WAYS; way++) {
                uint32_t gain = 0;
                bool good = true;
                for (uint32_t k = 0; k < p->known; k++) {
                    int8_t c = p->cells[(size_t)n * p->stride + k];
                    if (is_open[k] && (way == 2 || (c != 0) == (way == 0))) {
                        good &= c == p->right[k];
                        gain += case_in(goal, k);
                    }
                }
                if (good && gain > max) {
                    max = gain;
                    best = n << 2 | way;
                }
            }
        }
        if (max == 0) {
            r.end = COVER_STUCK;
            break;
        }
        r.layer[r.layers++] = best;
        for (uint32_t k = 0; k < p->known; k++) {
            int8_t c = p->cells[(size_t)(best >> 2) * p->stride + k];
            is_open[k] &= !((best & 3) == 2 || (c != 0) == ((best & 3) == 0));
            left += is_open[k] && case_in(goal, k);
        }
        if (left == 0) {
            r.end = COVER_DONE;
            break;
        }
    }
    free(is_open);
    return r;
}

static bool case_cover(Backend *backend, unsigned queue, uint64_t seed, bool model, CaseResult *r) {
    Dice d = {seed};
    CasePieces p;
    make_pieces(&d, &p);
    BackendBlock zero = {.bytes = p.zero, .size = (size_t)p.pieces * p.words * 8},
                 wrong = {.bytes = p.wrong, .size = zero.size};
    LayersCover c = {.zero = &zero, .wrong = &wrong, .words = p.words, .count = 1 + dice(&d, sized(20))};
    c.args = calloc(layers_cover_bytes(p.words, c.count), 1);
    c.results = malloc(c.count * sizeof *c.results);
    uint64_t *room = malloc(p.words * 8);
    for (uint32_t k = 0; k < c.count; k++) {
        uint32_t from = dice(&d, p.known), to = from + 1 + dice(&d, p.known - from);
        CoverRun run = {dice(&d, p.pieces + 1), from / 64, to / 64, dice(&d, LAYERS_MAX + 1)};
        uint64_t *open, *goal;
        unsigned density = 1 + dice(&d, 4);
        layers_cover_set(&c, k, &run, &open, &goal);
        for (uint32_t x = 0; x < p.known; x++) {
            open[x / 64] |= (uint64_t)(dice(&d, 4) < density) << x % 64;
            goal[x / 64] |= (uint64_t)(x >= from && x < to) << x % 64;
        }
    }
    BackendJob job;
    layers_cover_job(&c, room, &job);
    bool good = case_both(backend, queue, &job, r);
    for (uint32_t k = 0; k < c.count && model && good; k++) {
        const char *at = (const char *)c.args + k * (sizeof(CoverRun) + 16 * (size_t)p.words);
        CoverRun run;
        memcpy(&run, at, sizeof run);
        const uint64_t *open = (const uint64_t *)(const void *)(at + sizeof run);
        CoverResult right = model_cover(&p, &run, open, open + p.words);
        if (memcmp(&right, &c.results[k], sizeof right) != 0) {
            snprintf(r->wrong, sizeof r->wrong, "cover: %u layers, end %u; by the model %u, %u",
                     c.results[k].layers, c.results[k].end, right.layers, right.end);
            good = false;
        }
    }
    backend_drop_block(backend, &zero);
    backend_drop_block(backend, &wrong);
    free(room);
    free(c.args);
    free(c.results);
    free_pieces(&p);
    return good;
}

static bool model_decides(const CasePieces *p, uint32_t x, uint32_t y, uint32_t rows) {
    int to[10][10];
    uint32_t met = 0;
    memset(to, 0xff, sizeof to);
    for (uint32_t k = 0; k < p->stride; k++) {
        int *at = &to[p->cells[(size_t)x * p->stride + k]][p->cells[(size_t)y * p->stride + k]];
        if (k >= p->known ? *at < 0 : *at >= 0 && *at != p->right[k]) {
            return false;
        }
        if (k < p->known) {
            met += *at < 0;
            *at = p->right[k];
        }
    }
    return met <= rows;
}

static bool case_tables(Backend *backend, unsigned queue, uint64_t seed, bool model, CaseResult *r) {
    Dice d = {seed};
    CasePieces p;
    make_pieces(&d, &p);
    size_t bytes = layers_target_bytes(p.known, p.pieces);
    void *memory = malloc(bytes);
    layers_target_fill(memory, p.right, p.known, p.cells, p.stride, p.pieces);
    BackendBlock cells = {.bytes = p.cells, .size = (size_t)p.pieces * p.stride},
                 target = {.bytes = memory, .size = bytes};
    Tables t = {.cells = &cells,
                .target = &target,
                .pieces = p.pieces,
                .stride = p.stride,
                .known = p.known,
                .first = dice(&d, p.pieces),
                .rows = dice(&d, 60)};
    t.last = t.first + dice(&d, p.pieces - t.first + 1);
    size_t words = layers_table_words(p.pieces);
    t.hits = malloc((t.last - t.first) * words * 4 + 4);
    BackendJob job;
    layers_tables_job(&t, &job);
    bool good = case_both(backend, queue, &job, r);
    for (uint32_t y = t.first; y < t.last && model && good; y++) {
        for (uint32_t x = 0; x < p.pieces && good; x++) {
            bool hit = t.hits[(y - t.first) * words + x / 32] >> x % 32 & 1;
            ColorTable table;
            good = hit == (x <= y && model_decides(&p, x, y, t.rows)) &&
                   (!hit || layers_table_of(&t, x, y, &table));
        }
        if (!good) {
            snprintf(r->wrong, sizeof r->wrong, "tables: piece %u, by the model otherwise", y);
        }
    }
    backend_drop_block(backend, &cells);
    backend_drop_block(backend, &target);
    free(t.hits);
    free(memory);
    free_pieces(&p);
    return good;
}

/* ---- grids ---- */

/* The value of a step by the primitives themselves; the expressions are those of
 * backends/devices/grid_ops.def. */
static Val prims_step(Ctx *ctx, const GridStep *s, Val a, Val b) {
    static const uint16_t plain[GRID_OPS] = {
        [GRID_ROT90] = P_rot90,       [GRID_ROT180] = P_rot180,       [GRID_ROT270] = P_rot270,
        [GRID_HMIRROR] = P_hmirror,   [GRID_VMIRROR] = P_vmirror,     [GRID_DMIRROR] = P_dmirror,
        [GRID_CMIRROR] = P_cmirror,   [GRID_TOPHALF] = P_tophalf,     [GRID_BOTTOMHALF] = P_bottomhalf,
        [GRID_LEFTHALF] = P_lefthalf, [GRID_RIGHTHALF] = P_righthalf, [GRID_TRIM] = P_trim,
        [GRID_REPLACE] = P_replace,   [GRID_SWITCH] = P_switch,       [GRID_UPSCALE] = P_upscale,
        [GRID_HUPSCALE] = P_hupscale, [GRID_VUPSCALE] = P_vupscale,   [GRID_DOWNSCALE] = P_downscale,
        [GRID_HCONCAT] = P_hconcat,   [GRID_VCONCAT] = P_vconcat,     [GRID_CELLWISE] = P_cellwise};
    Val n[4], args[4] = {a};
    for (int k = 0; k < 4; k++) {
        n[k] = val_int(s->n[k]);
    }
    if (val_failed(a) || (grid_ops[s->op].grids == 2 && val_failed(b))) {
        return val_failed(a) ? a : b;
    }
    if (s->op == GRID_CROP) {
        return prim3(ctx, P_crop, a, val_pair32(s->n[0], s->n[1]), val_pair32(s->n[2], s->n[3]));
    }
    uint32_t count = 1;
    if (grid_ops[s->op].grids == 2) {
        args[count++] = b;
    }
    for (int k = 0; k < grid_ops[s->op].numbers; k++) {
        args[count++] = n[k];
    }
    return prim_call(ctx, plain[s->op], args, count);
}

static GridStep random_step(Dice *d, uint32_t before) {
    GridStep s = {.op = (uint8_t)dice(d, GRID_OPS), .keep = dice(d, 4) != 0};
    s.a = before == 0 || dice(d, 3) == 0 ? GRID_INPUT : (int32_t)dice(d, before);
    s.b = before == 0 || dice(d, 3) == 0 ? GRID_INPUT : (int32_t)dice(d, before);
    for (int k = 0; k < 4; k++) {
        s.n[k] = s.op == GRID_CROP                                ? (int32_t)dice(d, 8) - (dice(d, 20) == 0)
                 : s.op >= GRID_UPSCALE && s.op <= GRID_DOWNSCALE ? (int32_t)dice(d, 4)
                 : dice(d, 50) == 0                               ? (int32_t)dice(d, 300) - 150
                                                                  : (int32_t)dice(d, 10);
    }
    return s;
}

/* Images of up to 12 x 12 as a rule, now and then of up to 30 x 30; some of them have few colors, or stripes.
 */
static void random_images(Dice *d, Image *images, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        int32_t max = dice(d, 8) == 0 ? 30 : 12;
        int32_t h = 1 + (int32_t)dice(d, (uint32_t)max), w = 1 + (int32_t)dice(d, (uint32_t)max);
        int8_t *cells = malloc((size_t)(h * w));
        uint32_t colors = 1 + dice(d, dice(d, 2) ? 3 : 10), style = dice(d, 4), first = dice(d, 11 - colors);
        for (int32_t c = 0; c < h * w; c++) {
            uint32_t v = style == 0   ? (uint32_t)(c / w) % colors
                         : style == 1 ? (dice(d, 4) == 0 ? dice(d, colors) : 0)
                                      : dice(d, colors);
            cells[c] = (int8_t)(first + v);
        }
        if (dice(d, 100) == 0) {
            cells[0] = (int8_t)dice(d, 256); /* such a grid is left to the caller */
        }
        images[k] = (Image){h, w, cells};
    }
}

static bool case_grids(Backend *backend, unsigned queue, uint64_t seed, Ctx *ctx, CaseResult *r) {
    Dice d = {seed};
    enum { MAX_IMAGES = 40, MAX_STEPS = 24 };
    uint32_t n = 1 + dice(&d, sized(MAX_IMAGES)), count = 1 + dice(&d, sized(MAX_STEPS));
    Image images[MAX_IMAGES];
    GridStep steps[MAX_STEPS];
    Val values[MAX_STEPS];
    random_images(&d, images, n);
    for (uint32_t k = 0; k < count; k++) {
        steps[k] = random_step(&d, k);
    }
    GridsInput input;
    GridsRun run;
    BackendJob job;
    bool good = grids_put(&input, images, n) && grids_plan(&run, steps, count, &input);
    grids_job(&run, &job);
    good = good && (run.orders == 0 || case_both(backend, queue, &job, r));
    for (uint32_t g = 0; g < n && good && ctx != NULL; g++) {
        ctx_reset(ctx);
        Val in = val_grid8(images[g].cells, (uint32_t)images[g].h, (uint32_t)images[g].w);
        for (uint32_t k = 0; k < count && good; k++) {
            const GridStep *s = &steps[k];
            uint32_t h, w;
            values[k] = prims_step(ctx, s, s->a == GRID_INPUT ? in : values[s->a],
                                   s->b == GRID_INPUT ? in : values[s->b]);
            const int8_t *cells = grids_cells(&run, k, g, &h, &w);
            if (val_failed(values[k]) && values[k].w >= FAIL_LIMIT) {
                break; /* too large */
            }
            if (cells != NULL) {
                good = val_eq(values[k], val_grid8(cells, h, w));
            }
            if (!good) {
                snprintf(r->wrong, sizeof r->wrong, "grids: %s, by the primitives otherwise",
                         grid_ops[s->op].text);
            }
        }
    }
    grids_free(&run);
    grids_drop(backend, &input);
    for (uint32_t k = 0; k < n; k++) {
        free((void *)(uintptr_t)images[k].cells);
    }
    return good;
}

#endif

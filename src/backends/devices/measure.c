/* Timing batched operations on both sides; see measure.h. */
#include "backends/devices/measure.h"

#include "backends/devices/layers.h"
#include "backends/devices/rules.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3 }; /* a figure is the least of them */

/* What a job is made of; all of it lives in `blocks`. */
typedef struct SyntheticJob {
    BackendJob job;
    BackendBlock one, two;
    void *blocks[8];
    unsigned n_blocks;
    RulesTable table;
    RulesAsk ask;
    LayersCover cover;
    Tables tables;
    GridsInput input;
    GridsRun run;
    GridStep steps[8];
} SyntheticJob;

static void *block(SyntheticJob *m, size_t bytes) {
    void *memory = mem_zalloc(bytes, 1);
    if (memory != NULL) {
        m->blocks[m->n_blocks++] = memory;
    }
    return memory;
}

static void unmake(SyntheticJob *m, Backend *backend) {
    backend_drop_block(backend, &m->one);
    backend_drop_block(backend, &m->two);
    backend_drop_block(backend, &m->table.block);
    grids_free(&m->run);
    grids_drop(backend, &m->input);
    for (unsigned k = 0; k < m->n_blocks; k++) {
        mem_free(m->blocks[k]);
    }
}

/* ---- jobs ---- */

/* The median task has about 600 questions over 300 cells; few sets of cells have a rule. */
static bool make_rules(SyntheticJob *m, uint32_t n, bool trees) {
    const uint32_t tests = trees ? 150 : 600, leaves = 24, cells = 300, words = cells / 64 + 1;
    Rng rng = {1};
    void *memory = block(m, rules_table_bytes(tests, leaves, words, cells));
    if (memory == NULL) {
        return false;
    }
    rules_table_lay(&m->table, memory, tests, leaves, words, cells);
    for (uint32_t k = 0; k < tests; k++) {
        uint64_t dense = rng64(&rng) % 3;
        for (uint32_t w = 0; w < words; w++) {
            uint64_t bits = rng64(&rng);
            m->table.yes[k * words + w] = dense == 0 ? bits : bits & rng64(&rng);
        }
        m->table.test_cost[k] = 2048 + 64 * (k % 64);
    }
    for (uint32_t c = 0; c < cells; c++) { /* one color is right, and some copies of features are, too */
        uint32_t color = rng64(&rng) % 8 < 6 ? 0 : (uint32_t)(rng64(&rng) % 4);
        for (uint32_t leaf = 0; leaf < leaves; leaf++) {
            uint64_t right = leaf < 4 ? leaf == color : rng64(&rng) % 4 == 0;
            m->table.right[leaf * words + c / 64] |= right << c % 64;
            m->table.leaves_at[2 * c] |= right << leaf;
        }
    }
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        m->table.leaf_cost[leaf] = 1024 + 128 * leaf;
    }
    m->ask = (RulesAsk){.table = &m->table, .count = n, .trees = trees};
    m->ask.args = block(m, rules_ask_bytes(&m->table, n));
    m->ask.best = block(m, n * sizeof *m->ask.best);
    if (m->ask.args == NULL || m->ask.best == NULL) {
        return false;
    }
    for (uint32_t c = 0; c < cells; c++) {
        m->ask.args[c / 64] |= (uint64_t)1 << c % 64;
    }
    for (uint32_t k = 0; k < n; k++) {
        rules_ask_literals(&m->ask)[k] = k % (2 * tests);
    }
    rules_job(&m->ask, &m->job);
    return true;
}

/* One bit in 2^n is set. */
static uint64_t random_few(Rng *rng, unsigned n) {
    uint64_t bits = rng64(rng);
    while (--n > 0) {
        bits &= rng64(rng);
    }
    return bits;
}

enum { PIECES = 1000, KNOWN = 300, STRIDE = 360 };

static bool make_cover(SyntheticJob *m, uint32_t n) {
    const uint32_t words = KNOWN / 64 + 1;
    Rng rng = {2};
    uint64_t *zero = block(m, PIECES * words * 8), *wrong = block(m, PIECES * words * 8);
    m->cover = (LayersCover){.zero = &m->one, .wrong = &m->two, .words = words, .count = n};
    m->cover.args = block(m, layers_cover_bytes(words, n));
    m->cover.results = block(m, n * sizeof *m->cover.results);
    uint64_t *room = block(m, words * 8);
    if (zero == NULL || wrong == NULL || m->cover.args == NULL || m->cover.results == NULL || room == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < PIECES * words; k++) { /* small pieces, mostly wrong somewhere */
        zero[k] = ~random_few(&rng, 3);
        wrong[k] = random_few(&rng, 4);
    }
    m->one = (BackendBlock){.bytes = zero, .size = PIECES * words * 8};
    m->two = (BackendBlock){.bytes = wrong, .size = PIECES * words * 8};
    for (uint32_t k = 0; k < n; k++) {
        uint64_t *open, *goal;
        layers_cover_set(&m->cover, k, &(CoverRun){PIECES, 0, words - 1, 10}, &open, &goal);
        for (uint32_t w = 0; w < words; w++) {
            open[w] = goal[w] = w + 1 < words ? ~(uint64_t)0 : ((uint64_t)1 << KNOWN % 64) - 1;
        }
    }
    layers_cover_job(&m->cover, room, &m->job);
    return true;
}

static bool make_tables(SyntheticJob *m, uint32_t n) {
    Rng rng = {3};
    int8_t *cells = block(m, (size_t)PIECES * STRIDE), *right = block(m, KNOWN);
    size_t bytes = layers_target_bytes(KNOWN, PIECES);
    void *target = block(m, bytes);
    n = n < PIECES ? n : PIECES;
    m->tables = (Tables){.cells = &m->one,
                         .target = &m->two,
                         .pieces = PIECES,
                         .stride = STRIDE,
                         .known = KNOWN,
                         .first = PIECES - n,
                         .last = PIECES,
                         .rows = 10};
    m->tables.hits = block(m, n * layers_table_words(PIECES) * sizeof *m->tables.hits);
    if (cells == NULL || right == NULL || target == NULL || m->tables.hits == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < KNOWN; k++) {
        right[k] = (int8_t)(rng64(&rng) % 4);
    }
    for (uint32_t k = 0; k < PIECES * STRIDE; k++) {
        cells[k] = (int8_t)(rng64(&rng) % 3);
    }
    layers_target_fill(target, right, KNOWN, cells, STRIDE, PIECES);
    m->one = (BackendBlock){.bytes = cells, .size = (size_t)PIECES * STRIDE};
    m->two = (BackendBlock){.bytes = target, .size = bytes};
    layers_tables_job(&m->tables, &m->job);
    return true;
}

static bool make_grids(SyntheticJob *m, uint32_t n, const GridStep *steps, uint32_t count, uint32_t cells) {
    Rng rng = {4};
    uint32_t h = 1;
    while ((h + 1) * (h + 1) <= cells) {
        h++;
    }
    uint32_t w = cells / h > 0 ? cells / h : 1;
    int8_t *all = block(m, (size_t)n * h * w);
    Image *images = block(m, n * sizeof *images);
    if (all == NULL || images == NULL) {
        return false;
    }
    for (size_t k = 0; k < (size_t)n * h * w; k++) { /* blots on a background */
        uint64_t bits = rng64(&rng);
        bool again = k % w > 0 && bits % 4 != 0;
        all[k] = again ? all[k - 1] : (int8_t)(bits >> 8 & 1 ? bits >> 16 & 3 : 0);
    }
    for (uint32_t k = 0; k < n; k++) {
        images[k] = (Image){(int32_t)h, (int32_t)w, all + (size_t)k * h * w};
    }
    memcpy(m->steps, steps, count * sizeof *steps);
    if (!grids_put(&m->input, images, n) || !grids_plan(&m->run, m->steps, count, &m->input)) {
        return false;
    }
    grids_job(&m->run, &m->job);
    return true;
}

static bool make_chain(SyntheticJob *m, uint32_t n) {
    static const GridStep steps[] = {
        {.op = GRID_ROT90, .a = GRID_INPUT, .b = GRID_INPUT},
        {.op = GRID_REPLACE, .a = 0, .b = GRID_INPUT, .n = {1, 4}},
        {.op = GRID_VMIRROR, .a = 1, .b = GRID_INPUT},
        {.op = GRID_HCONCAT, .a = 1, .b = 2},
        {.op = GRID_LEFTHALF, .a = 3, .b = GRID_INPUT},
        {.op = GRID_OBJECTS, .a = 4, .b = GRID_INPUT, .n = {1, 1, 1}, .keep = true}};
    const uint32_t cells = 130; /* of the average grid of a task */
    return make_grids(m, n, steps, sizeof steps / sizeof *steps, cells);
}

static bool make(SyntheticJob *m, BackendOpId op, uint32_t n) {
    switch (op) {
    case BACKEND_RULES:
    case BACKEND_TREES:
        return make_rules(m, n, op == BACKEND_TREES);
    case BACKEND_COVER:
        return make_cover(m, n);
    case BACKEND_TABLES:
        return make_tables(m, n);
    case BACKEND_GRIDS:
    default:
        return make_chain(m, n);
    }
}

/* ---- times ---- */

typedef struct DeviceTimes {
    double cpu, device, work, build;
} DeviceTimes;

static double lesser(double a, double b) {
    return a < b ? a : b;
}

/* What a job takes; the blocks go up each time, unless they are those that stay. */
static bool time_job(Backend *backend, unsigned queue, BackendJob *job, DeviceTimes *t, DeviceError *why) {
    *t = (DeviceTimes){INFINITY, INFINITY, INFINITY, 0};
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = clock_work_ns();
        job->op->cpu(job);
        t->cpu = lesser(t->cpu, (double)(clock_work_ns() - begin));
    }
    for (int round = 0; round <= ROUNDS; round++) { /* the first one builds, and is not counted */
        uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        if (!backend_run_on(backend, queue, job, why)) {
            return false;
        }
        double work = (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin);
        t->build += (double)job->times.build;
        if (round > 0) {
            t->device = lesser(t->device, (double)(job->times.transfer + job->times.kernel));
            t->work = lesser(t->work, work);
        }
    }
    return true;
}

static void take(Measured *to, const DeviceTimes *one, const DeviceTimes *many, double items_one,
                 double items) {
    to->items = (uint64_t)items;
    to->cpu_ns = many->cpu / items;
    to->device_ns = many->device / items;
    to->work_ns = many->work / items;
    to->batch_ns = one->device;
    to->build_ns = one->build;
    /* beyond what the small batch had */
    double each = items > items_one ? (many->device - one->device) / (items - items_one) : to->device_ns;
    to->device_ns = each > 0 ? each : to->device_ns;
    to->break_even = measure_break_even(to, to->cpu_ns);
}

double measure_break_even(const Measured *m, double call_ns) {
    return call_ns > m->device_ns ? ceil(m->batch_ns / (call_ns - m->device_ns)) : INFINITY;
}

static bool no_memory(DeviceError *why) {
    *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
    return false;
}

bool measure_op(Backend *backend, unsigned queue, BackendOpId op, Measured *to, DeviceError *why) {
    static const uint32_t many[BACKEND_OPS] = {[BACKEND_RULES] = 2400,
                                               [BACKEND_TREES] = 60,
                                               [BACKEND_COVER] = 400,
                                               [BACKEND_TABLES] = 500,
                                               [BACKEND_GRIDS] = 4000};
    DeviceTimes small, large;
    double items[2];
    bool good = true;
    *to = (Measured){0};
    for (int k = 0; k < 2 && good; k++) {
        SyntheticJob m = {0};
        good = make(&m, op, k == 0 ? 1 : many[op]) || no_memory(why);
        good = good && time_job(backend, queue, &m.job, k == 0 ? &small : &large, why);
        items[k] = (double)m.job.items;
        unmake(&m, backend);
    }
    if (good) {
        take(to, &small, &large, items[0], items[1]);
    }
    return good;
}

bool measure_step(Backend *backend, unsigned queue, GridOp op, uint32_t cells, Measured *to,
                  DeviceError *why) {
    GridStep step = {.op = (uint8_t)op, .keep = true, .a = GRID_INPUT, .b = GRID_INPUT, .n = {1, 1, 2, 2}};
    DeviceTimes small, large;
    const uint32_t many = 2000;
    bool good = true;
    *to = (Measured){0};
    for (int k = 0; k < 2 && good; k++) {
        SyntheticJob m = {0};
        good =
            make_grids(&m, k == 0 ? 1 : many, &step, 1, cells < GRIDS_MAX_CELLS ? cells : GRIDS_MAX_CELLS) ||
            no_memory(why);
        good = good && time_job(backend, queue, &m.job, k == 0 ? &small : &large, why);
        unmake(&m, backend);
    }
    if (good) {
        take(to, &small, &large, 1, many);
    }
    return good;
}

/* By the name before the bracket; expressions of several calls are no primitive. */
int measure_step_of(const char *primitive) {
    size_t length = strlen(primitive);
    for (int k = 0; k < GRID_OPS; k++) {
        const char *text = grid_ops[k].text;
        if (strncmp(text, primitive, length) == 0 && text[length] == '(' &&
            strchr(text + length + 1, '(') == (k == GRID_CROP ? strchr(text, '(') + 4 : NULL)) {
            return k;
        }
    }
    return strcmp(primitive, "o_g") == 0 ? GRID_OBJECTS : -1;
}

/* Synthetic jobs of the batched operations; see jobs.h. */
#include "tools/devices/jobs.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <string.h>

static void *block(SyntheticJob *m, size_t bytes) {
    void *memory = mem_zalloc(bytes, 1);
    if (memory != NULL) {
        m->blocks[m->n_blocks++] = memory;
    }
    return memory;
}

void jobs_free(SyntheticJob *m, Backend *backend) {
    backend_drop_block(backend, &m->one);
    backend_drop_block(backend, &m->two);
    backend_drop_block(backend, &m->table.block);
    grids_free(&m->run);
    grids_drop(backend, &m->input);
    for (unsigned k = 0; k < m->n_blocks; k++) {
        mem_free(m->blocks[k]);
    }
}

/* The usual size for seed 0, else any from 1 to `max`. */
static uint32_t size_of(Rng *rng, uint64_t seed, uint32_t usual, uint32_t max) {
    return seed == 0 ? usual : 1 + rng_below(rng, max);
}

/* The median task has about 600 questions over 300 cells; few sets of cells have a rule. */
static bool make_rules(SyntheticJob *m, uint32_t n, uint64_t seed, bool trees) {
    Rng rng = {seed + 1};
    const uint32_t tests = trees ? size_of(&rng, seed, 150, 40) : size_of(&rng, seed, 600, 600),
                   leaves = size_of(&rng, seed, 24, RULES_MAX_LEAVES), cells = size_of(&rng, seed, 300, 900),
                   words = cells / 64 + 1;
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
    rules_index_table(&m->table);
    for (uint32_t c = 0; c < cells; c++) { /* one color is right, and some copies of features are, too */
        uint32_t color = rng64(&rng) % 8 < 6 ? 0 : (uint32_t)(rng64(&rng) % 4);
        for (uint32_t leaf = 0; leaf < leaves; leaf++) {
            uint64_t right = leaf < 4 ? leaf == color : rng64(&rng) % 4 == 0;
            m->table.right[leaf * words + c / 64] |= right << c % 64;
            m->table.leaves_at[2 * (size_t)c + leaf / 64] |= right << leaf % 64;
        }
    }
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        m->table.leaf_cost[leaf] = 1024 + 128 * leaf;
    }
    m->ask = (RulesAsk){.table = &m->table, .count = n, .trees = trees, .leaf = seed % 2};
    m->ask.args = block(m, rules_ask_bytes(&m->table, n));
    m->ask.best = block(m, n * sizeof *m->ask.best);
    if (m->ask.args == NULL || m->ask.best == NULL) {
        return false;
    }
    for (uint32_t c = 0; c < cells; c++) { /* of some seeds a few cells, which more rules are right on */
        bool in = seed % 3 == 0 || rng_below(&rng, cells) < 20;
        m->ask.args[c / 64] |= (uint64_t)in << c % 64;
    }
    for (uint32_t k = 0; k < n; k++) {
        rules_ask_literals(&m->ask)[k] = seed != 0 && k == 0 ? RULES_WHOLE : k % (2 * tests);
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

static bool make_cover(SyntheticJob *m, uint32_t n, uint64_t seed) {
    Rng rng = {seed + 2};
    const uint32_t pieces = size_of(&rng, seed, 1000, 300), known = size_of(&rng, seed, 300, 900),
                   words = known / 64 + 1;
    const size_t bytes = (size_t)pieces * words * 8;
    uint64_t *zero = block(m, bytes), *wrong = block(m, bytes);
    m->cover = (LayersCover){.zero = &m->one, .wrong = &m->two, .words = words, .count = n};
    m->cover.args = block(m, layers_cover_bytes(words, n));
    m->cover.results = block(m, n * sizeof *m->cover.results);
    uint64_t *room = block(m, words * 8);
    if (zero == NULL || wrong == NULL || m->cover.args == NULL || m->cover.results == NULL || room == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < pieces * words; k++) { /* small pieces, mostly wrong somewhere */
        zero[k] = ~random_few(&rng, 3);
        wrong[k] = random_few(&rng, seed == 0 ? 4 : 9);
    }
    m->one = (BackendBlock){.bytes = zero, .size = bytes};
    m->two = (BackendBlock){.bytes = wrong, .size = bytes};
    for (uint32_t k = 0; k < n; k++) {
        uint64_t *open, *goal;
        CoverRun run = {seed == 0 ? pieces : 1 + rng_below(&rng, pieces), 0, words - 1, 10};
        layers_cover_set(&m->cover, k, &run, &open, &goal);
        for (uint32_t w = 0; w < words; w++) {
            open[w] = goal[w] = w + 1 < words ? ~(uint64_t)0 : ((uint64_t)1 << known % 64) - 1;
        }
    }
    layers_cover_job(&m->cover, room, &m->job);
    return true;
}

static bool make_tables(SyntheticJob *m, uint32_t n, uint64_t seed) {
    Rng rng = {seed + 3};
    const uint32_t pieces = size_of(&rng, seed, 1000, 300), known = size_of(&rng, seed, 300, 200),
                   stride = known + size_of(&rng, seed, 60, 60), colors = size_of(&rng, seed, 3, 4);
    int8_t *cells = block(m, (size_t)pieces * stride), *right = block(m, known);
    size_t bytes = layers_target_bytes(known, pieces);
    void *target = block(m, bytes);
    n = n < pieces ? n : pieces;
    m->tables = (Tables){.cells = &m->one,
                         .target = &m->two,
                         .pieces = pieces,
                         .stride = stride,
                         .known = known,
                         .first = pieces - n,
                         .last = pieces,
                         .rows = 10};
    m->tables.hits = block(m, n * layers_table_words(pieces) * sizeof *m->tables.hits);
    if (cells == NULL || right == NULL || target == NULL || m->tables.hits == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < known; k++) {
        right[k] = (int8_t)(rng64(&rng) % (seed == 0 ? 4 : 1 + seed % 3));
    }
    for (uint32_t k = 0; k < pieces * stride; k++) {
        cells[k] = (int8_t)(rng64(&rng) % colors);
    }
    int8_t *good = cells + (size_t)rng_below(&rng, pieces) * stride; /* determines the right colors alone */
    for (uint32_t k = 0; seed != 0 && k < known; k++) {
        good[k] = right[k];
    }
    layers_target_fill(target, right, known, cells, stride, pieces);
    m->one = (BackendBlock){.bytes = cells, .size = (size_t)pieces * stride};
    m->two = (BackendBlock){.bytes = target, .size = bytes};
    layers_tables_job(&m->tables, &m->job);
    return true;
}

/* Grids of about `cells` cells; with a seed, of any size up to that. */
static bool make_grids(SyntheticJob *m, uint32_t n, uint64_t seed, const GridStep *steps, uint32_t count,
                       uint32_t cells) {
    Rng rng = {seed + 4};
    uint32_t side = 1;
    while ((side + 1) * (side + 1) <= cells) {
        side++;
    }
    int8_t *all = block(m, (size_t)n * side * side), *at = all;
    Image *images = block(m, n * sizeof *images);
    if (all == NULL || images == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t h = size_of(&rng, seed, side, side), w = size_of(&rng, seed, side, side);
        images[k] = (Image){(int32_t)h, (int32_t)w, at};
        for (uint32_t c = 0; c < h * w; c++) { /* blots on a background */
            uint64_t bits = rng64(&rng);
            bool again = c % w > 0 && bits % 4 != 0;
            at[c] = again ? at[c - 1] : (int8_t)(bits >> 8 & 1 ? bits >> 16 & 3 : 0);
        }
        at += (size_t)h * w;
    }
    memcpy(m->steps, steps, count * sizeof *steps);
    if (!grids_put(&m->input, images, n) || !grids_plan(&m->run, m->steps, count, &m->input)) {
        return false;
    }
    grids_job(&m->run, &m->job);
    return true;
}

static bool make_chain(SyntheticJob *m, uint32_t n, uint64_t seed) {
    static const GridStep steps[] = {{.op = GRID_ROT90, .a = GRID_INPUT, .b = GRID_INPUT},
                                     {.op = GRID_REPLACE, .a = 0, .b = GRID_INPUT, .n = {1, 4}},
                                     {.op = GRID_VMIRROR, .a = 1, .b = GRID_INPUT},
                                     {.op = GRID_HCONCAT, .a = 1, .b = 2},
                                     {.op = GRID_LEFTHALF, .a = 3, .b = GRID_INPUT, .keep = true}};
    const uint32_t cells = 130; /* of the average grid of a task */
    return make_grids(m, n, seed, steps, sizeof steps / sizeof *steps, cells);
}

bool jobs_make_step(SyntheticJob *m, GridOp op, uint32_t n, uint64_t seed) {
    Rng rng = {seed};
    GridStep step = {.op = (uint8_t)op, .keep = true, .a = GRID_INPUT, .b = GRID_INPUT};
    for (unsigned k = 0; k < 4; k++) {
        step.n[k] = (int32_t)rng_below(&rng, 4);
    }
    *m = (SyntheticJob){0};
    return make_grids(m, n, seed, &step, 1, 400);
}

bool jobs_make(SyntheticJob *m, BackendOpId op, uint32_t n, uint64_t seed) {
    *m = (SyntheticJob){0};
    switch (op) {
    case BACKEND_RULES:
    case BACKEND_TREES:
        return make_rules(m, n, seed, op == BACKEND_TREES);
    case BACKEND_COVER:
        return make_cover(m, n, seed);
    case BACKEND_TABLES:
        return make_tables(m, n, seed);
    case BACKEND_GRIDS:
    default:
        return make_chain(m, n, seed);
    }
}

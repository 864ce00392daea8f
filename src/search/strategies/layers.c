/* Stacked pieces on the CPU, and as batched operations; see layers.h. */
#include "search/strategies/layers.h"

#include "base/check.h"
#include "base/rng.h"

#include <string.h>

/* ---- covering ---- */

enum { COVER_WORDS, COVER_RUNS };

/* A run in the arguments: CoverRun, then the sets. */
static size_t run_bytes(uint32_t words) {
    return sizeof(CoverRun) + 2 * sizeof(uint64_t) * words;
}

size_t layers_cover_bytes(uint32_t words, uint32_t count) {
    return count * run_bytes(words);
}

void layers_cover_set(const LayersCover *c, uint32_t run, const CoverRun *what, uint64_t **open,
                      uint64_t **goal) {
    char *at = (char *)c->args + run * run_bytes(c->words);
    ASSERT(run < c->count && what->max <= LAYERS_MAX && what->last < c->words, "run %u of %u", run, c->count);
    memcpy(at, what, sizeof *what);
    *open = (uint64_t *)(void *)(at + sizeof *what);
    *goal = *open + c->words;
}

static uint64_t covers(uint64_t zero, unsigned way) {
    return way == 0 ? ~zero : way == 1 ? zero : ~(uint64_t)0;
}

/* The layer that is wrong on no open cell and covers most open cells of the goal; 0: none covers any. */
static uint32_t best_layer(const uint64_t *all_zero, const uint64_t *all_wrong, uint32_t words,
                           const CoverRun *run, const uint64_t *open, const uint64_t *goal, uint32_t *best) {
    uint32_t max = 0;
    for (uint32_t p = 0; p < run->limit; p++) {
        const uint64_t *zero = all_zero + (size_t)p * words, *wrong = all_wrong + (size_t)p * words;
        uint64_t bad[2] = {0, 0}; /* where the piece is opaque, where it is transparent */
        for (uint32_t w = 0; w < words && (bad[0] == 0 || bad[1] == 0); w++) {
            uint64_t wrongly = wrong[w] & open[w];
            bad[0] |= wrongly & ~zero[w];
            bad[1] |= wrongly & zero[w];
        }
        if (bad[0] != 0 && bad[1] != 0) {
            continue;
        }
        uint32_t gain[LAYERS_WAYS] = {0, 0, 0};
        for (uint32_t w = run->first; w <= run->last; w++) {
            uint64_t wanted = open[w] & goal[w];
            gain[0] += (uint32_t)__builtin_popcountll(wanted & ~zero[w]);
            gain[2] += (uint32_t)__builtin_popcountll(wanted);
        }
        gain[1] = gain[2] - gain[0];
        for (unsigned way = 0; way < LAYERS_WAYS; way++) {
            bool good = way < 2 ? bad[way] == 0 : bad[0] == 0 && bad[1] == 0;
            if (good && gain[way] > max) {
                max = gain[way];
                *best = p << 2 | way;
            }
        }
    }
    return max;
}

static bool any_left(const uint64_t *open, const uint64_t *goal, uint32_t words) {
    for (uint32_t w = 0; w < words; w++) {
        if (open[w] & goal[w]) {
            return true;
        }
    }
    return false;
}

/* `open` is used up: nobody needs it afterwards. */
static void cover_one(const uint64_t *zero, const uint64_t *wrong, uint32_t words, const CoverRun *run,
                      uint64_t *open, const uint64_t *goal, CoverResult *to) {
    *to = (CoverResult){.end = COVER_MAX_LAYERS};
    while (to->layers < run->max) {
        uint32_t layer;
        if (best_layer(zero, wrong, words, run, open, goal, &layer) == 0) {
            to->end = COVER_STUCK;
            return;
        }
        to->layer[to->layers++] = layer;
        for (uint32_t w = 0; w < words; w++) {
            open[w] &= ~covers(zero[(size_t)(layer >> 2) * words + w], layer & 3);
        }
        if (!any_left(open, goal, words)) {
            to->end = COVER_DONE;
            return;
        }
    }
}

static void cover_cpu(const BackendJob *job) {
    uint32_t words = job->numbers[COVER_WORDS];
    CoverResult *results = job->result;
    for (uint32_t k = 0; k < job->numbers[COVER_RUNS]; k++) {
        const char *at = (const char *)job->args + k * run_bytes(words);
        const uint64_t *open = (const uint64_t *)(const void *)(at + sizeof(CoverRun));
        CoverRun run;
        memcpy(&run, at, sizeof run);
        memcpy(job->room, open, words * sizeof *open); /* the job may be done again by a device */
        cover_one(job->blocks[0]->bytes, job->blocks[1]->bytes, words, &run, job->room, open + words,
                  &results[k]);
    }
}

static uint32_t cover_groups(const BackendJob *job, unsigned stage) {
    (void)stage;
    return job->numbers[COVER_RUNS];
}

static const BackendOp layers_cover_op = {.id = BACKEND_COVER,
                                          .source = KERNEL_LAYERS,
                                          .kernels = {"layers_cover"},
                                          .n_kernels = 1,
                                          .lanes = 128,
                                          .cpu = cover_cpu,
                                          .groups = cover_groups};

void layers_cover_job(const LayersCover *c, uint64_t *room, BackendJob *job) {
    uint64_t work = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        CoverRun run;
        memcpy(&run, (const char *)c->args + k * run_bytes(c->words), sizeof run);
        work += (uint64_t)run.limit * c->words;
    }
    *job = (BackendJob){.op = &layers_cover_op,
                        .blocks = {c->zero, c->wrong},
                        .args = c->args,
                        .arg_bytes = layers_cover_bytes(c->words, c->count),
                        .result = c->results,
                        .result_bytes = c->count * sizeof *c->results,
                        .scratch_bytes = c->count * (size_t)c->words * sizeof(uint64_t),
                        .numbers = {c->words, c->count},
                        .work = work,
                        .items = work};
    job->room = room;
}

bool layers_cover(Backend *backend, Ctx *ctx, const LayersCover *c, uint64_t *room, uint64_t *waited) {
    BackendJob job;
    layers_cover_job(c, room, &job);
    bool good = backend_run(backend, ctx, &job);
    backend_add_waited(&job, waited);
    return good;
}

/* ---- tables ---- */

enum { TABLES_PIECES, TABLES_STRIDE, TABLES_KNOWN, TABLES_FIRST, TABLES_LAST, TABLES_ROWS };

size_t layers_table_words(uint32_t pieces) {
    return (pieces + 31) / 32;
}

static size_t couples_at(uint32_t known) {
    return ((size_t)known + TABLES_WORD - 1) / TABLES_WORD * TABLES_WORD;
}

size_t layers_target_bytes(uint32_t known, uint32_t pieces) {
    return couples_at(known) + pieces * sizeof(TablesBlind);
}

void layers_target_fill(void *target, const int8_t *right, uint32_t known, const int8_t *cells,
                        uint32_t stride, uint32_t pieces) {
    TablesBlind *blind = (TablesBlind *)(void *)((char *)target + couples_at(known));
    Rng rng = {1};
    memset(target, 0, layers_target_bytes(known, pieces));
    memcpy(target, right, known);
    for (unsigned k = 0; k < TABLES_COUPLES && known > 0; k++) {
        uint32_t a = 0, b = 0;
        for (unsigned tries = 0; tries < 20 && right[a] == right[b]; tries++) {
            a = rng_below(&rng, known);
            b = rng_below(&rng, known);
        }
        for (uint32_t p = 0; p < pieces && right[a] != right[b]; p++) {
            const int8_t *piece = cells + (size_t)p * stride;
            blind[p][k / 64] |= (uint64_t)(piece[a] == piece[b]) << k % 64;
        }
    }
}

static bool both_blind(const uint64_t *x, const uint64_t *y) {
    uint64_t both = 0;
    for (unsigned k = 0; k < TABLES_COUPLES / 64; k++) {
        both |= x[k] & y[k];
    }
    return both != 0;
}

static bool decides(const int8_t *x, const int8_t *y, const int8_t *right, uint32_t known, uint32_t stride,
                    uint32_t rows, ColorTable *table) {
    memset(table->map, -1, sizeof table->map);
    table->rows = 0;
    for (uint32_t k = 0; k < known; k++) {
        int8_t *z = &table->map[x[k]][y[k]];
        if (*z != right[k]) {
            if (*z >= 0 || ++table->rows > rows) {
                return false;
            }
            *z = right[k];
        }
    }
    for (uint32_t k = known; k < stride; k++) {
        if (table->map[x[k]][y[k]] < 0) {
            return false;
        }
    }
    return true;
}

static void tables_cpu(const BackendJob *job) {
    const uint32_t *n = job->numbers;
    const int8_t *cells = job->blocks[0]->bytes, *right = job->blocks[1]->bytes;
    const TablesBlind *blind = (const TablesBlind *)(const void *)(right + couples_at(n[TABLES_KNOWN]));
    size_t words = layers_table_words(n[TABLES_PIECES]), stride = n[TABLES_STRIDE];
    uint32_t *hits = job->result;
    memset(hits, 0, job->result_bytes);
    for (uint32_t y = n[TABLES_FIRST]; y < n[TABLES_LAST]; y++, hits += words) {
        for (uint32_t x = 0; x <= y; x++) {
            ColorTable table;
            if (!both_blind(blind[x], blind[y]) &&
                decides(cells + x * stride, cells + y * stride, right, n[TABLES_KNOWN], n[TABLES_STRIDE],
                        n[TABLES_ROWS], &table)) {
                hits[x / 32] |= (uint32_t)1 << x % 32;
            }
        }
    }
}

static uint32_t tables_groups(const BackendJob *job, unsigned stage) {
    (void)stage;
    return job->numbers[TABLES_LAST] - job->numbers[TABLES_FIRST];
}

static const BackendOp layers_tables_op = {.id = BACKEND_TABLES,
                                           .source = KERNEL_LAYERS,
                                           .kernels = {"layers_tables"},
                                           .n_kernels = 1,
                                           .lanes = 64,
                                           .cpu = tables_cpu,
                                           .groups = tables_groups};

void layers_tables_job(const Tables *t, BackendJob *job) {
    uint64_t pairs = 0;
    for (uint32_t y = t->first; y < t->last; y++) {
        pairs += y + 1;
    }
    *job =
        (BackendJob){.op = &layers_tables_op,
                     .blocks = {t->cells, t->target},
                     .result = t->hits,
                     .result_bytes = (t->last - t->first) * layers_table_words(t->pieces) * sizeof *t->hits,
                     .numbers = {t->pieces, t->stride, t->known, t->first, t->last, t->rows},
                     .work = pairs,
                     .items = pairs};
}

bool layers_tables(Backend *backend, Ctx *ctx, const Tables *t, uint64_t *waited) {
    BackendJob job;
    layers_tables_job(t, &job);
    bool good = backend_run(backend, ctx, &job);
    backend_add_waited(&job, waited);
    return good;
}

bool layers_table_of(const Tables *t, uint32_t x, uint32_t y, ColorTable *table) {
    const int8_t *cells = t->cells->bytes;
    return decides(cells + (size_t)x * t->stride, cells + (size_t)y * t->stride, t->target->bytes, t->known,
                   t->stride, t->rows, table);
}

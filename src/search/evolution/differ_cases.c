/* Making the answers, and judging by them; see differ_cases.h. */
#include "search/evolution/differ_cases.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/rng.h"
#include "engine/eval/eval.h"
#include "search/evolution/differs.h"
#include "search/evolution/other_pairs.h"
#include "search/run/run.h"

#include <string.h>

enum { SPOIL_SEED = 28, IMAGE_CELLS = TASK_MAX_SIDE * TASK_MAX_SIDE };

/* ---- answers ---- */

/* Takes a copy of an answer, unless it is right, known, or one too many. False: no memory. */
static bool add(DifferCases *c, DifferSample *s, Image answer) {
    bool fresh = s->count < CASES_MAX && !task_image_equal(answer, s->expected);
    for (uint32_t k = 0; k < s->count && fresh; k++) {
        fresh = !task_image_equal(answer, s->answers[k]);
    }
    if (!fresh) {
        return true;
    }
    size_t bytes = (size_t)answer.h * (size_t)answer.w;
    int8_t *cells = slab_alloc(&c->cells, bytes);
    if (cells == NULL) {
        return false;
    }
    memcpy(cells, answer.cells, bytes);
    s->answers[s->count++] = (Image){answer.h, answer.w, cells};
    return true;
}

/* A color of the task other than this one, or just another if it has no other. */
static int8_t other_color(Rng *rng, uint16_t colors, int8_t color) {
    colors = (uint16_t)(colors & ~(1u << color));
    if (colors == 0) {
        return (int8_t)((color + 1) % 10);
    }
    for (uint32_t skip = rng_below(rng, (uint32_t)__builtin_popcount(colors)); skip > 0; skip--) {
        colors = (uint16_t)(colors & (colors - 1));
    }
    return (int8_t)__builtin_ctz(colors);
}

/* Ever more cells, in an order drawn at random, get another color: one, an eighth, a third, two thirds. */
static bool add_spoiled(DifferCases *c, DifferSample *s, uint16_t colors, Rng rng, uint32_t *order) {
    uint32_t cells = (uint32_t)s->expected.h * (uint32_t)s->expected.w, done = 0;
    const uint32_t until[CASES_SPOILED] = {1, cells / 8, cells / 3, 2 * cells / 3};
    int8_t *copy = slab_alloc(&c->cells, cells);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, s->expected.cells, cells);
    for (uint32_t k = 0; k < cells; k++) {
        order[k] = k;
    }
    for (uint32_t level = 0; level < CASES_SPOILED; level++) {
        if (level > 0 && until[level] <= done) {
            continue;
        }
        for (; done < until[level]; done++) {
            uint32_t other = done + rng_below(&rng, cells - done), at = order[other];
            order[other] = order[done];
            copy[at] = other_color(&rng, colors, copy[at]);
        }
        if (!add(c, s, (Image){s->expected.h, s->expected.w, copy})) {
            return false;
        }
    }
    s->spoiled = s->count;
    return true;
}

/* The expected output with its columns in reverse, and with rows and columns exchanged. */
static bool add_mirrored(DifferCases *c, DifferSample *s, int8_t *mirrored, int8_t *turned) {
    int32_t h = s->expected.h, w = s->expected.w;
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            mirrored[i * w + (w - 1 - j)] = turned[j * h + i] = s->expected.cells[i * w + j];
        }
    }
    return add(c, s, (Image){h, w, mirrored}) && add(c, s, (Image){w, h, turned});
}

/* Python's files and ours: solve_TASK, or solve_TASK_ and more. */
static bool is_named_after(const Program *p, const char *task) {
    size_t length = strlen(task);
    return strncmp(p->name, "solve_", 6) == 0 && strncmp(p->name + 6, task, length) == 0 &&
           (p->name[6 + length] == '\0' || p->name[6 + length] == '_');
}

static const TaskPair *pair_of(const Task *task, int32_t k) {
    return k < task->n_train ? &task->train[k] : &task->test[k - task->n_train];
}

/* Adds what a solver answers, on all samples. */
static bool ask(DifferCases *c, Ctx *ctx, const Task *task, const Program *p) {
    DifferSample *s = c->samples;
    bool good = true;
    prim_bind(ctx, (Mode)p->mode, false);
    for (int32_t k = 0; k < task->n_train + task->n_test && good; k++) {
        const TaskPair *pair = pair_of(task, k);
        if (!pair->has_output) {
            continue;
        }
        ctx_reset(ctx);
        Val input = eval_grid(pair->in), params[3] = {input, input, input};
        if (p->nparams == 3) {
            params[0] = other_pairs_value(ctx, task, k < task->n_train ? k : -1);
        }
        Val v = eval_program(ctx, p, params);
        if (!val_failed(v) && v.kind == VAL_GRID8 && v.n > 0 && v.w > 0 && v.n <= ARC_SIDE &&
            v.w <= ARC_SIDE) {
            good = add(c, s, eval_image(v));
        }
        s++;
    }
    return good;
}

static bool ask_all(DifferCases *c, Ctx *ctx, const Task *task, const Program *const *solvers, size_t n) {
    uint32_t asked = 0;
    bool good = true;
    for (int named = 1; named >= 0; named--) {
        for (size_t k = 0; k < n && asked < CASES_SOLVERS && good; k++) {
            unsigned params = solvers[k]->nparams;
            if (is_named_after(solvers[k], task->id) == (named == 1) && (params == 1 || params == 3)) {
                good = ask(c, ctx, task, solvers[k]);
                asked++;
            }
        }
    }
    prim_bind(ctx, MODE_CORE, false);
    return good;
}

bool differ_cases_open(DifferCases *c, Ctx *ctx, const Task *task, const Program *const *solvers, size_t n) {
    *c = (DifferCases){.n_train = task->n_train};
    c->samples = mem_zalloc((size_t)(task->n_train + task->n_test), sizeof *c->samples);
    uint32_t *order = mem_array(IMAGE_CELLS, sizeof *order);
    int8_t *grids = mem_array(2, IMAGE_CELLS);
    bool good = c->samples != NULL && order != NULL && grids != NULL;
    uint16_t colors = 0;
    for (int32_t k = 0; k < task->n_train; k++) {
        colors = (uint16_t)(colors | image_colors(task->train[k].in) | image_colors(task->train[k].out));
    }
    for (int32_t k = 0; k < task->n_train + task->n_test && good; k++) {
        const TaskPair *pair = pair_of(task, k);
        if (!pair->has_output) {
            continue;
        }
        DifferSample *s = &c->samples[c->n++];
        s->expected = pair->out;
        good = add_spoiled(c, s, colors, rng_stream(SPOIL_SEED, task->hash, (uint64_t)k), order) &&
               add(c, s, pair->in) && add_mirrored(c, s, grids, grids + IMAGE_CELLS);
        for (int32_t x = 0; x < task->n_train && good; x++) {
            good = add(c, s, task->train[x].out);
        }
    }
    good = good && ask_all(c, ctx, task, solvers, n);
    mem_free(order);
    mem_free(grids);
    if (!good) {
        differ_cases_close(c);
    }
    return good;
}

void differ_cases_close(DifferCases *c) {
    mem_free(c->samples);
    slab_free(&c->cells);
    *c = (DifferCases){0};
}

/* ---- judging ---- */

void differ_tally_add(DifferTally *t, const DifferSample *s, uint32_t answer, int32_t grade) {
    ASSERT(answer < s->count, "answer %u of %u", answer, s->count);
    t->right += grade < t->expected;
    t->right += answer > 0 && answer < s->spoiled && grade < t->last;
    t->last = grade;
}

int32_t differ_tally_score(const DifferTally *t, const DifferSample *s) {
    uint32_t pairs = s->count + s->spoiled - 1; /* there always is a spoiled one */
    if (t->expected < SCORE_EXACT) {
        return 0;
    }
    int32_t share = (int32_t)(SCORE_EXACT * t->right / pairs);
    return t->right == pairs ? SCORE_EXACT : share < SCORE_NEAREST ? share : SCORE_NEAREST;
}

int32_t differ_judge(Ctx *ctx, const Program *differ, const Task *task, const DifferSample *sample) {
    DifferTally tally = {0};
    for (uint32_t k = 0; k <= sample->count; k++) {
        ctx_reset(ctx);
        Val params[3] = {run_samples_value(ctx, task), eval_grid(sample->expected),
                         eval_grid(k == 0 ? sample->expected : sample->answers[k - 1])};
        Val v = eval_program(ctx, differ, params);
        int32_t grade = val_failed(v) ? 0 : (int32_t)differ_grade(v);
        if (k == 0) {
            tally.expected = grade;
        } else {
            differ_tally_add(&tally, sample, k - 1, grade);
        }
    }
    return differ_tally_score(&tally, sample);
}

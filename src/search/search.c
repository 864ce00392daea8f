/* The state of one task's search: budgets, offers and the pool of candidates; see search.h. */
#define XXH_INLINE_ALL
#include "search/search.h"
#include "search/library.h"

#include "core/alloc.h"
#include "exec/eval.h"

#include <string.h>
#include <time.h>
#include <xxhash.h>

enum { MOST_CANDIDATES = 4096 }; /* beyond it the worst go: answers that far down are never given */

const char *const search_part_names[PART_COUNT + 1] = {
#define PART(id, name, text) #name,
#include "search/parts.def"
#undef PART
    NULL};

/* Time this thread has worked: a machine that is busy with other things must not cost answers. */
static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint16_t colors_of(Val grid) {
    uint16_t set = 0;
    for (size_t k = 0, n = (size_t)grid.n * grid.w; k < n; k++) {
        set |= (uint16_t)(1u << grid.b8[k]);
    }
    return set;
}

void search_task_colors(SearchTask *t) {
    t->in_all = t->out_all = 0x3ff;
    t->in_colors = t->out_colors = 0;
    t->same_size = true;
    for (uint32_t k = 0; k < t->n; k++) {
        uint16_t colors = colors_of(t->in[k]);
        t->in_colors |= colors;
        t->in_all &= colors;
        if (k < t->n_train) {
            colors = colors_of(t->out[k]);
            t->out_colors |= colors;
            t->out_all &= colors;
            t->same_size &= t->in[k].n == t->out[k].n && t->in[k].w == t->out[k].w;
        }
    }
}

void search_task_fill(SearchTask *to, const Task *from) {
    memset(to, 0, sizeof *to);
    to->id = from->id;
    uint32_t tests = (uint32_t)from->n_test;
    uint32_t most = tests < SEARCH_MOST_SAMPLES / 2 ? SEARCH_MOST_SAMPLES - tests : SEARCH_MOST_SAMPLES / 2;
    to->n_train = (uint32_t)from->n_train < most ? (uint32_t)from->n_train : most;
    to->n_test = tests < SEARCH_MOST_SAMPLES - to->n_train ? tests : SEARCH_MOST_SAMPLES - to->n_train;
    to->n = to->n_train + to->n_test;
    for (uint32_t k = 0; k < to->n; k++) {
        to->in[k] = eval_grid(k < to->n_train ? from->train[k].in : from->test[k - to->n_train].in);
        if (k < to->n_train) {
            to->out[k] = eval_grid(from->train[k].out);
        }
    }
    search_task_colors(to);
}

bool search_open(Search *s, const SearchTask *task, Ctx *ctx, Ctx *check, const SearchLimits *limits) {
    memset(s, 0, sizeof *s);
    s->task = task;
    s->ctx = ctx;
    s->check = check;
    s->limits = *limits;
    s->start_ns = now_ns();
    build_init(&s->builder);
    ctx_reset(ctx);
    ctx_reset(check);
    prim_bind(ctx, MODE_CORE, false);
    prim_bind(check, MODE_CORE, false);
    return true;
}

static void drop(Candidate *c) {
    prog_free(c->program);
    mem_free(c->answers);
}

void search_close(Search *s) {
    for (uint32_t k = 0; k < s->count; k++) {
        drop(&s->candidates[k]);
    }
    mem_free(s->candidates);
    enumerate_close(s->enumerate);
    build_free(&s->builder);
    memset(s, 0, sizeof *s);
}

double search_used(const Search *s) {
    double by_steps = s->limits.steps ? (double)s->steps / (double)s->limits.steps : 0;
    double by_time = s->limits.time_ns ? (double)(now_ns() - s->start_ns) / (double)s->limits.time_ns : 0;
    return by_steps > by_time ? by_steps : by_time;
}

bool search_spend(Search *s, uint64_t steps) {
    enum { LOOK_EVERY = 1 << 13 };
    uint64_t before = s->steps;
    s->steps += steps;
    s->part_steps[s->part] += steps;
    if (before / LOOK_EVERY != s->steps / LOOK_EVERY) {
        double used = search_used(s);
        s->out_of_budget |= used >= 1 || (s->limits.stop != NULL && *s->limits.stop);
        s->stage_over |= s->out_of_budget || used >= s->stage_end;
    }
    return !s->stage_over;
}

/* ---- offers ---- */

static bool is_answer(Val v) {
    if (v.kind != VAL_GRID8 || v.n > TASK_MAX_SIDE || v.w > TASK_MAX_SIDE || v.w == 0) {
        return false;
    }
    return task_image_valid((Image){(int32_t)v.n, v.w, v.b8});
}

/* Right training pairs; answers[n_test] point into the region of `check`. */
static uint32_t try_program(Search *s, const Program *program, Val *answers) {
    const SearchTask *t = s->task;
    uint32_t right = 0;
    ctx_reset(s->check);
    for (uint32_t k = 0; k < t->n; k++) {
        ctx_rebudget(s->check);
        CtxMark mark = ctx_mark(s->check);
        Val v = eval_program(s->check, program, &t->in[k]);
        search_spend(s, ctx_steps_used(s->check));
        if (k < t->n_train) {
            right += val_eq(v, t->out[k]);
            ctx_release(s->check, mark);
        } else {
            answers[k - t->n_train] = is_answer(v) ? v : VAL_EMPTY_TUPLE;
        }
    }
    return right;
}

static uint64_t hash_answers(const Val *answers, uint32_t n) {
    uint64_t hash = n;
    for (uint32_t k = 0; k < n; k++) {
        hash = val_hash(answers[k], hash);
    }
    return hash;
}

static bool better(const Candidate *a, const Candidate *b) {
    return a->right != b->right ? a->right > b->right : a->cost < b->cost;
}

static bool keep_answers(Candidate *c, const Val *answers, uint32_t n) {
    size_t bytes = n * sizeof(Image);
    for (uint32_t k = 0; k < n; k++) {
        bytes += (size_t)answers[k].n * answers[k].w;
    }
    c->answers = mem_alloc(bytes);
    if (c->answers == NULL) {
        return false;
    }
    int8_t *cells = (int8_t *)(c->answers + n);
    for (uint32_t k = 0; k < n; k++) {
        size_t size = (size_t)answers[k].n * answers[k].w;
        c->answers[k] = (Image){(int32_t)answers[k].n, answers[k].w, cells};
        if (size != 0) {
            memcpy(cells, answers[k].b8, size);
        }
        cells += size;
    }
    return true;
}

static void forget_worst_half(Search *s) {
    search_rank(s);
    for (uint32_t k = s->count / 2; k < s->count; k++) {
        drop(&s->candidates[k]);
    }
    s->count /= 2;
}

bool search_offer(Search *s, Program *program, double cost) {
    const SearchTask *t = s->task;
    if (program == NULL) {
        return false;
    }
    Val answers[SEARCH_MOST_SAMPLES];
    Candidate c = {
        .program = program, .part = (uint8_t)s->part, .cost = cost, .support = 1, .steps = s->steps};
    c.right = try_program(s, program, answers);
    bool fits = c.right == t->n_train, any = t->n_test == 0;
    bool believed = fits && cost < SEARCH_BELIEVED;
    for (uint32_t k = 0; k < t->n_test; k++) {
        any |= answers[k].n != 0;
    }
    c.hash = hash_answers(answers, t->n_test);
    if (!any || c.right == 0) {
        prog_free(program);
        return fits;
    }
    for (uint32_t k = 0; k < s->count; k++) {
        Candidate *old = &s->candidates[k];
        if (old->hash == c.hash) {
            s->fitting += believed && (old->right < t->n_train || old->cost >= SEARCH_BELIEVED);
            old->support++;
            if (better(&c, old)) {
                prog_free(old->program);
                old->program = program;
                old->right = c.right;
                old->cost = cost;
                old->part = c.part;
                old->steps = c.steps;
            } else {
                prog_free(program);
            }
            return fits;
        }
    }
    if (s->count == MOST_CANDIDATES) {
        forget_worst_half(s);
    }
    if (s->count == s->room) {
        uint32_t room = s->room ? s->room * 2 : 16;
        Candidate *grown = mem_grow(s->candidates, room, sizeof *grown);
        if (grown == NULL) {
            prog_free(program);
            return fits;
        }
        s->candidates = grown;
        s->room = room;
    }
    if (!keep_answers(&c, answers, t->n_test)) {
        prog_free(program);
        return fits;
    }
    s->candidates[s->count++] = c;
    s->fitting += believed;
    return fits;
}

/* Who works when, on how much of the budget at most. Quick looks of all parts come first; what they leave
 * goes to the deep ones, which have all of a second search. */
typedef struct Stage {
    uint8_t part, effort;
    double share;
} Stage;

static const Stage STAGES[] = {
    {PART_LIBRARY, 1, 0.2}, {PART_CELLS, 1, 0.15},    {PART_ENUMERATE, 1, 0.25}, {PART_STAMPS, 1, 0.45},
    {PART_CELLS, 2, 0.2},   {PART_ENUMERATE, 2, 0.2}, {PART_STAMPS, 2, 1},       {PART_ENUMERATE, 2, 1},
};
static const Stage DEEPER[] = {
    {PART_ENUMERATE, 2, 0.45}, {PART_CELLS, 2, 0.2}, {PART_STAMPS, 2, 1}, {PART_ENUMERATE, 2, 1}};

static void run_stage(Search *s, const Stage *stage) {
    static void (*const parts[PART_COUNT])(Search *) = {
#define PART(id, name, text) part_##name,
#include "search/parts.def"
#undef PART
    };
    if ((s->limits.without >> stage->part & 1) || (stage->effort > 1 && s->fitting > 0)) {
        return;
    }
    uint64_t start = now_ns();
    s->part = (SearchPart)stage->part;
    s->effort = stage->effort;
    s->stage_end = search_used(s) + stage->share;
    s->stage_over = false;
    parts[stage->part](s);
    s->part_ns[stage->part] += now_ns() - start;
}

void search_run(Search *s) {
    const Stage *stages = s->limits.deeper ? DEEPER : STAGES;
    size_t n = s->limits.deeper ? sizeof DEEPER / sizeof *DEEPER : sizeof STAGES / sizeof *STAGES;
    for (uint32_t k = 0; k < s->limits.n_seeds; k++) {
        const SearchSeed *seed = &s->limits.seeds[k];
        s->part = (SearchPart)seed->part;
        s->stage_end = 1;
        search_offer(s, prog_with_mode(seed->program, MODE_CORE), seed->cost);
    }
    for (size_t k = 0; k < n && !s->out_of_budget && !s->limits.no_parts; k++) {
        run_stage(s, &stages[k]);
    }
    search_rank(s);
}

/* The state of one task's search: budgets, offers and the pool of candidates; see search.h. */
#define XXH_INLINE_ALL
#include "search/search.h"
#include "search/library.h"
#include "search/view.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "exec/eval.h"
#include "exec/scope.h"

#include <string.h>
#include <xxhash.h>

/* Beyond the most, or half of their memory, the worst go: answers that far down are never given. */
enum { MOST_CANDIDATES = 4096, LEAST_CANDIDATES = 64 };

const char *const search_part_names[PART_COUNT + 1] = {
#define PART(id, name, text) #name,
#include "search/parts.def"
#undef PART
    NULL};

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
    s->task = s->own = task;
    s->view = VIEW_NONE;
    s->ctx = ctx;
    s->check = check;
    s->limits = *limits;
    s->kept.most = limits->heap / 4;
    s->heap.most = limits->heap - s->kept.most;
    s->start_ns = clock_work_ns();
    build_init(&s->builder);
    ctx_reset(ctx);
    ctx_reset(check);
    prim_bind(ctx, MODE_CORE, false);
    prim_bind(check, MODE_CORE, false);
    return true;
}

static void drop(Search *s, Candidate *c) {
    prog_free(c->program);
    heap_drop(&s->kept, c->bytes);
    heap_free(&s->kept, c->answers);
}

void search_close(Search *s) {
    for (uint32_t k = 0; k < s->count; k++) {
        drop(s, &s->candidates[k]);
    }
    heap_free(&s->kept, s->candidates);
    enumerate_close(s->enumerate);
    build_free(&s->builder);
    memset(s, 0, sizeof *s);
}

double search_used(const Search *s) {
    double by_steps = s->limits.steps ? (double)s->steps / (double)s->limits.steps : 0;
    double by_time =
        s->limits.time_ns ? (double)(clock_work_ns() - s->start_ns) / (double)s->limits.time_ns : 0;
    return by_steps > by_time ? by_steps : by_time;
}

bool search_spend(Search *s, uint64_t steps) {
    enum { LOOK_EVERY = 1 << 13, STAY_EVERY = 1 << 6 };
    uint64_t before = s->steps;
    s->steps += steps;
    s->part_steps[s->part] += steps;
    if (before / LOOK_EVERY != s->steps / LOOK_EVERY) {
        double used = search_used(s);
        s->out_of_budget |= used >= 1 || (s->limits.stop != NULL && *s->limits.stop);
        s->stage_over |= s->out_of_budget || used >= s->stage_end;
    }
    if (before / STAY_EVERY != s->steps / STAY_EVERY) {
        scope_stay(s->ctx);
    }
    return !s->stage_over;
}

void search_built(Search *s, uint64_t begin) {
    s->part_built_ns[s->part] += clock_work_ns() - begin;
}

/* ---- offers ---- */

Program *search_finish(Search *s, Ref result) {
    char name[TASK_MAX_ID + 8] = "solve_";
    strncat(name, s->task->id, TASK_MAX_ID);
    return build_finish(&s->builder, name, strlen(name), MODE_CORE, 1, result);
}

static bool is_answer(Val v) {
    if (v.kind != VAL_GRID8 || v.n > TASK_MAX_SIDE || v.w > TASK_MAX_SIDE || v.w == 0) {
        return false;
    }
    return task_image_valid((Image){(int32_t)v.n, v.w, v.b8});
}

/* Right training pairs, bits; answers[n_test] point into the region of `check`. */
static uint64_t try_program(Search *s, const Program *program, Val *answers) {
    const SearchTask *t = s->own;
    uint64_t right = 0;
    Scope was = scope_enter(s->ctx, SCOPE_CHECK);
    ctx_reset(s->check);
    for (uint32_t k = 0; k < t->n; k++) {
        ctx_rebudget(s->check);
        CtxMark mark = ctx_mark(s->check);
        Val v = eval_program(s->check, program, &t->in[k]);
        search_spend(s, ctx_steps_used(s->check));
        if (k < t->n_train) {
            right |= (uint64_t)val_eq(v, t->out[k]) << k;
            ctx_release(s->check, mark);
        } else {
            answers[k - t->n_train] = is_answer(v) ? v : VAL_EMPTY_TUPLE;
        }
    }
    scope_back(s->ctx, was);
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

static bool keep_answers(Search *s, Candidate *c, const Val *answers, uint32_t n) {
    size_t bytes = n * sizeof(Image);
    for (uint32_t k = 0; k < n; k++) {
        bytes += (size_t)answers[k].n * answers[k].w;
    }
    c->answers = heap_grow(&s->kept, NULL, bytes, 1);
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

static size_t bytes_of(const Program *p) {
    size_t bytes = sizeof *p + p->nops * (sizeof *p->ops + sizeof *p->names) + p->nargs * sizeof *p->args +
                   p->nconsts * sizeof *p->consts;
    for (uint32_t k = 0; k < p->nconsts; k++) {
        bytes += val_deep_size(p->consts[k]);
    }
    return bytes;
}

static void forget_worst_half(Search *s) {
    search_rank(s);
    for (uint32_t k = s->count / 2; k < s->count; k++) {
        drop(s, &s->candidates[k]);
    }
    s->count /= 2;
}

static bool offer(Search *s, const SearchSeed *about, Program *program, uint64_t pairs, SearchFind *find) {
    const SearchTask *t = s->own;
    *find = (SearchFind){0};
    if (program == NULL) {
        return false;
    }
    Val answers[SEARCH_MOST_SAMPLES];
    double cost = about->cost;
    Candidate c = {.program = program,
                   .part = about->part,
                   .cost = cost,
                   .support = about->support,
                   .unseen = about->unseen,
                   .steps = about->steps};
    c.bytes = bytes_of(program);
    find->right = try_program(s, program, answers);
    c.right = (uint32_t)__builtin_popcountll(find->right);
    c.unseen += (uint32_t)__builtin_popcountll(find->right & ~pairs);
    bool fits = c.right == t->n_train, any = t->n_test == 0;
    bool believed = fits && cost < SEARCH_BELIEVED;
    for (uint32_t k = 0; k < t->n_test; k++) {
        any |= answers[k].n != 0;
    }
    find->answers = c.hash = hash_answers(answers, t->n_test);
    if (!any || c.right == 0) {
        prog_free(program);
        return fits;
    }
    for (uint32_t k = 0; k < s->count; k++) {
        Candidate *old = &s->candidates[k];
        if (old->hash == c.hash) {
            s->fitting += believed && (old->right < t->n_train || old->cost >= SEARCH_BELIEVED);
            old->support += c.support;
            old->unseen = c.unseen > old->unseen ? c.unseen : old->unseen;
            if (better(&c, old)) {
                heap_drop(&s->kept, old->bytes);
                prog_free(old->program);
                old->program = program;
                old->bytes = heap_take(&s->kept, c.bytes) ? c.bytes : 0;
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
    bool much = s->kept.most != 0 && s->kept.used > s->kept.most / 2;
    if (s->count == MOST_CANDIDATES || (much && s->count > LEAST_CANDIDATES)) {
        forget_worst_half(s);
    }
    if (s->count == s->room) {
        uint32_t room = s->room ? s->room * 2 : 16;
        Candidate *grown = heap_grow(&s->kept, s->candidates, room, sizeof *grown);
        if (grown == NULL) {
            prog_free(program);
            return fits;
        }
        s->candidates = grown;
        s->room = room;
    }
    if (!heap_take(&s->kept, c.bytes)) {
        prog_free(program);
        return fits;
    }
    if (!keep_answers(s, &c, answers, t->n_test)) {
        heap_drop(&s->kept, c.bytes);
        prog_free(program);
        return fits;
    }
    s->candidates[s->count++] = c;
    s->fitting += believed;
    return fits;
}

bool search_offer_from(Search *s, Program *program, double cost, uint64_t pairs, SearchFind *find) {
    SearchFind scratch;
    if (program != NULL && s->view != VIEW_NONE) {
        program = view_wrap(&s->builder, s->own, program, s->view);
        cost += view_cost(s->view);
    }
    SearchSeed about = {.part = (uint8_t)s->part, .cost = cost, .support = 1, .steps = s->steps};
    return offer(s, &about, program, pairs, find != NULL ? find : &scratch);
}

bool search_offer(Search *s, Program *program, double cost) {
    return search_offer_from(s, program, cost, UINT64_MAX, NULL);
}

void search_confirm(Search *s, const SearchFind *find, uint64_t pairs) {
    uint32_t unseen = (uint32_t)__builtin_popcountll(find->right & ~pairs);
    for (uint32_t k = 0; k < s->count && unseen > 0; k++) {
        Candidate *c = &s->candidates[k];
        if (c->hash == find->answers) {
            c->unseen = unseen > c->unseen ? unseen : c->unseen;
            return;
        }
    }
}

/* Who works when, on how much of the time at most. Quick looks of all parts come first; what they leave goes
 * to the deep ones. A large budget does not make the looks longer: with more time a part finds more that fits
 * by chance, and the next ones would not get their turn. What is beyond a short search goes to a deeper one.
 */
enum { SHORT_SEARCH_MS = 1000, SHORT_SEARCH_STEPS = 20000000 };

typedef struct Stage {
    uint8_t part, effort;
    double share;
    int8_t view, views_end; /* a look in each of these views that makes a difference */
} Stage;

static const Stage STAGES[] = {
    {PART_LIBRARY, 1, 0.2, VIEW_NONE, 0},
    {PART_CELLS, 1, 0.15, VIEW_NONE, 0},
    {PART_ENUMERATE, 1, 0.25, VIEW_NONE, 0},
    {PART_STAMPS, 1, 0.45, VIEW_NONE, VIEW_TURNED},
    {PART_CELLS, 1, 0.1, 0, VIEW_COUNT},
    {PART_CELLS, 2, 0.2, VIEW_NONE, 0},
    {PART_ENUMERATE, 2, 0.2, VIEW_NONE, 0},
    {PART_EVOLVE, 2, 0.03, VIEW_NONE, 0},
    {PART_STAMPS, 1, 0.2, VIEW_TURNED, VIEW_COUNT},
    {PART_STAMPS, 2, 1, VIEW_NONE, 0},
    {PART_ENUMERATE, 2, 1, VIEW_NONE, 0},
    {PART_EVOLVE, 2, 1, VIEW_NONE, 0},
};
static const Stage DEEPER[] = {
    {PART_ENUMERATE, 2, 0.45, VIEW_NONE, 0},        {PART_CELLS, 2, 0.2, VIEW_NONE, 0},
    {PART_STAMPS, 1, 0.2, VIEW_TURNED, VIEW_COUNT}, {PART_STAMPS, 2, 1, VIEW_NONE, 0},
    {PART_ENUMERATE, 2, 1, VIEW_NONE, 0},           {PART_EVOLVE, 2, 1, VIEW_NONE, 0}};

static void run_in_view(Search *s, void (*part)(Search *), int view) {
    SearchTask seen;
    CtxMark mark = ctx_mark(s->ctx);
    if (view_of(s->ctx, s->own, view, &seen)) {
        s->task = &seen;
        s->view = view;
        part(s);
        s->task = s->own;
        s->view = VIEW_NONE;
    }
    ctx_release(s->ctx, mark);
}

/* `length` is that of all stages together, `end` where they end, as shares of the budget. */
static void run_stage(Search *s, const Stage *stage, double length, double end) {
    static void (*const parts[PART_COUNT])(Search *) = {
#define PART(id, name, text) part_##name,
#include "search/parts.def"
#undef PART
    };
    static const Scope scopes[PART_COUNT] = {[PART_LIBRARY] = SCOPE_LIBRARY,
                                             [PART_CELLS] = SCOPE_CELLS,
                                             [PART_STAMPS] = SCOPE_STAMPS,
                                             [PART_ENUMERATE] = SCOPE_ENUMERATE,
                                             [PART_EVOLVE] = SCOPE_EVOLVE};
    if ((s->limits.without >> stage->part & 1) ||
        ((stage->effort > 1 || stage->view != VIEW_NONE) && s->fitting > 0)) {
        return;
    }
    uint64_t start = clock_work_ns(), values = s->values;
    s->part = (SearchPart)stage->part;
    s->effort = stage->effort;
    s->stage_end = search_used(s) + stage->share * length;
    s->stage_end = s->stage_end < end ? s->stage_end : end;
    s->stage_over = false;
    Scope scope = scopes[stage->part], was = scope_enter(s->ctx, scope != SCOPE_NONE ? scope : SCOPE_PART);
    int view = stage->view;
    if (view == VIEW_NONE) {
        parts[stage->part](s);
        view++;
    }
    for (; view < stage->views_end && s->fitting == 0 && !s->stage_over; view++) {
        run_in_view(s, parts[stage->part], view);
    }
    scope_back(s->ctx, was);
    s->part_ns[stage->part] += clock_work_ns() - start;
    s->part_values[stage->part] += s->values - values;
}

/* Stages one after the other, up to a share of the budget. */
static void run_phase(Search *s, const Stage *stages, size_t n, double end) {
    double begin = search_used(s);
    for (size_t k = 0; k < n && !s->out_of_budget && search_used(s) < end; k++) {
        run_stage(s, &stages[k], end - begin, end);
    }
}

/* The share of the budget that a short search is. */
static double short_share(const Search *s) {
    double by_time = s->limits.time_ns ? SHORT_SEARCH_MS * 1e6 / (double)s->limits.time_ns : 1;
    double by_steps = s->limits.steps ? (double)SHORT_SEARCH_STEPS / (double)s->limits.steps : 1;
    double share = by_time < by_steps ? by_time : by_steps;
    return share < 1 ? share : 1;
}

void search_run(Search *s) {
    for (uint32_t k = 0; k < s->limits.n_seeds; k++) {
        const SearchSeed *seed = &s->limits.seeds[k];
        s->part = (SearchPart)seed->part;
        s->stage_end = 1;
        SearchFind scratch;
        offer(s, seed, prog_with_mode(seed->program, MODE_CORE), UINT64_MAX, &scratch);
    }
    if (!s->limits.deeper && !s->limits.no_parts) {
        run_phase(s, STAGES, sizeof STAGES / sizeof *STAGES, short_share(s));
    }
    if (!s->limits.no_parts) {
        run_phase(s, DEEPER, sizeof DEEPER / sizeof *DEEPER, 1);
    }
    Scope was = scope_enter(s->ctx, SCOPE_RANK);
    search_rank(s);
    scope_back(s->ctx, was);
}

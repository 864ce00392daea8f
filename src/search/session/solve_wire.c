/* Results of searches as bytes; see solve_wire.h. Programs travel as text and are checked by their hash. */
#include "search/session/solve_wire.h"

#include "backends/ranks/program_wire.h"
#include "base/alloc.h"
#include "search/schedule/view.h"

#include <math.h>
#include <string.h>

static void pack_work(Out *out, const SearchWork *work) {
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        wire_u64(out, work->statistics.n[k]);
    }
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        const StrategyWork *w = &work->strategies[p];
        wire_u64(out, w->steps);
        wire_u64(out, w->ns);
        wire_u64(out, w->values);
        wire_u64(out, w->built_ns);
    }
}

static void pack_image(Out *out, Image image) {
    wire_u32(out, (uint32_t)image.h);
    wire_u32(out, (uint32_t)image.w);
    out_bytes(out, image.cells, (size_t)(image.h * image.w));
}

/* A program, answers of a net, or both. */
static void pack_program(Out *out, const SolveProgram *p, int32_t tests) {
    wire_u8(out, p->program != NULL);
    if (p->program != NULL) {
        program_pack(out, p->program);
    }
    wire_u8(out, p->answers != NULL);
    for (int32_t k = 0; k < tests && p->answers != NULL; k++) {
        pack_image(out, p->answers[k]);
    }
    if (p->answers != NULL) {
        wire_double(out, p->by_net);
    }
    wire_u8(out, p->strategy);
    wire_u32(out, p->right);
    wire_u32(out, p->backing.support);
    wire_u32(out, p->backing.unseen);
    wire_u32(out, p->backing.strategies);
    wire_u64(out, p->backing.arms);
    wire_u32(out, p->backing.tried);
    wire_u32(out, p->backing.mispredicted);
    wire_double(out, p->cost);
    wire_double(out, p->score);
    wire_u32(out, p->penalties);
    wire_u64(out, p->steps);
    wire_u64(out, p->hash);
}

void solve_pack(Out *out, const SolveTask *r) {
    wire_u32(out, r->rounds);
    wire_u32(out, r->candidates);
    wire_u32(out, r->fitting);
    wire_u64(out, r->time_ns);
    pack_work(out, &r->work);
    wire_u32(out, r->n_past);
    for (uint32_t k = 0; k < r->n_past; k++) {
        const ArmPast *past = &r->past[k];
        wire_u8(out, past->strategy);
        wire_u8(out, (uint8_t)past->under);
        wire_u8(out, (uint8_t)past->view);
        wire_u8(out, past->effort);
        wire_u8(out, past->finished);
        wire_double(out, past->spent);
        wire_double(out, past->slice_ms);
    }
    wire_u32(out, r->n_programs);
    for (uint32_t k = 0; k < r->n_programs; k++) {
        pack_program(out, &r->programs[k], r->task->n_test);
    }
    for (int32_t t = 0; t < r->task->n_test; t++) {
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            const SolveAnswer *answer = &r->answers[t][a];
            wire_u32(out, (uint32_t)answer->image.h);
            wire_u32(out, (uint32_t)answer->image.w);
            wire_u32(out, answer->candidate);
            out_bytes(out, answer->image.cells, (size_t)(answer->image.h * answer->image.w));
        }
    }
}

static void unpack_work(SearchWork *work, Wire *wire) {
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        work->statistics.n[k] = wire_get_u64(wire);
    }
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        StrategyWork *w = &work->strategies[p];
        w->steps = wire_get_u64(wire);
        w->ns = wire_get_u64(wire);
        w->values = wire_get_u64(wire);
        w->built_ns = wire_get_u64(wire);
    }
}

static bool is_view(int view) {
    return view >= VIEW_NONE && view <= VIEW_INTERMEDIATE;
}

static void unpack_past(SolveTask *r, Wire *wire) {
    r->n_past = wire_get_below(wire, SEARCH_MAX_PAST);
    for (uint32_t k = 0; k < r->n_past; k++) {
        ArmPast *past = &r->past[k];
        past->strategy = wire_get_u8(wire);
        past->under = (int8_t)wire_get_u8(wire);
        past->view = (int8_t)wire_get_u8(wire);
        past->effort = wire_get_u8(wire);
        past->finished = wire_get_bool(wire);
        past->spent = wire_get_double(wire);
        past->slice_ms = wire_get_double(wire);
        wire->bad |= past->strategy >= STRATEGY_COUNT || !is_view(past->under) || !is_view(past->view) ||
                     past->effort == 0 || !isfinite(past->spent) || !isfinite(past->slice_ms) ||
                     past->spent < 0 || past->slice_ms < 0;
    }
}

/* An image whose cells are still the wire's; h = 0: none. */
static Image unpack_image(Wire *wire) {
    uint32_t h = wire_get_below(wire, TASK_MAX_SIDE), w = wire_get_below(wire, TASK_MAX_SIDE);
    const void *cells = wire_get_bytes(wire, (size_t)h * w);
    wire->bad |= (h == 0) != (w == 0);
    if (cells == NULL || h * w == 0) {
        return (Image){0, 0, NULL};
    }
    Image image = {(int32_t)h, (int32_t)w, cells};
    wire->bad |= !task_image_valid(image, TASK_MAX_SIDE);
    return image;
}

/* Answers of a net, in one block. */
static Image *unpack_answers(uint32_t tests, Wire *wire) {
    Wire ahead = *wire;
    size_t bytes = tests * sizeof(Image);
    for (uint32_t k = 0; k < tests; k++) {
        Image image = unpack_image(&ahead);
        bytes += (size_t)(image.h * image.w);
    }
    wire->bad |= ahead.bad;
    Image *answers = wire->bad ? NULL : mem_alloc(bytes);
    wire->bad |= answers == NULL;
    int8_t *cells = (int8_t *)(answers + tests);
    for (uint32_t k = 0; k < tests && answers != NULL; k++) {
        Image image = unpack_image(wire);
        size_t n = (size_t)(image.h * image.w);
        if (n > 0) {
            memcpy(cells, image.cells, n);
        }
        answers[k] = (Image){image.h, image.w, cells};
        cells += n;
    }
    return answers;
}

static void unpack_program(SolveProgram *p, const Task *task, Lang *lang, Wire *wire) {
    bool program = wire_get_bool(wire);
    p->program = program ? program_unpack(lang, wire) : NULL;
    wire->bad |= program && p->program == NULL;
    bool net = wire_get_bool(wire);
    p->answers = net && !wire->bad ? unpack_answers((uint32_t)task->n_test, wire) : NULL;
    p->by_net = net ? wire_get_double(wire) : HUGE_VAL;
    wire->bad |= net && !isfinite(p->by_net);
    p->strategy = wire_get_u8(wire);
    p->right = wire_get_below(wire, (uint32_t)task->n_train);
    p->backing.support = wire_get_u32(wire);
    p->backing.unseen = wire_get_u32(wire);
    p->backing.strategies = wire_get_u32(wire);
    p->backing.arms = wire_get_u64(wire);
    p->backing.tried = wire_get_u32(wire);
    p->backing.mispredicted = wire_get_u32(wire);
    p->cost = wire_get_double(wire);
    p->score = wire_get_double(wire);
    p->penalties = (uint16_t)wire_get_below(wire, (1u << PENALTY_COUNT) - 1);
    p->steps = wire_get_u64(wire);
    p->hash = wire_get_u64(wire);
    wire->bad |= (p->program == NULL && p->answers == NULL) || p->strategy >= STRATEGY_COUNT ||
                 !isfinite(p->cost) || !isfinite(p->score) || p->backing.support == 0 ||
                 p->backing.mispredicted > p->backing.tried;
}

static void unpack_answer(SolveTask *r, SolveAnswer *answer, int8_t **cells, Wire *wire) {
    uint32_t h = wire_get_below(wire, TASK_MAX_SIDE), w = wire_get_below(wire, TASK_MAX_SIDE);
    uint32_t candidate = wire_get_u32(wire);
    const void *from = wire_get_bytes(wire, (size_t)h * w);
    if (from == NULL || h * w == 0) {
        wire->bad |= h != 0;
        return;
    }
    memcpy(*cells, from, (size_t)h * w);
    *answer = (SolveAnswer){.image = {(int32_t)h, (int32_t)w, *cells}, .candidate = candidate};
    *cells += h * w;
    wire->bad |= candidate >= r->n_programs || !task_image_valid(answer->image, TASK_MAX_SIDE);
}

bool solve_unpack(SolveTask *r, const Task *task, Lang *lang, Wire *wire) {
    size_t tests = (size_t)task->n_test, room = (size_t)(wire->end - wire->at);
    *r = (SolveTask){.task = task, .done = true};
    r->rounds = wire_get_below(wire, 1000);
    r->candidates = wire_get_u32(wire);
    r->fitting = wire_get_u32(wire);
    r->time_ns = wire_get_u64(wire);
    unpack_work(&r->work, wire);
    unpack_past(r, wire);
    uint32_t programs = wire_get_below(wire, (uint32_t)tests * SOLVE_ATTEMPTS);
    r->programs = mem_zalloc(tests * SOLVE_ATTEMPTS, sizeof *r->programs);
    r->answers = mem_zalloc(tests, sizeof *r->answers);
    r->cells = mem_alloc(room > 0 ? room : 1);
    bool good = r->programs != NULL && r->answers != NULL && r->cells != NULL;
    for (uint32_t k = 0; k < programs && good && !wire->bad; k++) {
        unpack_program(&r->programs[r->n_programs++], task, lang, wire);
    }
    int8_t *cells = r->cells;
    for (size_t t = 0; t < tests && good && !wire->bad; t++) {
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            unpack_answer(r, &r->answers[t][a], &cells, wire);
        }
    }
    if (!good || !wire_ends(wire)) {
        solve_task_free(r);
        return false;
    }
    return true;
}

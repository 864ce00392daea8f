/* Verdicts as bytes; see run_wire.h. A program is sent as its index in the RunSpec, which is the
 * same on all ranks. */
#include "search/run/run_wire.h"

#include "base/alloc.h"
#include "engine/primitives/prim.h"
#include "engine/value/value.h"

#include <string.h>

enum { NO_PROGRAM = UINT32_MAX };

static uint32_t place_of(const RunSpec *spec, const Program *program) {
    for (size_t k = 0; k < spec->n_programs; k++) {
        if (spec->programs[k] == program) {
            return (uint32_t)k;
        }
    }
    return NO_PROGRAM;
}

void run_pack(Out *out, const RunSpec *spec, const RunTask *r) {
    wire_u32(out, place_of(spec, r->program));
    wire_u32(out, r->tried);
    wire_u32(out, r->solving);
    wire_u32(out, r->train_right);
    wire_u32(out, r->test_right);
    wire_u32(out, r->test_known);
    wire_u8(out, r->no_memory);
    wire_u8(out, r->cut);
    wire_u8(out, r->fits);
    wire_u8(out, r->solved);
    wire_u8(out, r->scored);
    wire_u32(out, r->score);
    wire_u64(out, r->time_ns);
    for (int k = 0; k < RUN_PHASES; k++) {
        wire_u64(out, r->phase_ns[k]);
    }
    wire_u32(out, (uint32_t)r->n_cutoffs);
    for (size_t k = 0; k < r->n_cutoffs; k++) {
        wire_u32(out, place_of(spec, r->cutoffs[k].program));
        wire_u32(out, r->cutoffs[k].samples);
        wire_u8(out, r->cutoffs[k].reason);
        wire_u64(out, r->cutoffs[k].steps);
    }
    wire_u8(out, r->samples != NULL);
    for (uint32_t k = 0; r->samples != NULL && k < r->n_samples; k++) {
        const RunSample *s = &r->samples[k];
        wire_u8(out, s->verdict);
        wire_u8(out, s->reason);
        wire_u32(out, s->prim);
        wire_u32(out, s->line);
        wire_u64(out, s->steps);
        wire_u64(out, s->time_ns);
        wire_u32(out, (uint32_t)s->got.h);
        wire_u32(out, (uint32_t)s->got.w);
        if (s->got.cells != NULL) {
            out_bytes(out, s->got.cells, (size_t)(s->got.h * s->got.w));
        }
    }
}

static void unpack_sample(RunSample *s, int8_t **cells, Wire *wire) {
    s->verdict = wire_get_u8(wire);
    s->reason = wire_get_u8(wire);
    s->prim = (uint16_t)wire_get_below(wire, PRIM_COUNT);
    s->line = wire_get_u32(wire);
    s->steps = wire_get_u64(wire);
    s->time_ns = wire_get_u64(wire);
    uint32_t h = wire_get_below(wire, TASK_MAX_SIDE), w = wire_get_below(wire, TASK_MAX_SIDE);
    const void *from = wire_get_bytes(wire, (size_t)h * w);
    wire->bad |= s->verdict > SAMPLE_NOT_RUN || s->reason >= FAIL_REASONS || (h == 0) != (w == 0);
    if (from != NULL && h > 0) {
        memcpy(*cells, from, (size_t)h * w);
        s->got = (Image){(int32_t)h, (int32_t)w, *cells};
        *cells += h * w;
        wire->bad |= !task_image_valid(s->got, TASK_MAX_SIDE);
    }
}

/* False: no memory. */
static bool unpack_cutoffs(RunTask *r, const RunSpec *spec, Wire *wire) {
    uint32_t n = wire_get_below(wire, (uint32_t)spec->n_programs);
    if (wire->bad || n == 0) {
        return true;
    }
    r->cutoffs = mem_zalloc(n, sizeof *r->cutoffs);
    for (uint32_t k = 0; r->cutoffs != NULL && k < n && !wire->bad; k++) {
        uint32_t program = wire_get_u32(wire);
        RunCutoff *cutoff = &r->cutoffs[r->n_cutoffs++];
        cutoff->samples = wire_get_below(wire, r->n_samples);
        cutoff->reason = wire_get_u8(wire);
        cutoff->steps = wire_get_u64(wire);
        wire->bad |= program >= spec->n_programs || cutoff->reason >= FAIL_REASONS;
        cutoff->program = wire->bad ? NULL : spec->programs[program];
    }
    return r->cutoffs != NULL;
}

bool run_unpack(RunTask *r, const RunSpec *spec, const Task *task, Wire *wire) {
    size_t room = (size_t)(wire->end - wire->at);
    *r = (RunTask){.task = task, .n_samples = (uint32_t)(task->n_train + task->n_test)};
    uint32_t program = wire_get_u32(wire);
    wire->bad |= program != NO_PROGRAM && program >= spec->n_programs;
    r->program = wire->bad || program == NO_PROGRAM ? NULL : spec->programs[program];
    r->tried = wire_get_u32(wire);
    r->solving = wire_get_u32(wire);
    r->train_right = wire_get_below(wire, (uint32_t)task->n_train);
    r->test_right = wire_get_below(wire, (uint32_t)task->n_test);
    r->test_known = wire_get_below(wire, (uint32_t)task->n_test);
    r->no_memory = wire_get_bool(wire);
    r->cut = wire_get_bool(wire);
    r->fits = wire_get_bool(wire);
    r->solved = wire_get_bool(wire);
    r->scored = wire_get_bool(wire);
    r->score = wire_get_below(wire, RUN_SCORE_MAX * r->n_samples);
    r->time_ns = wire_get_u64(wire);
    for (int k = 0; k < RUN_PHASES; k++) {
        r->phase_ns[k] = wire_get_u64(wire);
    }
    bool listed = unpack_cutoffs(r, spec, wire);
    bool sampled = wire_get_bool(wire), good = listed && !wire->bad && sampled == (r->program != NULL);
    if (good && sampled) {
        r->samples = mem_zalloc(r->n_samples, sizeof *r->samples);
        r->cells = mem_alloc(room);
        good = r->samples != NULL && r->cells != NULL;
        int8_t *cells = r->cells;
        for (uint32_t k = 0; k < r->n_samples && good && !wire->bad; k++) {
            unpack_sample(&r->samples[k], &cells, wire);
        }
    }
    if (!good || !wire_ends(wire)) {
        run_free(r, 1);
        return false;
    }
    return true;
}

/* Cutting single programs out of a large one; see slice.h. */
#include "engine/language/slice.h"

#include "base/alloc.h"
#include "engine/language/hash.h"

#include <string.h>

bool slicer_open(Slicer *s, const Program *program) {
    uint32_t slots = prog_slots(program);
    *s = (Slicer){.program = program,
                  .hashes = mem_array(slots + 1, sizeof *s->hashes),
                  .refs = mem_array(slots + 1, sizeof *s->refs),
                  .seen = mem_zalloc(slots + 1, sizeof *s->seen),
                  .needed = mem_array(program->nops + 1, sizeof *s->needed),
                  .marks = mem_zalloc(program->nops / 64 + 1, sizeof *s->marks)};
    build_init(&s->builder);
    if (s->hashes == NULL || s->refs == NULL || s->seen == NULL || s->needed == NULL || s->marks == NULL) {
        slicer_close(s);
        return false;
    }
    prog_hash(program, s->hashes);
    return true;
}

void slicer_close(Slicer *s) {
    mem_free(s->hashes);
    mem_free(s->refs);
    mem_free(s->seen);
    mem_free(s->needed);
    mem_free(s->marks);
    build_free(&s->builder);
    *s = (Slicer){0};
}

/* Notes a slot that the cut needs: what is no call gets its ref at once. Returns whether it is a new call. */
static bool need(Slicer *s, uint32_t slot) {
    const Program *p = s->program;
    if (s->seen[slot] == s->cuts) {
        return false;
    }
    s->seen[slot] = s->cuts;
    if (slot < p->nparams) {
        s->refs[slot] = REF_PARAM | (p->nparams == 1 ? PARAM_I : slot);
        return false;
    }
    if (slot < p->nparams + p->nconsts) {
        s->refs[slot] = build_const(&s->builder, p->consts[slot - p->nparams]);
        return false;
    }
    return true;
}

static void sort(Slicer *s, uint32_t n) {
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t word = s->needed[k] / 64;
        s->marks[word] |= UINT64_C(1) << s->needed[k] % 64;
        low = word < low ? word : low;
        high = word > high ? word : high;
    }
    n = 0;
    for (uint32_t word = low; word <= high && low != UINT32_MAX; word++) {
        for (uint64_t bits = s->marks[word]; bits != 0; bits &= bits - 1) {
            s->needed[n++] = word * 64 + (uint32_t)__builtin_ctzll(bits);
        }
        s->marks[word] = 0;
    }
}

/* The calls that a slot needs, in their order. */
static uint32_t collect(Slicer *s, uint32_t slot) {
    const Program *p = s->program;
    uint32_t first = prog_op_slot(p, 0), n = 0;
    if (need(s, slot)) {
        s->needed[n++] = slot - first;
    }
    for (uint32_t done = 0; done < n; done++) {
        const Op *op = &p->ops[s->needed[done]];
        for (uint32_t a = 0; a < op->nargs; a++) {
            uint32_t from = p->args[op->first + a];
            if (need(s, from)) {
                s->needed[n++] = from - first;
            }
        }
    }
    sort(s, n);
    return n;
}

Program *slicer_cut(Slicer *s, uint32_t slot, const char *name, size_t name_length) {
    const Program *p = s->program;
    uint32_t first = prog_op_slot(p, 0);
    Ref args[BUILD_MAX_ARGS];
    s->cuts++;
    build_start(&s->builder);
    uint32_t n = collect(s, slot);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t index = s->needed[k];
        const Op *op = &p->ops[index];
        for (uint32_t a = 0; a < op->nargs; a++) {
            args[a] = s->refs[p->args[op->first + a]];
        }
        s->refs[first + index] = build_op(&s->builder, (OpKind)op->kind, op->prim, args, op->nargs, op->line,
                                          p->names[index], strlen(p->names[index]));
    }
    Program *cut = build_finish_hashed(&s->builder, name, name_length, (Mode)p->mode, p->nparams,
                                       s->refs[slot], prog_hash_of_slot(s->hashes[slot], (Mode)p->mode));
    if (cut != NULL) {
        cut->own_names = p->own_names;
    }
    return cut;
}

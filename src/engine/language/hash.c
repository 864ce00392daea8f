/* Hashing programs; see hash.h. */
#define XXH_INLINE_ALL
#include "engine/language/hash.h"

#include "engine/language/own.h"
#include "engine/primitives/prim.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>

/* Hashes are kept in stores and files, so numbers are hashed lowest byte first on every machine. */
static ProgHash le_hash(ProgHash h) {
    return (ProgHash){htole64(h.hi), htole64(h.lo)};
}

static ProgHash hash_bytes(const void *bytes, size_t length, uint64_t seed) {
    XXH128_hash_t h = XXH3_128bits_withSeed(bytes, length, seed);
    return (ProgHash){h.high64, h.low64};
}

enum {
    SEED_PARAM = 1,
    SEED_INT,
    SEED_ATOM,
    SEED_TUPLE,
    SEED_SET,
    SEED_FN,
    SEED_OP,
    SEED_PROGRAM = SEED_OP + 8
};

/* Not inlined: if gcc knows the length, it warns about branches of xxHash that are for longer inputs. */
__attribute__((noinline)) static void add_bytes(XXH3_state_t *state, const void *bytes, size_t length) {
    XXH3_128bits_update(state, bytes, length);
}

/* Hashes the content, element by element, whatever the representation. Parsed constants are never nested
 * deeply. */
static ProgHash hash_value(Val v) {
    if (val_is_container(v)) {
        uint64_t seed = val_is_tuple(v) ? SEED_TUPLE : SEED_SET;
        XXH3_state_t state;
        XXH3_INITSTATE(&state); /* a seeded reset reads the previous state */
        XXH3_128bits_reset_withSeed(&state, seed);
        for (uint32_t k = 0, n = val_len(v); k < n; k++) {
            ProgHash h = le_hash(hash_value(val_at(v, k)));
            add_bytes(&state, &h, sizeof h);
        }
        XXH128_hash_t h = XXH3_128bits_digest(&state);
        return (ProgHash){h.high64, h.low64};
    }
    switch (v.kind) {
    case VAL_INT: {
        uint64_t number = htole64((uint64_t)v.i);
        return hash_bytes(&number, sizeof number, SEED_INT);
    }
    case VAL_PRIM:
        return hash_bytes(prim_table[v.n].name, strlen(prim_table[v.n].name), SEED_FN);
    case VAL_CLOSURE: { /* of no other kind in a program */
        const char *name = own_name(v);
        return hash_bytes(name != NULL ? name : "", name != NULL ? strlen(name) : 0, SEED_FN);
    }
    default: {
        uint16_t which = htole16(v.w);
        return hash_bytes(&which, sizeof which, SEED_ATOM);
    }
    }
}

static ProgHash hash_op(const Program *p, const Op *op, const ProgHash *hashes) {
    struct {
        char name[48]; /* of the primitive, zero-padded */
        ProgHash args[255];
    } text;
    memset(text.name, 0, sizeof text.name);
    if (op->kind == OP_PRIM) {
        strncpy(text.name, prim_table[op->prim].name, sizeof text.name - 1);
    }
    for (uint32_t k = 0; k < op->nargs; k++) {
        text.args[k] = le_hash(hashes[p->args[op->first + k]]);
    }
    return hash_bytes(&text, sizeof text.name + op->nargs * sizeof(ProgHash), SEED_OP + (uint64_t)op->kind);
}

ProgHash prog_hash(const Program *p, ProgHash *hashes) {
    for (uint32_t k = 0; k < p->nparams; k++) {
        char letter = p->nparams == 1 ? 'I' : "SIC"[k];
        hashes[k] = hash_bytes(&letter, 1, SEED_PARAM);
    }
    for (uint32_t k = 0; k < p->nconsts; k++) {
        hashes[p->nparams + k] = hash_value(p->consts[k]);
    }
    for (uint32_t k = 0; k < p->nops; k++) {
        hashes[prog_op_slot(p, k)] = hash_op(p, &p->ops[k], hashes);
    }
    return prog_hash_of_slot(hashes[p->result], (Mode)p->mode);
}

ProgHash prog_hash_of_slot(ProgHash slot, Mode mode) {
    ProgHash result = le_hash(slot);
    return hash_bytes(&result, sizeof result, SEED_PROGRAM + (uint64_t)mode);
}

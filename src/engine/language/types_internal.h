/* Inside types: the struct that types.c, infer.c and accepted_kinds.c share. */
#ifndef BATT_ENGINE_LANGUAGE_TYPES_INTERNAL_H
#define BATT_ENGINE_LANGUAGE_TYPES_INTERNAL_H

#include "base/hash_map.h"
#include "engine/language/infer.h"
#include "engine/language/own.h"
#include "engine/language/types.h"

/* A primitive of one's own has the number TYPE_OWN + its place here. */
enum { TYPE_OWN = PRIM_COUNT + 1 };
typedef struct OwnType {
    const OwnPrim *prim;
    PrimType type;
} OwnType;

struct Types {
    Type *terms;
    uint32_t count, room;
    HashMap map; /* terms, by their hashes */
    TypeId row;  /* tuple(int): needed very often */
    PrimType prims[PRIM_COUNT];
    OwnType *own; /* those that occurred in programs */
    uint32_t own_count, own_room;
    /* trying primitives out */
    Ctx ctx;
    bool probing;                       /* ctx is open */
    uint8_t accepted[2][PRIM_COUNT][4]; /* by mode: kinds, 0: not tried yet */
    /* the inference under way */
    Mode mode;
    TypeReport report;
    void *user;
    uint32_t op, steps;
    bool vague;      /* the types at this op are not certain */
    uint8_t *vagues; /* by slot */
    uint32_t vagues_room;
    unsigned doubt; /* depth of calls that happen only if there is an element to call them on */
};

/* What the table, or the registration, says about a primitive by its number here. */
static inline const char *types_prim_name(const Types *types, uint32_t prim) {
    return prim < PRIM_COUNT ? prim_table[prim].name : types->own[prim - TYPE_OWN].prim->name;
}
static inline const char *types_prim_signature(const Types *types, uint32_t prim) {
    return prim < PRIM_COUNT ? prim_table[prim].signature : types->own[prim - TYPE_OWN].prim->signature;
}
static inline unsigned types_prim_arity(const Types *types, uint32_t prim) {
    return prim < PRIM_COUNT ? prim_table[prim].arity : types->own[prim - TYPE_OWN].prim->arity;
}
static inline unsigned types_prim_flags(uint32_t prim) {
    return prim < PRIM_COUNT ? prim_table[prim].flags : 0;
}

#endif

/* Inside types: the struct that types.c, infer.c and accepted_kinds.c share. */
#ifndef BATT_ENGINE_LANGUAGE_TYPES_INTERNAL_H
#define BATT_ENGINE_LANGUAGE_TYPES_INTERNAL_H

#include "base/hash_map.h"
#include "engine/language/infer.h"
#include "engine/language/types.h"

struct Types {
    Type *terms;
    uint32_t count, room;
    HashMap map; /* terms, by their hashes */
    TypeId row;  /* tuple(int): needed very often */
    PrimType prims[PRIM_COUNT];
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

#endif

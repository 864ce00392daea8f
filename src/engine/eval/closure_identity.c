/* Follows closures through a program; see closure_identity.h. */
#include "engine/eval/closure_identity.h"

#include "engine/language/signature.h"

#include <ctype.h>
#include <string.h>

/* ---- roles ---- */

static bool is_word(const char *at, size_t length, const char *word) {
    return length == strlen(word) && memcmp(at, word, length) == 0;
}

/* Can a value of this type be a function or hold one? The letters of a signature stand for any type. */
static bool type_may_hold(const char *type, size_t length) {
    for (size_t k = 0; k < length;) {
        size_t n = 0;
        while (k + n < length && isalpha((unsigned char)type[k + n])) {
            n++;
        }
        bool bare = k + n == length || type[k + n] != '('; /* a container of anything */
        if ((n == 1 && islower((unsigned char)type[k])) || is_word(type + k, n, "any") ||
            is_word(type + k, n, "fn") ||
            (bare && (is_word(type + k, n, "tuple") || is_word(type + k, n, "set") ||
                      is_word(type + k, n, "container")))) {
            return true;
        }
        k += n + 1;
    }
    return false;
}

void closure_roles_fill(ClosureRoles *roles) {
    for (uint32_t prim = 0; prim < PRIM_COUNT; prim++) {
        const char *at = prim_table[prim].signature;
        SignatureParam param;
        struct ClosureRole *role = &roles->of[prim];
        *role = (struct ClosureRole){0};
        for (unsigned k = 0; signature_next(&at, &param); k++) {
            bool function = param.type_length >= 2 && memcmp(param.type, "fn", 2) == 0;
            role->functions |= (uint8_t)(function << k);
        }
        role->hands_on = type_may_hold(at, strlen(at));
    }
}

/* ---- programs ---- */

/* What a slot is, in bits: whether it is a closure made by the program's own call; how many primitives that
 * make closures are in it, so that calling it may make some, which have one less in them; and a call whose
 * closures it may hold, or hand on when it is called (its slot + 1, 0: none). */
enum { CLOSURE = 1u << 31, MAKER = 1u << 24, MAKERS = 127u << 24, SOURCE = MAKER - 1 };

/* Calls whose closures may come together are a group. A slot has another one of its group, and the one that
 * stands for all has itself, and this bit if there are several. */
enum { SEVERAL = 1u << 31 };

static uint32_t add_makers(uint32_t sum, uint32_t slot) {
    uint64_t makers = (uint64_t)(sum & MAKERS) + (slot & MAKERS);
    return (sum & ~(uint32_t)MAKERS) | (uint32_t)(makers < MAKERS ? makers : MAKERS);
}

typedef struct IdentityWalk {
    const ClosureRoles *roles;
    const Program *p;
    Types *types;
    const TypeId *slot_types;
    uint32_t *slots, *groups;
    bool several; /* some group has several calls */
} IdentityWalk;

/* Can a value of this type be a function or hold one? */
static bool inferred_may_hold(const Types *types, TypeId id) {
    const Type *type = types_at(types, id);
    switch ((TypeKind)type->kind) {
    case TYPE_TUPLE:
    case TYPE_SET:
    case TYPE_CONTAINER:
        return inferred_may_hold(types, type->part[0]);
    case TYPE_NEVER:
        return false;
    case TYPE_VAR:
    case TYPE_LIKE:
        return true;
    default:
        return (type->kinds & KIND_FN) != 0;
    }
}

static bool may_hold(const IdentityWalk *f, const Op *op, uint32_t slot) {
    return (op->kind != OP_PRIM || f->roles->of[op->prim].hands_on) &&
           (f->slot_types == NULL || inferred_may_hold(f->types, f->slot_types[slot]));
}

static uint32_t group_of(uint32_t *groups, uint32_t slot) {
    for (uint32_t up; (up = groups[slot] & ~(uint32_t)SEVERAL) != slot; slot = up) {
        groups[slot] = groups[up] & ~(uint32_t)SEVERAL; /* paths become short */
    }
    return slot;
}

/* The source of a value that may hold closures of both. */
static inline uint32_t join(IdentityWalk *f, uint32_t source, uint32_t other) {
    if (source == 0 || other == 0) {
        return source | other;
    }
    uint32_t to = group_of(f->groups, source - 1), from = group_of(f->groups, other - 1);
    if (to != from) {
        f->groups[from] = to;
        f->groups[to] = to | SEVERAL;
        f->several = true;
    }
    return to + 1;
}

/* Adds an argument to what is known of a call: one that is called, or one that is data. */
static inline void add_arg(IdentityWalk *f, uint32_t *to, uint32_t slot, bool called) {
    uint32_t arg = f->slots[slot];
    if (arg == 0) {
        return;
    }
    uint32_t source = join(f, *to & SOURCE, arg & SOURCE);
    if ((arg & CLOSURE) && !called) {
        source = join(f, source, slot + 1);
    }
    *to = (add_makers(*to, arg) & ~(uint32_t)SOURCE) | source;
}

/* The primitive that a constant slot is, or -1. */
static int prim_in(const IdentityWalk *f, uint32_t slot) {
    uint32_t k = slot - f->p->nparams;
    return slot >= f->p->nparams && k < f->p->nconsts && f->p->consts[k].kind == VAL_PRIM
               ? (int)f->p->consts[k].n
               : -1;
}

/* A closure that is bound to a parameter which a primitive calls is only called. */
static bool binds_what_is_called(const IdentityWalk *f, const Op *op) {
    int prim = prim_in(f, f->p->args[op->first]);
    if (prim < 0 || (op->prim != P_lbind && op->prim != P_rbind)) {
        return false;
    }
    unsigned at = op->prim == P_lbind ? 0 : prim_table[prim].arity - 1u;
    return f->roles->of[prim].functions >> at & 1;
}

/* A call that makes a closure, which hands on what it was given as data. */
static uint32_t follow_maker(IdentityWalk *f, const Op *op) {
    uint32_t to = CLOSURE, functions = binds_what_is_called(f, op) ? ~0u : f->roles->of[op->prim].functions;
    for (uint32_t k = 0; k < op->nargs; k++) {
        add_arg(f, &to, f->p->args[op->first + k], k < 8 && (functions >> k & 1));
    }
    return to;
}

/* Any other call. */
static uint32_t follow_call(IdentityWalk *f, const Op *op, uint32_t slot) {
    /* the first operand of a call of a value is called; elements of a tuple or set are data */
    uint32_t functions = op->kind == OP_PRIM ? f->roles->of[op->prim].functions : op->kind == OP_VALUE;
    uint32_t to = 0;
    for (uint32_t k = 0; k < op->nargs; k++) {
        add_arg(f, &to, f->p->args[op->first + k], k < 8 && (functions >> k & 1));
    }
    if (!may_hold(f, op, slot)) {
        return 0;
    }
    if (to & MAKERS) { /* its result may hold closures that it made */
        uint32_t left = (to & MAKERS) - ((to & MAKERS) < MAKERS ? (uint32_t)MAKER : 0);
        to = left | join(f, to & SOURCE, slot + 1);
    }
    return to;
}

/* Can calling this constant, or something in it, make closures? */
static bool may_make(Val v) {
    return v.kind == VAL_PRIM ? (prim_table[v.n].flags & PRIM_CLOSURE) != 0
                              : v.kind == VAL_TUPLE || v.kind == VAL_SET || v.kind == VAL_CLOSURE;
}

bool closure_groups_find(const ClosureRoles *roles, const Program *p, Types *types, const TypeId *slot_types,
                         uint32_t *scratch) {
    uint32_t slots = prog_slots(p);
    IdentityWalk f = {roles, p, types, slot_types, .several = slots >= SOURCE};
    f.slots = scratch;
    f.groups = scratch + slots;
    for (uint32_t slot = 0; slot < slots; slot++) {
        bool constant = slot >= p->nparams && slot < p->nparams + p->nconsts;
        f.slots[slot] = constant && may_make(p->consts[slot - p->nparams]) ? MAKER : 0;
        f.groups[slot] = f.several ? slot | SEVERAL : slot;
    }
    for (uint32_t k = 0; k < p->nops && slots < SOURCE; k++) {
        const Op *op = &p->ops[k];
        uint32_t slot = prog_op_slot(p, k);
        bool maker = op->kind == OP_PRIM && (prim_table[op->prim].flags & PRIM_CLOSURE) != 0;
        f.slots[slot] = maker ? follow_maker(&f, op) : follow_call(&f, op, slot);
    }
    return f.several;
}

bool closure_meets_others(uint32_t *scratch, uint32_t slots, uint32_t slot) {
    uint32_t *groups = scratch + slots;
    return (groups[group_of(groups, slot)] & SEVERAL) != 0;
}

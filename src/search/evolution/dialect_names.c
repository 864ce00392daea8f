/* Renaming to the dialect; see dialect_names.h. */
#include "search/evolution/dialect_names.h"

#include "base/alloc.h"

enum { NO = PRIM_COUNT };

typedef struct DialectName {
    uint16_t prim;                  /* of arc-dsl */
    uint16_t grid, indices, object; /* what it is there, by the type of the argument; NO: nothing */
    uint8_t argument;
} DialectName;

static const DialectName table[] = {
#define TWO(name) \
    { P_##name, P_##name##_t, P_##name##_f, P_##name##_f, 0 }
    TWO(height),
    TWO(width),
    TWO(shape),
    TWO(portrait),
    TWO(square),
    TWO(hmirror),
    TWO(vmirror),
    TWO(dmirror),
    TWO(cmirror),
    TWO(upscale),
    TWO(mostcolor),
    TWO(leastcolor),
    TWO(colorcount),
    TWO(palette),
    TWO(numcolors),
#undef TWO
    {P_vline, NO, P_vline_i, P_vline_o, 0},
    {P_hline, NO, P_hline_i, P_hline_o, 0},
    {P_recolor, NO, P_recolor_i, P_recolor_o, 1},
    {P_ofcolor, P_f_ofcolor, P_f_ofcolor, P_f_ofcolor, 0},
};

static bool is_there(uint32_t prim) {
    return (prim_table[prim].flags & (PRIM_OURS | PRIM_CORE_ONLY)) == 0;
}

/* The dialect's primitive for an argument of this type; NO: none, or the type leaves it open. */
static uint32_t name_for(const DialectName *name, const Type *type) {
    bool tuple = type->kinds == KIND_TUPLE, set = type->kinds == KIND_SET;
    if (name->grid == name->indices && name->indices == name->object) {
        return name->grid; /* whatever it is given */
    }
    if (tuple) {
        return name->grid;
    }
    return !set                            ? NO
           : name->indices == name->object ? name->indices
           : type->kind == TYPE_INDICES    ? name->indices
           : type->kind == TYPE_OBJECT     ? name->object
                                           : NO;
}

static uint32_t in_dialect(uint32_t prim, const Type *(*type_of)(void *user, uint32_t argument), void *user) {
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].prim == prim) {
            return name_for(&table[k], type_of(user, table[k].argument));
        }
    }
    return is_there(prim) ? prim : NO;
}

typedef struct OpTypes {
    const Types *types;
    const TypeId *slots;
    const Program *program;
    const Op *op;
} OpTypes;

static const Type *argument_type(void *user, uint32_t argument) {
    const OpTypes *o = user;
    return argument < o->op->nargs ? types_at(o->types, o->slots[o->program->args[o->op->first + argument]])
                                   : types_at(o->types, TYPE_ANY);
}

static const Type *any_type(void *user, uint32_t argument) { /* of a function that something else calls */
    (void)argument;
    return types_at(user, TYPE_ANY);
}

bool dialect_names(Types *types, Program *p, int *missing) {
    TypeId *slots = mem_array(prog_slots(p), sizeof *slots);
    Op *ops = (Op *)p->ops; /* the caller owns the program, and nobody else has it yet */
    Val *consts = (Val *)p->consts;
    *missing = -1;
    if (slots == NULL) {
        return false;
    }
    types_of_program(types, p, slots, NULL, NULL);
    for (uint32_t k = 0; k < p->nops && *missing < 0; k++) {
        OpTypes at = {types, slots, p, &ops[k]};
        uint32_t prim = ops[k].kind == OP_PRIM ? in_dialect(ops[k].prim, argument_type, &at) : ops[k].prim;
        *missing = prim == NO ? ops[k].prim : -1;
        ops[k].prim = prim == NO ? ops[k].prim : (uint16_t)prim;
    }
    for (uint32_t k = 0; k < p->nconsts && *missing < 0; k++) {
        uint32_t prim = consts[k].kind == VAL_PRIM ? in_dialect(consts[k].n, any_type, types) : 0;
        *missing = prim == NO ? (int)consts[k].n : -1;
        consts[k] = consts[k].kind == VAL_PRIM && prim != NO ? val_prim(prim) : consts[k];
    }
    mem_free(slots);
    return *missing < 0;
}

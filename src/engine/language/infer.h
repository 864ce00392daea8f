/* Inference: a type for every slot of a program, and the calls that cannot work.
 *
 * Programs are straight-line code, so types are found by running the program on types: a call of a primitive
 * matches its arguments with its signature, a call of a closure is followed into its parts. Nothing is
 * assumed about values except their types; if that leaves several possibilities, the type is the larger one.
 *
 * A finding says that an argument has none of the kinds its parameter can work with, or that the number of
 * arguments is wrong. It is certain, or in doubt if the call happens only when a container has elements. */
#ifndef BATT_ENGINE_LANGUAGE_INFER_H
#define BATT_ENGINE_LANGUAGE_INFER_H

#include "engine/language/program.h"
#include "engine/language/types.h"

typedef struct TypeFinding {
    uint32_t op;   /* of the program */
    uint32_t prim; /* where it arises; PRIM_COUNT: in the call of a value; above: one of one's own */
    bool arity;    /* the number of arguments is wrong: `given` of them */
    bool certain;  /* the call always happens, not only if a container has elements */
    /* An argument's type is not certain: it comes from the dialect, whose functions may return defaults of
     * other types, or from a call whose own arguments may not be what it wants. */
    bool vague;
    uint32_t param;
    uint32_t given;
    TypeId type, wanted;
} TypeFinding;

typedef void (*TypeReport)(void *user, const TypeFinding *finding);

/* Fills in the types of all slots (prog_slots() of them) and returns that of the result. report may be
 * NULL. */
TypeId types_of_program(Types *types, const Program *program, TypeId *slots, TypeReport report, void *user);
/* Whether a type is bool or a container of bool, so that 1 means T. */
bool types_is_truth(Types *types, TypeId id);
/* "rot90 wants a grid as 'grid', not an objects" */
void types_finding_text(Out *out, Types *types, const TypeFinding *finding);

/* The type of a call's result. Nothing is reported. */
TypeId types_call(Types *types, Mode mode, TypeId function, const TypeId *args, uint32_t n);
TypeId types_call_prim(Types *types, Mode mode, uint32_t prim, const TypeId *args, uint32_t n);

enum { TYPES_ANY_ARITY = 255 };
unsigned types_fn_arity(const Types *types, TypeId function); /* TYPES_ANY_ARITY: not known */
/* The declared types of a function's parameters, as far as they are known; params has arity places, at most
 * 8. */
void types_fn_params(Types *types, TypeId function, TypeId *params);

#endif

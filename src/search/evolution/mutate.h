/* Mutation: small, typed changes of a program, determined by a random stream.
 *
 * A Mutator is the scratch of one thread. Every child is type-checked, in canonical form, and
 * different from its parents; attempts that fail are dropped. */
#ifndef BATT_SEARCH_EVOLUTION_MUTATE_H
#define BATT_SEARCH_EVOLUTION_MUTATE_H

#include "data/tasks/task.h"
#include "engine/language/infer.h"
#include "search/evolution/choices.h"
#include "search/evolution/draft.h"
#include "search/evolution/vocab.h"

#define MUTATIONS(X)                                                     \
    X(VARIABLE, "variable", 14)   /* another compatible one */           \
    X(PRIMITIVE, "primitive", 16) /* one of like signature */            \
    X(CONSTANT, "constant", 8)    /* within its range */                 \
    X(COLOR, "color", 10)         /* one the samples suggest */          \
    X(INSERT, "insert", 12)       /* a call around a value */            \
    X(WRAP, "wrap", 14)           /* a call around the result */         \
    X(DELETE, "delete", 5)        /* a call gives way to its argument */ \
    X(REGROW, "regrow", 18)       /* a new sub-graph for an argument */  \
    X(CROSS, "cross", 9)          /* a sub-graph of another program */

typedef enum MutationKind {
#define X(id, name, weight) MUTATION_##id,
    MUTATIONS(X)
#undef X
        MUTATION_COUNT
} MutationKind;

extern const char *const mutation_names[MUTATION_COUNT];

/* Colors of a task's samples, as bit sets. */
typedef struct Palettes {
    uint16_t in, out;      /* in any input, in any output */
    uint16_t gained, lost; /* in the output but not the input of any pair; the other way round */
} Palettes;
Palettes palettes_of(const Task *task);

typedef struct Mutator {
    Types *types;
    Vocab vocab[2];                   /* by mode */
    uint8_t color_params[PRIM_COUNT]; /* bit k: parameter k takes a color */
    PrimChoices choices;
    struct TypeMemo *memo; /* results of calls on types */
    Rng rng;
    Palettes colors;
    bool differs; /* programs measure an answer, C, and give a number; else they give a grid and must not read
                     C */
    /* the child in the making */
    Draft work;
    DraftView view;
    TypeId op_types[DRAFT_OPS]; /* of work's ops */
    bool stale[DRAFT_OPS];      /* ops that were changed: their types may be different now */
    TypeId slots[DRAFT_SLOTS];
    int effort;           /* calls that may still be grown */
    bool certain_failure; /* the type check found a call that certainly fails */
} Mutator;

bool mutator_open(Mutator *mutator); /* false: no memory */
void mutator_close(Mutator *mutator);
void mutator_begin(Mutator *mutator, Rng rng, const Palettes *colors); /* a new stream of children */

/* A simplified draft with the types of its ops. Their numbers are those of the Mutator that filled them in,
 * valid until its next mutator_begin. */
typedef struct Typed {
    Draft draft;
    TypeId types[DRAFT_OPS];
} Typed;

/* Fills in the types of a simplified draft. False: a call must fail, or the result cannot be what the
 * programs are to give. */
bool mutate_types(Mutator *mutator, Typed *typed);

MutationKind mutate_draw(Mutator *mutator); /* at random, by weight */
/* One change of `parent`; only a cross draws from `mate` (and fails if that is NULL or of another mode). The
 * child is simplified and typed. False: it failed. */
bool mutate(Mutator *mutator, MutationKind kind, const Typed *parent, const Typed *mate, Typed *child);
/* A new program, grown from nothing but the parameters. */
bool mutate_fresh(Mutator *mutator, Mode mode, unsigned nparams, Typed *child);

/* ---- drawing primitives (random_expr.c); PRIM_COUNT: none fits ---- */

uint32_t sprout_draw_around(Mutator *mutator, TypeId wanted, TypeId type); /* takes `type`, gives `wanted` */
uint32_t sprout_draw_giving(Mutator *mutator, TypeId wanted);              /* gives `wanted` */

/* ---- growing (random_expr.c) ---- */
/* Adds new calls to `work`; returns the Ref of a value of the requested type, or REF_NONE. */

Ref sprout(Mutator *mutator, TypeId wanted, int depth);
/* The values that a new call can use: the parameters that programs may read, then the calls. */
uint32_t sprout_values(const Mutator *mutator);
Ref sprout_value(const Mutator *mutator, uint32_t index);
Ref sprout_const(Mutator *mutator, TypeId wanted);
/* A call of `prim` with `given` (of type `type`, or REF_NONE) as one of its arguments and the others grown,
 * for a place where `wanted` fits. */
Ref sprout_call(Mutator *mutator, uint32_t prim, TypeId wanted, Ref given, TypeId type, int depth);
TypeId sprout_type(Mutator *mutator, Ref ref);
/* The type that argument k of a call should have, as far as its other arguments determine it. */
TypeId sprout_wanted(Mutator *mutator, const DraftOp *op, uint32_t k);
/* The type of a call of a primitive; cached. */
TypeId sprout_call_type(Mutator *mutator, uint32_t prim, const TypeId *args, uint32_t n);
/* Whether a value fits for mutation: like types_fit, but colors, truth values and numbers are
 * distinguished. */
bool sprout_fits(Mutator *mutator, TypeId given, TypeId wanted);
bool sprout_is_fn(const Mutator *mutator, TypeId type);

#endif

/* Primitives of one's own: functions that the program around batt registers under a name, with a signature.
 *
 * The table of primitives is constant, so such a name stands for a closure (CLOSURE_HOST), and a program
 * holds it like any other constant. The closure carries its name, which programs are printed and hashed by:
 * text and hash are the same in every process. A text that names a primitive which this process does not have
 * can be read as well, for a store that keeps it; a call of it fails with the reason "name". */
#ifndef BATT_ENGINE_LANGUAGE_OWN_H
#define BATT_ENGINE_LANGUAGE_OWN_H

#include "engine/language/parse.h"

enum { OWN_NAME_MAX = 47, OWN_MAX = 3000 };

typedef struct OwnPrim {
    char name[OWN_NAME_MAX + 1];
    char *signature; /* as in the table of primitives */
    uint8_t arity;
    uint8_t price;  /* bits of a call in enumeration; 0: search does not use it */
    bool gone;      /* the name was given to another function, or to none */
    uint32_t index; /* in its OwnPrims; a failed value names it as PRIM_COUNT + 1 + index */
    HostFn call;
    void *host;
    Closure closure; /* what the name stands for */
} OwnPrim;

/* In the order of registration. Entries stay, because programs point at them. */
typedef struct OwnPrims {
    OwnPrim **items;
    uint32_t count, room;
} OwnPrims;

/* Sets the closure of a primitive whose other members are set. `id` is that of no other closure: the closures
 * that evaluations make are numbered from 0, so it comes from the other end. */
void own_bind(OwnPrim *prim, uint32_t id);
const OwnPrim *own_find(const OwnPrims *own, const char *name, size_t length); /* NULL: none */

/* Why a name cannot be that of a primitive of one's own; NULL: it can. */
const char *own_wrong_name(const char *name);

/* What the name of a primitive stands for that this process does not have. The result and its name live in
 * the context; `id` as above. */
Val own_missing(Ctx *ctx, const char *name, size_t length, uint32_t id);

static inline Val own_value(const OwnPrim *prim) {
    return (Val){.kind = VAL_CLOSURE, .f = &prim->closure};
}
/* The name of a value that is a primitive of one's own, also a missing one; NULL: it is something else. */
const char *own_name(Val v);
const OwnPrim *own_of(Val v); /* NULL: it is something else, or missing */

/* The primitives of one's own that a program uses, without doubles; lacking: only those that this process
 * does not have. Returns how many there are, at most OWN_NAMES. */
enum { OWN_NAMES = 16 };
uint32_t own_names(const Program *program, bool lacking, const char *names[OWN_NAMES]);

/* Programs that cannot run here, because they lack primitives. */
typedef struct OwnLacking {
    size_t programs;
    char names[200]; /* of the primitives, "a, b" */
} OwnLacking;
bool own_lacking_note(OwnLacking *lacking, const Program *program); /* false: it lacks nothing */
/* Takes such programs out of a list, from `first` on. */
void own_lacking_drop(OwnLacking *lacking, ProgList *list, size_t first);
/* "2 programs skipped: they use put_first, which this process does not have" */
void own_lacking_text(const OwnLacking *lacking, const char *what, char *text, size_t size);
/* The primitive in which a program failed, or a call with the value v, from the number in the failed value;
 * "": none, or it is not in there. */
const char *own_failed_in(const Program *program, uint32_t number);
const char *own_failed_with(Val v, uint32_t number);

#endif

/* Types: terms, and how they relate.
 *
 * A value has many types (a 2x2 grid is a tuple of two pairs), so a type here says what a value is for, and
 * as which kinds of value (integer, tuple, set, function, atom) it can be stored. The grammar of signatures
 * in the table of primitives:
 *
 *   type := any | int | bool | color | num | pair | cell | grid | object | indices | patch | objects
 *         | element | piece | samples | fn | tuple | set | container
 *         | a                                   a letter: any type, the same wherever it stands
 *         | tuple(T) | set(T) | container(T)
 *         | C(T)                                a capital: the same kind of container wherever it stands
 *         | fn(T, ..)->T
 *
 * Terms are interned: equal types have equal ids. The type of a function value says how it was made, as a
 * primitive or as a closure over types, so that calls of it can be followed exactly
 * (engine/language/infer.h).
 *
 * A Types belongs to one thread. Its table grows up to a bound; beyond that, new terms become `any` or `fn`,
 * which is never wrong. */
#ifndef BATT_ENGINE_LANGUAGE_TYPES_H
#define BATT_ENGINE_LANGUAGE_TYPES_H

#include "base/out.h"
#include "engine/primitives/prim.h"

typedef uint32_t TypeId;

/* Up to TYPE_CONTAINER these are also ids of terms; tuple, set and container are then those of anything. */
typedef enum TypeKind {
    TYPE_ANY,
    TYPE_NEVER, /* of values that do not exist: the elements of () */
    TYPE_INT,
    TYPE_BOOL,
    TYPE_COLOR,
    TYPE_NUM,
    TYPE_PAIR,
    TYPE_CELL,
    TYPE_GRID,
    TYPE_OBJECT,
    TYPE_INDICES,
    TYPE_PATCH,
    TYPE_OBJECTS,
    TYPE_ELEMENT,
    TYPE_PIECE,
    TYPE_SAMPLES,
    TYPE_ATOM,
    TYPE_FN,
    TYPE_TUPLE,
    TYPE_SET,
    TYPE_CONTAINER,
    TYPE_FN_OF,   /* n parameters: part[0..], result part[2]; in signatures */
    TYPE_PRIM,    /* a primitive as a value: n its id, or a number for one of one's own */
    TYPE_CLOSURE, /* n: ClosureOp; parts as in Closure */
    TYPE_VAR,     /* a letter in a signature: n */
    TYPE_LIKE     /* C(T) in a signature: n the letter */
} TypeKind;

enum { KIND_INT = 1, KIND_TUPLE = 2, KIND_SET = 4, KIND_FN = 8, KIND_ATOM = 16, KIND_ALL = 31 };

typedef struct Type {
    uint8_t kind;  /* TypeKind */
    uint8_t kinds; /* the KIND_x that such a value may have */
    uint8_t depth; /* of nested terms */
    uint16_t n;
    TypeId part[3]; /* part[0]: of the elements */
} Type;

typedef struct Types Types;
Types *types_open(void); /* NULL: out of memory */
void types_close(Types *types);
/* Forgets all terms if the table is half full; true: earlier ids are now invalid. Code that keeps making
 * terms calls it between pieces of work, so that the bound is never reached and nothing depends on it. */
bool types_tidy(Types *types);

const Type *types_at(const Types *types, TypeId id);
TypeId types_make(Types *types, TypeKind kind, unsigned n, const TypeId part[3]);
TypeId types_tuple(Types *types, TypeId element);
TypeId types_set(Types *types, TypeId element); /* set(cell) is object, and so on */
TypeId types_container(Types *types, TypeId element);
TypeId types_element(Types *types, Mode mode, TypeId container);
/* the smallest type that includes both, or a larger one */
TypeId types_join(Types *types, Mode mode, TypeId a, TypeId b);
TypeId types_of_value(Types *types, Mode mode, Val value);

/* The declared types of a primitive. */
typedef struct PrimType {
    TypeId param[4], result;
    uint8_t arity;
    bool known;
} PrimType;
const PrimType *types_of_prim(Types *types, uint32_t prim); /* NULL: its signature is malformed */
/* Returns NULL and sets *id, or returns what is wrong with the text. */
const char *types_parse(Types *types, const char *text, size_t length, TypeId *id);

/* Whether a value of type `given` makes sense where `wanted` is declared; used by mutation and search. */
bool types_fit(Types *types, Mode mode, TypeId given, TypeId wanted);
/* The kinds of values that parameter k of a primitive can work with at all: those of its declared type, and
 * those that worked when it was tried out on typical values. */
unsigned types_accepted(Types *types, Mode mode, uint32_t prim, uint32_t k);

void types_text(Out *out, Types *types, TypeId id);

#endif

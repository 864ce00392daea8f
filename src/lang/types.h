/* Types: terms, and how they relate.
 *
 * A value has many types (a 2x2 grid is a tuple of two pairs), so a type here says what a value is for, and
 * with which of the four kinds (integer, tuple, set, function) it can be stored. The grammar of signatures in
 * the table of primitives:
 *
 *   type := any | int | bool | color | num | pair | cell | grid | object | indices | patch | objects |
 * element | piece | samples | fn | tuple | set | container | a (a letter: any type, the same wherever it
 * stands) | tuple(T) | set(T) | container(T) | C(T) (a capital: the same kind of container wherever it
 * stands) | fn(T, ..)->T
 *
 * Terms are interned: equal types have equal ids. The type of a function value is what it was made of, a
 * primitive or a closure over types, so that calling it can be followed exactly (lang/infer.h).
 *
 * A Types belongs to one thread. Its table grows to a bound; beyond it terms become `any` or `fn`, which is
 * never wrong. */
#ifndef BATT_LANG_TYPES_H
#define BATT_LANG_TYPES_H

#include "core/out.h"
#include "dsl/prim.h"

typedef uint32_t TypeId;

typedef enum TypeKind { /* up to TYPE_CONTAINER also the id of the term; tuple, set, container of anything */
                        TYPE_ANY,
                        TYPE_NEVER, /* of what is not there: the elements of () */
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
                        TYPE_PRIM,    /* a primitive as a value: n its id */
                        TYPE_CLOSURE, /* n: ClosureOp; parts as in Closure */
                        TYPE_VAR,     /* a letter in a signature: n */
                        TYPE_LIKE     /* C(T) in a signature: n the letter */
} TypeKind;

enum { KIND_INT = 1, KIND_TUPLE = 2, KIND_SET = 4, KIND_FN = 8, KIND_ATOM = 16, KIND_ALL = 31 };

typedef struct Type {
    uint8_t kind;  /* TypeKind */
    uint8_t kinds; /* KIND_x that such a value may have */
    uint8_t depth; /* of nested terms */
    uint16_t n;
    TypeId part[3]; /* part[0]: of the elements */
} Type;

typedef struct Types Types;
Types *types_open(void); /* NULL: out of memory */
void types_close(Types *types);
/* Forgets all terms if the table is half full; true: ids from before mean nothing now. Whoever makes terms without
 * end calls it between pieces of work, so that the bound is never met and nothing depends on it. */
bool types_tidy(Types *types);

const Type *types_at(const Types *types, TypeId id);
TypeId types_make(Types *types, TypeKind kind, unsigned n, const TypeId part[3]);
TypeId types_tuple(Types *types, TypeId element);
TypeId types_set(Types *types, TypeId element); /* set(cell) is object, and so on */
TypeId types_container(Types *types, TypeId element);
TypeId types_element(Types *types, Mode mode, TypeId container);
TypeId types_join(Types *types, Mode mode, TypeId a,
                  TypeId b); /* the least that holds both, or something larger */
TypeId types_of_value(Types *types, Mode mode, Val value);

/* The declared types of a primitive. */
typedef struct PrimType {
    TypeId param[4], result;
    uint8_t arity;
    bool known;
} PrimType;
const PrimType *types_of_prim(Types *types, uint32_t prim); /* NULL: its signature is malformed */
/* NULL with *id set, or what is wrong with the text. */
const char *types_parse(Types *types, const char *text, size_t length, TypeId *id);

/* Whether a value of type `given` makes sense where `wanted` is declared: what mutation and search go by. */
bool types_fit(Types *types, Mode mode, TypeId given, TypeId wanted);
/* The kinds of values with which parameter k of a primitive can work at all: those of its declared type, and
 * whatever trying it out on typical values showed to work too. */
unsigned types_accepted(Types *types, Mode mode, uint32_t prim, uint32_t k);

void types_text(Out *out, Types *types, TypeId id);

#endif

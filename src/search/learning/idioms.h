/* The idioms that enumeration combines: small expressions with typed holes, each with a cost.
 *
 * They come from search/learning/idioms.def, or from a file that `batt learn` wrote. An IdiomSet
 * does not change while it is used, so all workers share one. */
#ifndef BATT_SEARCH_LEARNING_IDIOMS_H
#define BATT_SEARCH_LEARNING_IDIOMS_H

#include "base/out.h"
#include "engine/language/program.h"

#define IDIOM_TYPES(X) \
    X(grid)            \
    X(grids)           \
    X(indices)         \
    X(object)          \
    X(objects)         \
    X(int)             \
    X(color)           \
    X(pair)            \
    X(input)           \
    X(key)             \
    X(tint)            \
    X(pred)            \
    X(form)            \
    X(offset)          \
    X(reach)           \
    X(spot)            \
    X(look)            \
    X(is)

typedef enum IdiomType {
#define X(name) IDIOM_##name,
    IDIOM_TYPES(X)
#undef X
        IDIOM_TYPE_COUNT,
    IDIOM_FIRST_FN = IDIOM_key /* from here on functions, whose values are not compared */
} IdiomType;

enum { IDIOM_HOLES = 3, IDIOM_MAX_COST = 40, IDIOM_MAX = 4000, IDIOM_MAX_SLOTS = 128, IDIOM_MAX_ARGS = 8 };

typedef struct Idiom {
    Program *body;               /* parameters S, I, C are the holes */
    uint32_t takes[IDIOM_HOLES]; /* bit sets of types */
    uint32_t gives;              /* bit set: one type; or indices and object, and the value decides */
    uint8_t holes, cost;
    bool own; /* calls a primitive of one's own, which may take any time */
} Idiom;

typedef struct IdiomSet {
    Idiom *items;
    uint32_t count, room;
    bool own; /* one of them calls a primitive of one's own */
} IdiomSet;

/* The built-in idioms, or those of a text in the form COST RESULT(ARGUMENTS): EXPRESSION, one per line, `#`
 * for comments. NULL: `why` says what is wrong, with the line. */
IdiomSet *idioms_builtin(char *why, size_t why_size);
IdiomSet *idioms_read(const char *path, char *why, size_t why_size);
void idioms_free(IdiomSet *set);
/* Whether a body is short enough for an idiom: IDIOM_MAX_SLOTS, and IDIOM_MAX_ARGS for each call. */
bool idioms_fit(const Program *body);
bool idioms_add(IdiomSet *set, Idiom idiom); /* takes the body over, also on failure; false: no memory */
/* Of the idioms that call primitives of one's own, with their costs. */
uint64_t idioms_own_hash(const IdiomSet *set);
/* Writes a set in that form. */
void idioms_write(Out *out, const IdiomSet *set);

#endif

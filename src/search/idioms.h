/* The steps that enumeration puts together: small expressions with typed holes and a cost each.
 *
 * They come from search/idioms.def, or from a file that `batt learn` wrote. A StepSet does not change while
 * it is used, so that all workers share one. */
#ifndef BATT_SEARCH_IDIOMS_H
#define BATT_SEARCH_IDIOMS_H

#include "core/out.h"
#include "lang/program.h"

#define STEP_TYPES(X) \
    X(grid)           \
    X(grids)          \
    X(indices)        \
    X(object)         \
    X(objects)        \
    X(int)            \
    X(color)          \
    X(pair)           \
    X(input)          \
    X(key)            \
    X(tint)           \
    X(pred)           \
    X(form)           \
    X(offset)         \
    X(reach)          \
    X(spot)           \
    X(look)           \
    X(is)

typedef enum StepType {
#define X(name) STEP_##name,
    STEP_TYPES(X)
#undef X
        STEP_TYPE_COUNT,
    STEP_FIRST_FN = STEP_key /* from here on functions: what they do is not compared */
} StepType;

enum { STEP_HOLES = 3, STEP_MOST_COST = 40, STEP_MOST = 4000, STEP_MOST_SLOTS = 128, STEP_MOST_ARGS = 8 };

typedef struct Step {
    Program *body;              /* parameters S, I, C are the holes */
    uint32_t takes[STEP_HOLES]; /* bit sets of types */
    uint32_t gives;             /* bit set: one type; or indices and object, then the value says which */
    uint8_t holes, cost;
} Step;

typedef struct StepSet {
    Step *items;
    uint32_t count, room;
} StepSet;

/* The built-in steps, or those of a text in the form COST RESULT(ARGUMENTS): EXPRESSION, one a line, `#` for
 * comments. NULL: `why` says what is wrong, with the line. */
StepSet *steps_builtin(char *why, size_t why_size);
StepSet *steps_read(const char *path, char *why, size_t why_size);
void steps_free(StepSet *set);
/* Whether a body is short enough for a step: STEP_MOST_SLOTS, and STEP_MOST_ARGS for each call. */
bool steps_fit(const Program *body);
bool steps_add(StepSet *set, Step step); /* takes the body over, also on failure; false: no memory */
/* The text of a set in that form. */
void steps_write(Out *out, const StepSet *set);

#endif

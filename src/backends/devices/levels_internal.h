/* Inside levels.h: the plan (levels_plan.c), values on both sides (level_values.c), and the run (levels.c).
 */
#ifndef BATT_BACKENDS_DEVICES_LEVELS_INTERNAL_H
#define BATT_BACKENDS_DEVICES_LEVELS_INTERNAL_H

#include "backends/devices/levels.h"

#define uint uint32_t
#define ulong uint64_t
#define ushort uint16_t
#include "backends/devices/kernels/level_ops.h"
#include "backends/devices/kernels/levels.h"
#undef uint
#undef ulong
#undef ushort

#define LEVELS_NONE UINT32_MAX

typedef struct LevelLaunch { /* nodes of one level that share a launch */
    uint32_t first, count;
} LevelLaunch;

typedef struct LevelRound { /* launches, then what comes down, then nodes of the host, then what goes up */
    uint32_t first_launch, launches;
    uint32_t down_slot,
        downs; /* slots of the nodes that come down stand together, and so do those that go up */
    uint32_t first_host, hosts;
    uint32_t up_slot, ups;
} LevelRound;

typedef struct LevelPlan {
    uint32_t nodes;
    int16_t *op;       /* by node: its operation; -1: it has no form, or was often left */
    uint32_t *slot;    /* by node; LEVELS_NONE: it has none */
    uint32_t *round;   /* by node */
    uint32_t *level;   /* by node of a device */
    uint8_t *flags;    /* by node: LEVEL_ON_DEVICE and so on */
    uint32_t *node_of; /* by slot */
    LevelNode *list;   /* the device's nodes by round and level; then those to be judged */
    LevelLaunch *launches;
    LevelRound *rounds;
    uint32_t *hosts;  /* the host's nodes by round */
    uint32_t *judged; /* by node: its place among those that are judged */
    uint32_t n_rounds, n_list, n_judged, n_slots, n_constants, n_down, n_up, n_launches;
    uint32_t *constants; /* nodes */
} LevelPlan;

enum { LEVEL_ON_DEVICE = 1, LEVEL_ON_HOST = 2, LEVEL_DOWN = 4, LEVEL_UP = 8, LEVEL_CONST = 16 };

/* Which primitive has an operation; -1: none. */
int level_op_of(uint32_t prim);
/* Whether an operation takes a value as an argument. */
bool level_takes(int op, uint32_t argument, const LevelValue *value);

/* plan->op says which nodes devices may do; everything else is made anew. False: no memory. */
bool level_plan_make(LevelPlan *plan, const Battery *battery, unsigned nparams);
void level_plan_free(LevelPlan *plan);

/* The form that a value has on devices; false: none. */
bool level_form(Val v, LevelValue *form);
size_t level_bytes(const LevelValue *form); /* of its cells or rows */
/* What levels_judge of the kernels says of an answer. */
uint8_t level_verdict(Val v, const Image *expected);
enum { LEVEL_MAX_BYTES = LEVEL_MAX_PLANE * (sizeof(LevelPart) + 3) };
void level_write(Val v, const LevelValue *form, unsigned char *to);
/* Whether objects that came down are where they say. */
bool level_is_sound(const LevelValue *value, const unsigned char *from);
/* A value that came down, whose cells or rows are `from`; they stay, a grid uses them. */
Val level_read(Ctx *ctx, const LevelValue *value, const unsigned char *from);

#endif

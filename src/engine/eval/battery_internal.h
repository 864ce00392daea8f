/* Inside a battery: the struct that numbering (battery.c) and running (battery_run.c) share. */
#ifndef BATT_ENGINE_EVAL_BATTERY_INTERNAL_H
#define BATT_ENGINE_EVAL_BATTERY_INTERNAL_H

#include "base/hash_map.h"
#include "engine/eval/battery.h"
#include "engine/eval/closure_identity.h"

typedef struct DagNode {
    uint64_t hash;  /* of the call and its operands: equal calls are found by it */
    void *block;    /* memory of its value if it is constant, or NULL */
    uint32_t first; /* of its operands in args */
    uint32_t refs;  /* programs that need it */
    uint32_t twin;  /* which of several equal calls of one program that can tell their closures apart */
    uint16_t prim;
    uint8_t kind, nargs; /* OpKind; number of operands */
    uint8_t depends;     /* bit k: on parameter k */
    bool constant;       /* the value in `values` holds for every sample */
    /* Running it may make closures, which are ordered by when they were made and equal only to themselves:
     * a program that can notice shares it only where it would make its closures in the same order alone. */
    bool breeds;
} DagNode;

typedef struct Use { /* of a node by a program */
    uint32_t node, times;
} Use;

typedef struct Member {          /* a program: its nodes, ascending, and its result among them */
    uint32_t first, count, room; /* span in Battery.uses; room: what an earlier program left */
    uint32_t result, calls;
    bool used;
} Member;

struct Battery {
    Mode mode;
    bool safe, share;
    unsigned nparams;
    DagNode *nodes;
    Val *values;     /* constants; parallel to nodes */
    uint64_t *costs; /* steps a constant took; parallel to nodes */
    uint32_t count, room;
    uint32_t idle; /* nodes that no program needs */
    uint32_t *args;
    uint32_t nargs, args_room;
    HashMap map; /* nodes that are no parameters, by their hashes */
    Member *members;
    uint32_t member_count, member_room;
    Use *uses;
    uint32_t nuses, uses_room;
    uint32_t uses_idle; /* in spans that no program has */
    uint32_t *node_of;  /* scratch of battery_add: by slot of the program */
    uint8_t *marks;     /* likewise: what matters about the slot */
    uint32_t node_of_room, marks_room;
    uint32_t programs;          /* members that are used */
    uint64_t calls_before;      /* calls that the programs make when run one by one */
    uint16_t alias[PRIM_COUNT]; /* the first primitive with the same function, whose calls are the same */
    ClosureRoles roles;         /* what each primitive does with functions, for battery_add */
    Types *types;               /* made when a program's closures need a closer look */
    TypeId *slot_types;         /* likewise; of the program at hand */
    uint32_t slot_types_room;
};

/* What is wrong with a battery, or NULL; walks all of it. For assertions. */
const char *battery_wrong(const Battery *battery);
Val battery_call(const Battery *battery, Ctx *ctx, const DagNode *node, const Val *values);

#endif

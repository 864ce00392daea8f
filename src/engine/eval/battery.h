/* A battery: many programs merged into one graph in which every distinct call occurs once.
 *
 * Merging is value numbering: a call is (kind, primitive, operand nodes), and equal calls share a node;
 * arguments of commutative primitives are sorted, and aliases count as one primitive. Calls that depend on no
 * parameter are computed once, when they are added. Operands come before the nodes that use them, so a
 * battery runs in one pass.
 *
 * A program's answer is the one it gives when run alone, budgets included: every node has the whole budget of
 * steps, and a program whose nodes together exceed it fails as it would alone. The budget of bytes holds for
 * the whole pass. Two things may differ: the reason of a failure if there are several, and the steps of a
 * commutative call whose arguments were sorted.
 *
 * Two separately built closures are never equal, and they are ordered by when they were made. Where a program
 * might notice (engine/eval/closure_identity.h), it keeps two nodes for a closure-making call that it makes
 * twice, and they make its closures in its own order; all other equal calls are one call.
 *
 * Ownership: a battery copies what it needs of a program. Not thread-safe while it changes; any number of
 * threads may run it. */
#ifndef BATT_ENGINE_EVAL_BATTERY_H
#define BATT_ENGINE_EVAL_BATTERY_H

#include "engine/language/program.h"
#include "engine/primitives/prim.h"

typedef struct Battery Battery;

typedef struct BatteryStats {
    uint32_t programs;
    uint64_t calls_before; /* calls of all programs */
    uint32_t calls_after;  /* distinct calls that some program needs, except those computed once */
    uint32_t constants;    /* distinct calls computed once */
} BatteryStats;

/* All programs of a battery have the same mode, safety and number of parameters. share false: nothing is
 * merged, for comparison. */
Battery *battery_new(Mode mode, bool safe, unsigned nparams, bool share); /* NULL: no memory */
void battery_free(Battery *battery);

/* Adds a program; returns its handle (0, 1, ..; handles of removed programs are used again), or -1 if memory
 * runs out, which leaves the battery's answers unchanged. `ctx` is only used to compute constants. Only the
 * program's slots are read: names and hash may be missing. Adding and removing may renumber the nodes. */
int battery_add(Battery *battery, Ctx *ctx, const Program *program);
void battery_remove(Battery *battery, int handle);
void battery_clear(Battery *battery); /* removes all programs but keeps the memory */
BatteryStats battery_stats(const Battery *battery);
Mode battery_mode(const Battery *battery);
uint32_t battery_programs(const Battery *battery);

/* Number of nodes, parameters and constants included: the room battery_run needs. */
uint32_t battery_nodes(const Battery *battery);
/* The node that holds a program's result. */
uint32_t battery_result(const Battery *battery, int handle);

/* Values that were worked out before the pass (backends/devices/batch.h): `take` gives that of a node, and
 * charges the context for it as the call would have. False: it has to be called. */
typedef struct BatteryReady {
    void *user;
    bool (*take)(void *user, Ctx *ctx, uint32_t node, Val *value);
} BatteryReady;

/* The results of one pass over one sample. */
typedef struct BatteryRun {
    Val *values;               /* by node: battery_nodes() of them */
    uint64_t *steps;           /* by node: steps spent on it */
    const BatteryReady *ready; /* for this pass; NULL: nothing is */
} BatteryRun;

/* Runs every needed node once. values and steps must have room for battery_nodes(). Returns the total steps
 * spent. */
uint64_t battery_run(const Battery *battery, Ctx *ctx, const Val *params, BatteryRun *run);
/* Runs again only the nodes that depend on changed parameters (bit k: parameter k). The others keep their
 * values in `run`, which must come from a run of this battery and still be alive. */
uint64_t battery_rerun(const Battery *battery, Ctx *ctx, const Val *params, BatteryRun *run,
                       unsigned changed);
/* The same in parts: battery_begin binds the context and sets parameters and constants; battery_run_nodes
 * runs some nodes, whose operands are in `run`, in their order. */
void battery_begin(const Battery *battery, Ctx *ctx, const Val *params, BatteryRun *run);
void battery_run_nodes(const Battery *battery, Ctx *ctx, const uint32_t *nodes, uint32_t n, BatteryRun *run);
/* The answer of one program after a run, and the steps it would have taken alone (may be NULL). */
Val battery_answer(const Battery *battery, const Ctx *ctx, const BatteryRun *run, int handle,
                   uint64_t *steps);

/* For writing a battery as text: the node's op and operands; NULL operands for parameters and constants. */
typedef struct BatteryNode {
    uint8_t kind; /* OpKind, or BATTERY_PARAM, BATTERY_CONST */
    uint8_t nargs;
    uint16_t prim;
    const uint32_t *args; /* nodes */
    Val constant;
    bool needed;
    bool once;   /* the constant is its value: it does not run */
    bool breeds; /* running it may make closures, which are ordered by when they are made */
} BatteryNode;
enum { BATTERY_PARAM = 100, BATTERY_CONST = 101 };
BatteryNode battery_node(const Battery *battery, uint32_t node);

#endif

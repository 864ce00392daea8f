/* Does a program's result depend on the order in which sets are walked?
 *
 * The language walks sets in one fixed order, so its results are well defined; but a program that works only
 * because of this order is fragile, and in Python, where sets are ordered by hash, it may give a different
 * result. Here a program is run with other orders (backwards, and by hash) and the results are compared.
 *
 * The order is built into the representation of sets, so it is the primitives that change, not the sets:
 * those whose result may depend on the order are replaced by versions that walk a set in the other order
 * (set_order.def says how). They are replaced in the table that all calls go through, so calls inside
 * closures are covered too. */
#ifndef BATT_ENGINE_EVAL_SET_ORDER_H
#define BATT_ENGINE_EVAL_SET_ORDER_H

#include "engine/eval/eval.h"

enum { SET_ORDER_VARIANTS = 4 }; /* backwards, and three shuffles */

typedef struct SetOrderFinding {
    uint32_t op; /* the first line whose value differs; nops if only the result does */
    Val usual;   /* results; alive until the next check */
    Val other;
} SetOrderFinding;

typedef struct SetOrder SetOrder;
SetOrder *set_order_open(const Budget *budget); /* NULL: out of memory */
void set_order_close(SetOrder *order);
Ctx *set_order_ctx(SetOrder *order); /* the context that programs run in, for the profiler */
/* True: the result differs under some order; *finding says where. params may live anywhere except in
 * `order`. */
bool set_order_depends(SetOrder *order, const Program *program, const Val *params, bool safe,
                       SetOrderFinding *finding);

#endif

/* Does a program's result depend on the order in which sets are walked?
 *
 * The language walks sets in one fixed order, so its results are exact; but a program that works only because
 * of it is fragile, and in Python, where sets come in the order of their hashes, it may give something else.
 * Here a program is run under other orders (backwards, and by hash) and the results are compared.
 *
 * The order is built into the representation of sets, so it is not the sets that change but the primitives:
 * those whose result may depend on the order are replaced by versions that look at a set in the other order
 * (set_order.def says how each one does). They are replaced in the table that all calls go through, so calls
 * inside closures are covered too. */
#ifndef BATT_EXEC_SET_ORDER_H
#define BATT_EXEC_SET_ORDER_H

#include "exec/eval.h"

enum { SET_ORDER_VARIANTS = 4 }; /* backwards, and three shuffles */

typedef struct SetOrderFinding {
    uint32_t op; /* the first line whose value differs; nops if only the result does */
    Val usual;   /* results; alive until the next check */
    Val other;
} SetOrderFinding;

typedef struct SetOrder SetOrder;
SetOrder *set_order_open(const Budget *budget); /* NULL: out of memory */
void set_order_close(SetOrder *order);
Ctx *set_order_ctx(SetOrder *order); /* that programs are run in, for the profiler */
/* True: the result differs under some order; *finding says where. params may live anywhere but in `order`. */
bool set_order_depends(SetOrder *order, const Program *program, const Val *params, bool safe,
                       SetOrderFinding *finding);

#endif

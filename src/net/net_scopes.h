/* The profiler's scopes for nets; see exec/scope.h. Every layer is one, so that the rows of a step sum up. */
#ifndef BATT_NET_NET_SCOPES_H
#define BATT_NET_NET_SCOPES_H

#include "net/net.h"
#include "task/task_scopes.h"

enum {
    SCOPE_BEFORE_NET = SCOPE_END_TASK - 1,
#define SCOPE(id, name, category, text) SCOPE_##id,
#include "net/net_scopes.def"
#undef SCOPE
    SCOPE_END_NET
};

/* From now on the layers that the net's first thread is in are told to the profiler of the context, if there
 * is one and the net is measured; until net_scopes_leave, which is given what this returned. */
Scope net_scopes_attach(Net *net, Ctx *ctx);
void net_scopes_leave(Net *net, Ctx *ctx, Scope was);

#endif

/* Layers of a net as the profiler's scopes (base/scopes.def), so that the rows of a step sum up. */
#ifndef BATT_SEARCH_NET_NET_SCOPES_H
#define BATT_SEARCH_NET_NET_SCOPES_H

#include "engine/eval/scope.h"
#include "search/net/net.h"

/* From now on the net's first thread reports the layer it is in to the profiler of the context, if
 * there is one and the net is measured, until net_scopes_leave is called with the scope that this
 * returns. */
Scope net_scopes_attach(Net *net, Ctx *ctx);
void net_scopes_leave(Net *net, Ctx *ctx, Scope was);

#endif

/* Reports layers to the profiler; see net_scopes.h. */
#include "search/net/net_scopes.h"

static void moved(void *user, NetLayer layer) {
    scope_enter(user, (Scope)(SCOPE_NET_LATENTS + layer));
}

Scope net_scopes_attach(Net *net, Ctx *ctx) {
    if (net->meters != NULL && SCOPE_HOOK(ctx) != NULL) {
        net->meters[0].moved = moved;
        net->meters[0].user = ctx;
    }
    return scope_enter(ctx, SCOPE_NET_WAIT);
}

void net_scopes_leave(Net *net, Ctx *ctx, Scope was) {
    if (net->meters != NULL) {
        net->meters[0].moved = NULL;
    }
    scope_back(ctx, was);
}

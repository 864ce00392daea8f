/* Nets in and out of a store; see net_store.h. */
#include "search/persistence/net_store.h"

#include "base/alloc.h"

typedef struct NetLookup {
    Net *net;
    bool found, taken;
} NetLookup;

static bool take(void *context, const StoreNet *row) {
    NetLookup *taking = context;
    taking->found = true;
    taking->taken = net_load(taking->net, row->state, row->bytes);
    return false;
}

bool net_store_load(Store *store, Net *net, const char *task, uint64_t seed) {
    NetLookup taking = {.net = net};
    return store_get_net(store, task, seed, take, &taking) && taking.found == taking.taken;
}

bool net_store_save(Store *store, const Net *net, const char *task, uint64_t seed) {
    StoreNet row = {.task = task, .seed = seed, .step = net->step, .bytes = net_saved_bytes(net)};
    void *state = mem_alloc(row.bytes);
    if (state == NULL) {
        return false;
    }
    net_save(net, state);
    row.state = state;
    bool good = store_put_net(store, &row);
    mem_free(state);
    return good;
}

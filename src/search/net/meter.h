/* Where a step's time goes: every thread is in one layer at a time (template: see engine.h). */
#ifndef BATT_SEARCH_NET_METER_H
#define BATT_SEARCH_NET_METER_H

#include "base/clock.h"
#include "search/net/engine_state.h"

/* By each thread's own clock, so that what others do on the machine does not count; it begins with its first
 * move. */
static void meter_moves(NetMeter *meter, NetLayer layer) {
    uint64_t now = clock_work_ns();
    meter->ns[meter->now] += meter->since != 0 ? now - meter->since : 0;
    meter->since = now;
    meter->now = layer;
    if (meter->moved != NULL) {
        meter->moved(meter->user, layer);
    }
}
INLINE void meter_move(const NetRun *run, unsigned thread, NetLayer layer) {
    if (UNLIKELY(run->meters != NULL) && run->meters[thread].now != layer) {
        meter_moves(&run->meters[thread], layer);
    }
}

#endif

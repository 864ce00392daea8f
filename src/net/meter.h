/* Where a step's time goes: every thread is in one layer at a time (template: see engine.h). */
#ifndef BATT_NET_METER_H
#define BATT_NET_METER_H

#include "core/clock.h"
#include "net/run.h"
#ifndef NET_CLOCK
#define NET_CLOCK clock_work_ns
#endif

static void meter_moves(NetMeter *meter, NetLayer layer) {
    uint64_t now = NET_CLOCK();
    meter->ns[meter->now] += now - meter->since;
    meter->since = now;
    meter->now = layer;
    if (meter->moved != NULL) {
        meter->moved(meter->user, layer);
    }
}
INLINE void meter_move(const Run *run, unsigned thread, NetLayer layer) {
    if (UNLIKELY(run->meters != NULL) && run->meters[thread].now != layer) {
        meter_moves(&run->meters[thread], layer);
    }
}

#endif

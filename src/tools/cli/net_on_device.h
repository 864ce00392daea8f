/* batt net --device: nets trained in batches on a device (search/net/net_device.h). */
#ifndef BATT_TOOLS_CLI_NET_ON_DEVICE_H
#define BATT_TOOLS_CLI_NET_ON_DEVICE_H

#include "base/json.h"
#include "tools/cli/cmd_net.h"

#define NET_DEVICE_OPTION(T)                                                                                 \
    CLI_TEXT(T, device, 0, "device", "WHERE", "cpu",                                                         \
             "backend for training: cpu; opencl or opencl:N: exactly this device, nets in batches; auto: a " \
             "GPU if there is one; see batt devices")

/* Opens what was asked for: job->device, which stays NULL for the processor. EXIT_BAD: it cannot be had,
 * which was said. */
int net_on_device_open(NetJob *job);
/* Trains all nets, as many at a time as memory allows. EXIT_SHORT: the device failed, which was said. */
int net_on_device_train(NetJob *job);
void net_on_device_text(Out *out, const NetJob *job);
void net_on_device_json(Json *json, const NetJob *job);
void net_on_device_close(NetJob *job);

#endif

/* Nets on a device: many of them step together, and everything stays there for the whole run.
 *
 *     NetDevice *on = net_device_open(device, &why);               builds the kernels
 *     NetBatch *batch = net_batch_open(on, memory);
 *     net_batch_add(batch, &net, task, seed, &reason)               as often as memory allows
 *     while (net_batch_step(batch, &why)) { ... each net's step, loss, scores, answers ... }
 *     net_batch_fetch(batch, &why)                                  before net_save
 *     net_close(&net); net_batch_close(batch); net_device_close(on);
 *
 * A net of a batch is a Net as any other, except that only the batch steps it: its seed, answers,
 * restarts and saved states mean the same as on the processor, and each can resume from what the
 * other saved. Numbers agree within the rounding of float; they do not depend on the other nets of
 * the batch.
 *
 * A step is one sequence of launches for all nets, each over all their tiles. What comes back is
 * small: the losses, and the logits and scores of tests, from which the host makes answers. A
 * device that fails is an error; there is no fallback. */
#ifndef BATT_SEARCH_NET_NET_DEVICE_H
#define BATT_SEARCH_NET_NET_DEVICE_H

#include "backends/devices/device.h"
#include "search/net/net.h"

typedef struct NetDevice NetDevice;
typedef struct NetBatch NetBatch;

/* NULL: `why`. The device must outlive it. */
NetDevice *net_device_open(Device *device, DeviceError *why);
void net_device_close(NetDevice *on);

/* Bytes of a device's memory that a net takes; 0: more than can be counted there. */
uint64_t net_device_bytes(const NetMemory *mem);

/* `memory`: maximum in bytes; 0: what the device allows. NULL: no memory. */
NetBatch *net_batch_open(NetDevice *on, uint64_t memory);
/* False: `why` says why there is no such net on this device, or not in this batch; `net` is closed then. Not
 * after the first step. */
bool net_batch_add(NetBatch *batch, Net *net, const Task *task, uint64_t seed, const char **why);
/* What is left of the batch's memory, in bytes. */
uint64_t net_batch_left(const NetBatch *batch);
/* A step of all nets that neither rest nor have failed. A net whose numbers overflow has started again
 * instead. False: the device failed, and no step counts. */
bool net_batch_step(NetBatch *batch, DeviceError *why);
void net_batch_rest(NetBatch *batch, const Net *net); /* no more steps for this one */
/* Brings states back, for net_save. */
bool net_batch_fetch(NetBatch *batch, DeviceError *why);
/* The gradient of the last step, in the order of NetMemory's parameters; for tests. */
bool net_batch_gradient(NetBatch *batch, const Net *net, float *to, DeviceError *why);
/* Before or after its nets are closed. */
void net_batch_close(NetBatch *batch);

#endif

/* The launches of a step, in their order. */
#ifndef BATT_SEARCH_NET_DEVICE_STEPS_H
#define BATT_SEARCH_NET_DEVICE_STEPS_H

#include "search/net/device_tiling.h"

typedef enum NdKernel {
#define NET_KERNEL(id, name, reads, writes, operations) ND_KERNEL_##id,
#include "search/net/device_kernels.def"
#undef NET_KERNEL
    ND_KERNELS
} NdKernel;
extern const char *const nd_kernel_names[ND_KERNELS];

typedef struct NdLaunch {
    NdKernel kernel;
    NdList list;
    NetWord from, to; /* tensors whose pieces it has */
    NetWord block;
    NetWord extra[2], extras; /* arguments of this kernel alone */
} NdLaunch;

/* Calls `launch` for each; stops and returns false when it does. */
bool nd_step(bool (*launch)(void *user, const NdLaunch *what), void *user);

#endif

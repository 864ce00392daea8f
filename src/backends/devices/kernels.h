/* The sources of the kernels in kernels/, embedded in the binary. */
#ifndef BATT_BACKENDS_DEVICES_KERNELS_H
#define BATT_BACKENDS_DEVICES_KERNELS_H

typedef enum KernelSource {
    KERNEL_COMMON,
    KERNEL_RULES,
    KERNEL_LAYERS,
    KERNEL_GRIDS,
    KERNEL_LEVELS
} KernelSource;

const char *kernel_source(KernelSource which);

#endif

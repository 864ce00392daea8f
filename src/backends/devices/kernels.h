/* The sources of the kernels, taken into the binary; they lie in kernels/. */
#ifndef BATT_BACKENDS_DEVICES_KERNELS_H
#define BATT_BACKENDS_DEVICES_KERNELS_H

typedef enum KernelSource { KERNEL_COMMON, KERNEL_RULES, KERNEL_LAYERS, KERNEL_GRIDS } KernelSource;

const char *kernel_source(KernelSource which);

#endif

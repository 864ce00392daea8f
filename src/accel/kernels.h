/* The sources of the kernels, taken into the binary; they lie in kernels/. */
#ifndef BATT_ACCEL_KERNELS_H
#define BATT_ACCEL_KERNELS_H

typedef enum Kernel { KERNEL_COMMON, KERNEL_RULES, KERNEL_LAYERS, KERNEL_GRIDS } Kernel;

const char *kernel_source(Kernel which);

#endif

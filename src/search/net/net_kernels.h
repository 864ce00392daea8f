/* The sources of the kernels of nets, taken into the binary; they lie in kernels/. */
#ifndef BATT_SEARCH_NET_NET_KERNELS_H
#define BATT_SEARCH_NET_NET_KERNELS_H

extern const char net_kernels_cl[] __attribute__((visibility("hidden")));

#endif

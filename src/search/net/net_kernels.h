/* The sources of the kernels of nets in kernels/, embedded in the binary. */
#ifndef BATT_SEARCH_NET_NET_KERNELS_H
#define BATT_SEARCH_NET_NET_KERNELS_H

extern const char net_kernels_cl[] __attribute__((visibility("hidden")));

#endif

/* The random bits of a net, the same on the host and in the kernels: included by C, and prepended
 * to all kernels. */
#ifndef BATT_SEARCH_NET_KERNELS_BITS_H
#define BATT_SEARCH_NET_KERNELS_BITS_H

#ifndef __OPENCL_VERSION__
#include "search/net/kernels/tiling.h"
#endif

static inline NetLong noise_mix(NetLong s) {
    s = (s ^ (s >> 30)) * 0xBF58476D1CE4E5B9u;
    s = (s ^ (s >> 27)) * 0x94D049BB133111EBu;
    return s ^ (s >> 31);
}

/* Streams of a seed that have nothing to do with each other. */
static inline NetLong noise_key(NetLong seed, NetLong stream, NetLong part) {
    return noise_mix(noise_mix(noise_mix(seed + 0x9E3779B97F4A7C15u) + stream) + part);
}

/* Number i of the stream whose key has the halves a and b. */
static inline NetWord noise_bits(NetWord i, NetWord a, NetWord b) {
    NetWord x = i ^ a;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    x = (x ^ (x >> 16)) + b;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

#endif

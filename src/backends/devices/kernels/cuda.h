/* Lets nvcc compile the kernels (`scripts/cuda-check`), which are not run. Included before common.cl. */
#ifndef LANES
#define LANES 64
#endif
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong_;
#define ulong ulong_
#define CELL signed char
#define GLOBAL
#define LOCAL
#define SHARED __shared__
#define KERNEL extern "C" __global__ __launch_bounds__(LANES)
#define static static __device__
#define barrier(fence) __syncthreads()
#define get_local_id(d) threadIdx.x
#define get_group_id(d) blockIdx.x
#define clz(x) __clzll((long long)(x))
#define popcount(x) __popcll(x)
#define atomic_add(p, n) atomicAdd((uint *)(p), n)

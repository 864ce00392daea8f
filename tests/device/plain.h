/* Lets C compilers read the kernels, with one work-item in a work-group: so that sanitizers see what they do.
 */
#ifndef BATT_TESTS_PLAIN_H
#define BATT_TESTS_PLAIN_H

#include <stdint.h>

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wcast-align"

#define LANES 1
#define KERNEL static
#define CELL int8_t
#define GLOBAL
#define LOCAL
#define SHARED
#define uchar uint8_t
#define ushort uint16_t
#define uint uint32_t
#define ulong uint64_t
#define get_group_id(d) plain_group
#define clz(x) __builtin_clzll(x)
#define popcount(x) __builtin_popcountll(x)
#define atomic_add(p, n) __atomic_fetch_add(p, n, __ATOMIC_RELAXED)

static _Thread_local uint32_t plain_group;

typedef void (*PlainKernel)(uint8_t *mem, uint64_t table, uint32_t jobs, uint32_t stage);
typedef struct PlainEntry {
    const char *name;
    void (*run)(uint32_t group, uint8_t *mem, uint64_t table, uint32_t jobs, uint32_t stage);
} PlainEntry;

#define PLAIN_RUN(name)                                                                                   \
    static void run_##name(uint32_t group, uint8_t *mem, uint64_t table, uint32_t jobs, uint32_t stage) { \
        plain_group = group;                                                                              \
        name(mem, table, jobs, stage);                                                                    \
    }

extern const PlainEntry plain_rules[], plain_layers[], plain_grids[],
    plain_levels[]; /* each ends with a NULL name */

#endif

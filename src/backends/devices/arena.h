/* Places in one large buffer of a device: handed out first fit, given back in any order. Only the
 * bookkeeping, on the host; kernels find everything by its distance from the start of that buffer, so that
 * what belongs to several jobs can be reached from one launch. */
#ifndef BATT_ACCEL_ARENA_H
#define BATT_ACCEL_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARENA_ALIGN = 64 };
#define ARENA_NONE UINT64_MAX

typedef struct ArenaSpan { /* spans touch each other, and no two free ones do */
    uint64_t at, bytes;
    bool used;
} ArenaSpan;

typedef struct Arena {
    ArenaSpan *spans;
    size_t count, room;
    uint64_t used, most;
} Arena;

bool arena_open(Arena *arena, uint64_t bytes); /* false: no memory */
void arena_close(Arena *arena);
/* A multiple of ARENA_ALIGN; ARENA_NONE: no room, or no memory on the host. */
uint64_t arena_take(Arena *arena, uint64_t bytes);
void arena_give(Arena *arena, uint64_t at);

#endif

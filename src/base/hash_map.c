/* Growing hash tables; see hash_map.h. */
#include "base/hash_map.h"

#include "base/alloc.h"
#include "base/check.h"

#include <string.h>

/* NOLINTNEXTLINE(readability-non-const-parameter): the map writes them */
uint64_t *map_move(HashMap *map, uint64_t *slots, uint32_t size) {
    HashMap old = *map;
    *map = (HashMap){.slots = slots, .size = size};
    for (uint32_t k = 0; k < old.size; k++) {
        if (old.slots[k] != 0) {
            map_add(map, old.slots[k], (uint32_t)old.slots[k] - 1);
        }
    }
    ASSERT((size & (size - 1)) == 0 && map->count == old.count && map->count <= size / 2,
           "%u items in %u slots", map->count, size);
    return old.slots;
}

bool map_reserve(HashMap *map, uint32_t more, uint32_t first) {
    uint64_t wanted = ((uint64_t)map->count + more) * 2, size = map->size != 0 ? map->size : first;
    if (wanted <= map->size) {
        return true;
    }
    while (size < wanted) {
        size *= 2;
    }
    uint64_t *slots = size > UINT32_MAX ? NULL : mem_zalloc(size, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    mem_free(map_move(map, slots, (uint32_t)size));
    return true;
}

void map_free(HashMap *map) {
    mem_free(map->slots);
    *map = (HashMap){0};
}

void map_clear(HashMap *map) {
    if (map->count != 0) {
        memset(map->slots, 0, map->size * sizeof *map->slots);
        map->count = 0;
    }
}

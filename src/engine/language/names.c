/* The table of names; see names.h. */
#include "engine/language/names.h"

#include "base/nearest.h"

#include <string.h>

const Constant lang_constants[CONSTANT_COUNT] = {
#define INT(name, value) {#name, {.kind = VAL_INT, .i = value}},
#define PAIR(name, row, column) {#name, {.kind = VAL_PAIR, .n = 2, .a = row, .b = column}},
#include "engine/language/constants.def"
#undef INT
#undef PAIR
};

/* Constants come first: they win over a primitive of the same name. */
static const char *name_at(uint32_t k) {
    return k < CONSTANT_COUNT ? lang_constants[k].name : prim_table[k - CONSTANT_COUNT].name;
}

bool names_fill(HashMap *names) {
    const uint32_t count = CONSTANT_COUNT + PRIM_COUNT;
    if (!map_reserve(names, count, 2048)) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        const char *name = name_at(k);
        map_add(names, map_hash32(name_hash(name, strlen(name))), k);
    }
    return true;
}

bool names_find(const HashMap *names, const char *text, size_t length, uint32_t hash, Val *value) {
    uint32_t at = map_start(names, map_hash32(hash));
    for (uint32_t k; (k = map_next(names, map_hash32(hash), &at)) != MAP_NONE;) {
        const char *name = name_at(k);
        if (strncmp(name, text, length) == 0 && name[length] == '\0') {
            *value = k < CONSTANT_COUNT ? lang_constants[k].value : val_prim(k - CONSTANT_COUNT);
            return true;
        }
    }
    return false;
}

const char *names_nearest(const char *text, size_t length, bool prims_only) {
    Nearest nearest = nearest_to(text, length);
    for (int id = 0; id < PRIM_COUNT; id++) {
        nearest_offer(&nearest, prim_table[id].name);
    }
    for (int id = 0; id < CONSTANT_COUNT && !prims_only; id++) {
        nearest_offer(&nearest, lang_constants[id].name);
    }
    return nearest.best;
}

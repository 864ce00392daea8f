/* What a name means: the primitives and the named constants, in one hash table.
 *
 * The table is filled once, when a Lang is opened (some 400 names, a few microseconds), and is read-only
 * afterwards. */
#ifndef BATT_ENGINE_LANGUAGE_NAMES_H
#define BATT_ENGINE_LANGUAGE_NAMES_H

#include "base/hash_map.h"
#include "engine/primitives/prim.h"

typedef enum ConstantId {
#define INT(name, value) CONSTANT_##name,
#define PAIR(name, row, column) CONSTANT_##name,
#include "engine/language/constants.def"
#undef INT
#undef PAIR
    CONSTANT_COUNT
} ConstantId;

typedef struct Constant {
    const char *name;
    Val value;
} Constant;

extern const Constant lang_constants[CONSTANT_COUNT];

/* FNV-1a, one byte at a time, so that the lexer hashes a name while it reads it. */
#define NAME_HASH_START 2166136261u
static inline uint32_t name_hash_add(uint32_t hash, char c) {
    return (hash ^ (unsigned char)c) * 16777619u;
}
static inline uint32_t name_hash(const char *text, size_t length) {
    uint32_t hash = NAME_HASH_START;
    for (size_t k = 0; k < length; k++) {
        hash = name_hash_add(hash, text[k]);
    }
    return hash;
}

/* Fills a table of names, which map_free frees. False: no memory. */
bool names_fill(HashMap *names);
/* The primitive or constant of this name; false: unknown. */
bool names_find(const HashMap *names, const char *text, size_t length, uint32_t hash, Val *value);

/* The known name closest to a misspelt one, or NULL. `prims_only`: leaves out constants, which cannot be
 * called. */
const char *names_nearest(const char *text, size_t length, bool prims_only);

#endif

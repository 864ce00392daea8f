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

_Static_assert(PRIM_COUNT + CONSTANT_COUNT < NAMES_ROOM / 2, "the table of names is too full");

static void add(Names *names, const char *text, NameKind kind, int id) {
    size_t length = strlen(text);
    uint32_t hash = name_hash(text, length);
    uint32_t at = hash % NAMES_ROOM;
    while (names->table[at].kind != NAME_NONE) {
        at = (at + 1) % NAMES_ROOM;
    }
    names->table[at] = (Name){text, hash, (uint16_t)id, (uint8_t)kind, (uint8_t)length};
}

void names_fill(Names *names) {
    memset(names, 0, sizeof *names);
    /* Constants first: they win over a primitive of the same name. */
    for (int id = 0; id < CONSTANT_COUNT; id++) {
        add(names, lang_constants[id].name, NAME_CONSTANT, id);
    }
    for (int id = 0; id < PRIM_COUNT; id++) {
        add(names, prim_table[id].name, NAME_PRIM, id);
    }
}

const Name *names_find(const Names *names, const char *text, size_t length, uint32_t hash) {
    for (uint32_t at = hash % NAMES_ROOM;; at = (at + 1) % NAMES_ROOM) {
        const Name *name = &names->table[at];
        if (name->kind == NAME_NONE) {
            return NULL;
        }
        if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0) {
            return name;
        }
    }
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

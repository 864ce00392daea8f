/* The table of tunables, and how to change one; see tunables.h. */
#define XXH_INLINE_ALL
#include "search/schedule/tunables.h"

#include "base/check.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const Tunables tunables_default = {
#define TUNABLE(type, name, value, min, max, text) .name = value,
#include "search/schedule/tunables.def"
#undef TUNABLE
};

#define IS_WHOLE(type) _Generic((type)0, uint32_t : true, double : false)

const TunableRow tunable_rows[] = {
#define TUNABLE(type, name, value, min, max, text) {#name, text, IS_WHOLE(type), value, min, max},
#include "search/schedule/tunables.def"
#undef TUNABLE
    {0}};

static const size_t offsets[] = {
#define TUNABLE(type, name, value, min, max, text) offsetof(Tunables, name),
#include "search/schedule/tunables.def"
#undef TUNABLE
};

double tunables_get(const Tunables *t, const TunableRow *row) {
    ASSERT(row >= tunable_rows && row->name != NULL && row->min <= row->max, "no row of the table");
    const char *at = (const char *)t + offsets[row - tunable_rows];
    double real;
    uint32_t whole;
    if (row->whole) {
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
    memcpy(&real, at, sizeof real);
    return real;
}

uint64_t tunables_hash(const Tunables *t) {
    uint64_t hash = 0;
    for (const TunableRow *row = tunable_rows; row->name != NULL; row++) {
        double value = tunables_get(t, row);
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits = htole64(bits);
        hash = XXH3_64bits_withSeed(&bits, sizeof bits, hash);
    }
    return hash;
}

static void put(Tunables *t, const TunableRow *row, double value) {
    char *at = (char *)t + offsets[row - tunable_rows];
    if (row->whole) {
        uint32_t whole = (uint32_t)value;
        memcpy(at, &whole, sizeof whole);
    } else {
        memcpy(at, &value, sizeof value);
    }
}

static const TunableRow *row_of(const char *name, size_t length) {
    for (const TunableRow *row = tunable_rows; row->name != NULL; row++) {
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) {
            return row;
        }
    }
    return NULL;
}

bool tunables_set(Tunables *t, const char *text, char *why, size_t why_size) {
    const char *equals = strchr(text, '=');
    if (equals == NULL) {
        snprintf(why, why_size, "%s: NAME=VALUE expected", text);
        return false;
    }
    const TunableRow *row = row_of(text, (size_t)(equals - text));
    if (row == NULL) {
        snprintf(why, why_size, "%.*s: no such tunable; batt help tunables lists them", (int)(equals - text),
                 text);
        return false;
    }
    char *end;
    double value = strtod(equals + 1, &end);
    if (end == equals + 1 || *end != '\0' || !(value >= row->min && value <= row->max) ||
        (row->whole && value != floor(value))) {
        snprintf(why, why_size, "%s: a %s from %g to %g expected", text,
                 row->whole ? "whole number" : "number", row->min, row->max);
        return false;
    }
    put(t, row, value);
    return true;
}

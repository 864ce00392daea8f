/* Looking hints up; see hints.h. */
#include "engine/language/hints.h"

#include <string.h>

static const struct {
    const char *hint;
    ConstantId first, last;
} ranges[] = {
#define RANGE(hint, first, last) {#hint, CONSTANT_##first, CONSTANT_##last},
#define OVERLAP(hint, accepts)
#include "engine/language/hints.def"
#undef RANGE
#undef OVERLAP
};

static const struct {
    const char *hint, *accepts;
} overlaps[] = {
#define RANGE(hint, first, last)
#define OVERLAP(hint, accepts) {#hint, accepts},
#include "engine/language/hints.def"
#undef RANGE
#undef OVERLAP
};

bool hint_is(Hint hint, const char *word) {
    return strncmp(hint.text, word, hint.length) == 0 && word[hint.length] == '\0' && hint.length != 0;
}

Hint hint_param(uint32_t prim, uint32_t k) {
    const char *at = prim_table[prim].hints;
    if (k >= prim_table[prim].arity) {
        return (Hint){"", 0};
    }
    for (; k > 0 && *at != '\0'; k--) {
        at += strcspn(at, ",");
        at += strspn(at, ", ");
    }
    size_t length = strcspn(at, ", ");
    return (Hint){at, length == 1 && *at == '-' ? 0 : length};
}

Hint hint_result(uint32_t prim) {
    const char *arrow = strstr(prim_table[prim].hints, "-> ");
    if (arrow == NULL) {
        return (Hint){"", 0};
    }
    size_t length = strlen(arrow + 3);
    return (Hint){arrow + 3, length == 1 && arrow[3] == '-' ? 0 : length};
}

bool hint_range(Hint hint, ConstantId *first, ConstantId *last) {
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        if (hint_is(hint, ranges[k].hint)) {
            *first = ranges[k].first;
            *last = ranges[k].last;
            return true;
        }
    }
    return false;
}

static bool among(const char *words, Hint hint) {
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        if (length == hint.length && memcmp(words, hint.text, length) == 0) {
            return true;
        }
        words += length + strspn(words + length, " ");
    }
    return false;
}

bool hint_accepts(Hint old, Hint given) {
    if (hint_is(old, "Any") || hint_is(given, "Any") ||
        (old.length == given.length && memcmp(old.text, given.text, old.length) == 0)) {
        return true;
    }
    for (size_t k = 0; k < sizeof overlaps / sizeof *overlaps; k++) {
        if (hint_is(old, overlaps[k].hint)) {
            return among(overlaps[k].accepts, given);
        }
    }
    return true;
}

bool hint_known(Hint hint) {
    static const char others[] = "Any FrozenSet IntegerSet Patch";
    for (size_t k = 0; k < sizeof overlaps / sizeof *overlaps; k++) {
        if (hint_is(hint, overlaps[k].hint)) {
            return true;
        }
    }
    return among(others, hint);
}

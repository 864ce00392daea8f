/* The table of families, and how a seed fills in a rule's blanks; see synth.h. */
#include "data/synth/synth_family.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const SynthFamily families[] = {
#define FAMILY(name, scene, title, program) {#name, title, program, scene_##scene},
#include "data/synth/synth_families.def"
#undef FAMILY
};

size_t synth_count(void) {
    return sizeof families / sizeof *families;
}

const SynthFamily *synth_family(size_t index) {
    return &families[index];
}

const SynthFamily *synth_find(const char *name, size_t length) {
    for (size_t i = 0; i < synth_count(); i++) {
        if (strncmp(families[i].name, name, length) == 0 && families[i].name[length] == '\0') {
            return &families[i];
        }
    }
    return NULL;
}

const char *synth_name(const SynthFamily *family) {
    return family->name;
}

const char *synth_title(const SynthFamily *family) {
    return family->title;
}

static uint64_t family_hash(const SynthFamily *family, uint64_t seed) {
    return XXH3_64bits_withSeed(family->name, strlen(family->name), seed);
}

void synth_id(char id[SYNTH_ID_BYTES], const SynthFamily *family, uint64_t seed) {
    snprintf(id, SYNTH_ID_BYTES, "%08x", (unsigned)(family_hash(family, seed) >> 32));
}

SynthTheme synth_theme(const SynthFamily *family, uint64_t seed, SynthRng *rng) {
    int colors[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    rng_seed(rng, family_hash(family, seed));
    rng_shuffle(rng, colors, 9);
    SynthTheme theme = {.a = colors[0], .b = colors[1], .c = colors[2], .d = colors[3]};
    theme.n = rng_range(rng, 2, 3);
    theme.direction = rng_range(rng, 0, 3);
    return theme;
}

static const char *blank(const SynthTheme *theme, char letter) {
    static const char *const numbers[] = {"ZERO", "ONE", "TWO",   "THREE", "FOUR",
                                          "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"};
    static const char *const directions[] = {"DOWN", "RIGHT", "UP", "LEFT"};
    switch (letter) {
    case 'a':
        return numbers[theme->a];
    case 'b':
        return numbers[theme->b];
    case 'c':
        return numbers[theme->c];
    case 'd':
        return numbers[theme->d];
    case 'n':
        return numbers[theme->n];
    default:
        return directions[theme->direction];
    }
}

void synth_fill_in(Out *out, const SynthFamily *family, const SynthTheme *theme, const char *name) {
    out_fmt(out, "def %s(I):\n    ", name);
    for (const char *p = family->program; *p != '\0'; p++) {
        if (*p == '@') {
            out_str(out, blank(theme, *++p));
        } else if (*p == '\n') {
            out_str(out, "\n    ");
        } else {
            out_char(out, *p);
        }
    }
    out_str(out, "return O\n");
}

void synth_program(Out *out, const SynthFamily *family, uint64_t seed) {
    char id[SYNTH_ID_BYTES], name[32];
    SynthRng rng;
    SynthTheme theme = synth_theme(family, seed, &rng);
    synth_id(id, family, seed);
    snprintf(name, sizeof name, "solve_%s", id);
    synth_fill_in(out, family, &theme, name);
}

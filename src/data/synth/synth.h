/* Generates any number of synthetic tasks.
 *
 * A family is a rule and a generator of inputs for it. The rule is a program in the language with a few
 * blanks (colors, a small number, a direction) that a task's seed fills in; outputs are what the program
 * computes. So a task, its id and its solver follow from (family, seed) alone, on every machine. */
#ifndef BATT_DATA_SYNTH_SYNTH_H
#define BATT_DATA_SYNTH_SYNTH_H

#include "data/tasks/task.h"

enum { SYNTH_ID_BYTES = 9, SYNTH_MAX_PAIRS = 100 };

typedef struct SynthFamily SynthFamily;
typedef struct Synth Synth; /* evaluation and scratch memory; one per thread */

size_t synth_count(void);
const SynthFamily *synth_family(size_t index);
const SynthFamily *synth_find(const char *name, size_t length); /* NULL: no such family */
const char *synth_name(const SynthFamily *family);
const char *synth_title(const SynthFamily *family); /* the rule in one line of English */

Synth *synth_open(void); /* NULL: out of memory */
void synth_close(Synth *synth);

/* The task of this family and seed: 1..SYNTH_MAX_PAIRS training pairs and tests. All inputs differ, no output
 * equals its input, and the outputs are not all equal. Valid until the next call. NULL: why says what went
 * wrong; for a family of the table that can only be a lack of memory. */
const Task *synth_make(Synth *synth, const SynthFamily *family, uint64_t seed, int n_train, int n_test,
                       const char **why);

void synth_id(char id[SYNTH_ID_BYTES], const SynthFamily *family, uint64_t seed); /* 8 hexadecimal digits */
/* "def solve_ID(I): ..", the rule with its blanks filled in. */
void synth_program(Out *out, const SynthFamily *family, uint64_t seed);

#endif

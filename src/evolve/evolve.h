/* Evolution: a population of programs for every task, better with every generation.
 *
 * A generation gives each task a battery of its own: children of its population, and what became best
 * elsewhere in the generation before. The battery runs over the training pairs; the best of old and new are
 * the next population. Lengths compete among themselves: each class has places of its own, without two that
 * have the same outputs; of those with the same outputs in different classes only the best is a result. Tasks
 * are spread over worker threads; what a task draws depends on the seed, the task and the generation alone,
 * so a generation is the same on any number of threads.
 *
 * A class holds the best of all that was ever offered, whatever was offered twice. So memories of what was
 * seen (programs by hash, scores by output) save work and decide nothing: they have fixed room, forget, and
 * need not be kept over an interruption. That is why equal outputs compete within a class only: one that
 * drove out another class's member would leave a place there, and who gets it would depend on what is
 * forgotten and offered again. What is needed to go on: the generation, and the programs of the
 * populations with how often each was picked. */
#ifndef BATT_EVOLVE_EVOLVE_H
#define BATT_EVOLVE_EVOLVE_H

#include "evolve/differs.h"
#include "evolve/guard.h"
#include "evolve/mutate.h"
#include "exec/pool.h"
#include "lang/parse.h"

typedef struct EvolveOptions {
    uint64_t seed;
    uint32_t children;   /* of a task in a generation; a task with a short, sound solution gets an eighth */
    uint32_t population; /* most programs of a task; at least EVOLVE_CLASSES */
    uint32_t most_calls; /* longest program */
    Budget budget;       /* of a program on a sample */
    unsigned jobs;       /* 0: one a core */
    size_t memories;     /* bytes for what was seen, of all tasks together */
    bool examined;       /* time and tests of all members are measured, else only those of the best */
} EvolveOptions;

#define EVOLVE_OPTIONS_DEFAULT                     \
    ((EvolveOptions){.seed = 1,                    \
                     .children = 800,              \
                     .population = 48,             \
                     .most_calls = 14,             \
                     .memories = (size_t)48 << 20, \
                     .budget = {.steps = 12000, .bytes = (uint64_t)64 << 20, .time_ns = 0, .depth = 200}})

enum { EVOLVE_CLASSES = 4 };
enum { EVOLVE_NAME = 64 }; /* room for what was done to the parents: "insert+color" */

typedef struct EvolveMember {
    Program *program;
    int32_t score, exact; /* sum over the training pairs; how many of them are right */
    int32_t test_exact;
    Guard guard;      /* of those right on all training pairs */
    uint64_t outputs; /* hash of the outputs on the training pairs */
    uint64_t steps, time_ns;
    uint32_t calls; /* of the program */
    uint64_t hash;  /* of the draft: breaks ties */
    uint32_t picks; /* times it was a parent */
    uint32_t born;  /* generation it came in */
    int n_parents;
    ProgHash parents[2];
    char mutation[EVOLVE_NAME];
} EvolveMember;

typedef struct EvolveTask {
    const Task *task;
    EvolveMember *members; /* best first */
    uint32_t count;
    Palettes colors;
    /* memories, in Evolve.memories */
    uint32_t *seen;   /* direct-mapped: marks of program hashes */
    uint64_t *scores; /* direct-mapped: output hashes with their scores, a table a pair */
    /* a generation under way */
    EvolveMember *next;
    uint32_t next_count;
    bool failed;
    ProgList restored; /* programs to be evaluated again, and nothing else */
    uint64_t candidates, distinct, evaluations, steps;
} EvolveTask;

typedef struct EvolveFigures {
    uint64_t generation;
    uint64_t candidates;  /* children made, and programs offered */
    uint64_t distinct;    /* of them not seen before: those were evaluated */
    uint64_t evaluations; /* program x sample */
    uint64_t steps;       /* spent on evaluating and scoring */
    uint64_t improved;    /* times that the best of a task got a better score */
    size_t fits;          /* tasks whose best program is right on all training pairs */
    size_t sound;         /* of them: also by all checks of the guard */
    size_t solved; /* of them: right on all test pairs as well, of which one is known or there are none */
} EvolveFigures;

typedef struct Workshop Workshop;

/* Gets every program that is right on all training pairs, once, and owns it. */
typedef struct EvolveFits {
    void (*take)(void *user, Program *program); /* NULL: nobody wants to know */
    void *user;
} EvolveFits;

typedef struct Evolve {
    EvolveOptions options;
    EvolveTask *tasks;
    size_t n_tasks;
    Pool pool;
    Ctx *ctx;        /* not NULL: borrowed, as the one shop is; there is no pool */
    Workshop *shops; /* one a worker */
    uint32_t n_shops;
    EvolveFits fits;
    void *memories;                  /* of all tasks, in one block */
    uint32_t seen_size, scores_size; /* powers of two */
    const Program **exchange;        /* offered to all tasks in the next generation: founders, newcomers */
    uint32_t n_exchange, exchange_room;
    ProgList founders; /* offered in generation 0 */
    EvolveFigures figures;
} Evolve;

bool evolve_open(Evolve *evolve, const EvolveOptions *options, const Task *const *tasks, size_t n_tasks,
                 const Differs *differs); /* false: no memory */
/* Without threads: all work is done by the caller in this context, with this workshop. */
bool evolve_open_on(Evolve *evolve, const EvolveOptions *options, const Task *const *tasks, size_t n_tasks,
                    Ctx *ctx, Workshop *shop);
void evolve_close(Evolve *evolve);

/* A program to start from, taken over. Those that are too large to be changed compete all the same. */
bool evolve_add_founder(Evolve *evolve, Program *program);
/* Every program of one call in the mode, with constants of its kind. */
bool evolve_add_primitives(Evolve *evolve, Mode mode);

/* One generation. False: interrupted by *stop or out of memory; all is then as before it. */
bool evolve_generation(Evolve *evolve, const volatile sig_atomic_t *stop);

/* Going on where an earlier run was: the programs of its populations (taken over), its generation; they are
 * evaluated again, and then what each member had is put back. */
bool evolve_restore_program(Evolve *evolve, size_t task, Program *program); /* false: no memory */
bool evolve_restore(Evolve *evolve, const EvolveFigures *figures);
/* The member that is this program; NULL: the task has none. */
EvolveMember *evolve_find(Evolve *evolve, size_t task, ProgHash program);
bool evolve_restore_exchange(Evolve *evolve, size_t task, ProgHash program);

/* ---- places by length (length_classes.c) ---- */

unsigned evolve_class(uint32_t calls); /* of a program's length */
uint32_t evolve_class_room(const Evolve *evolve, unsigned class);
/* What a child of this class needs to be kept. */
int32_t evolve_least_score(const Evolve *evolve, const EvolveTask *task, unsigned class);
/* Whether a better member has the same outputs: such a one breeds (what does the same in another way leads
 * elsewhere), but does not count as a result. */
bool evolve_shadowed(const EvolveTask *task, uint32_t member);

/* ---- one task's part of a generation (round.c) ---- */

Workshop *workshops_open(uint32_t count, const Differs *differs); /* NULL: no memory */
void workshops_close(Workshop *shops, uint32_t count);
void evolve_round(Evolve *evolve, Ctx *ctx, Workshop *shop, EvolveTask *task);
Workshop *workshop_at(Workshop *shops, uint32_t index);
Ctx *workshop_scoring(Workshop *shops, uint32_t index); /* the context that differs are run in */
void evolve_drop(EvolveMember *member,
                 uint64_t generation); /* frees its program if it is of this generation */

#endif

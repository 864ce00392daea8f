/* Evolution: a population of programs for every task, improved generation by generation.
 *
 * In each generation a task gets a battery of its own: children of its population, and the programs
 * that became best for other tasks in the previous generation. The battery runs over the training
 * pairs; the best of old and new form the next population. Programs compete only with others of
 * similar length: each length class has places of its own, and no two programs in it have the same
 * outputs; of programs with the same outputs in different classes, only the best counts as a
 * result. Tasks are spread over worker threads; what a task draws depends only on the seed, the
 * task and the generation, so a generation is the same on any number of threads.
 *
 * A class holds the best of all that was ever offered, no matter what was offered twice. So the
 * caches of what was seen (programs by hash, scores by output) save work but decide nothing: they
 * have a fixed size, forget, and need not survive an interruption. That is why equal outputs
 * compete only within a class: a program that drove out another class's member would leave a place
 * free there, and which program gets it would depend on what is forgotten and offered again. To
 * resume, only the generation is needed, and the programs of the populations with how often each
 * was picked.
 *
 * Differs evolve in the same way (evolve_breed_differs): they are judged by the cases of differ_cases.h where
 * solvers are by differs, and everything else is shared. */
#ifndef BATT_SEARCH_EVOLUTION_EVOLVE_H
#define BATT_SEARCH_EVOLUTION_EVOLVE_H

#include "backends/ranks/ranks.h"
#include "engine/eval/pool.h"
#include "engine/language/parse.h"
#include "search/evolution/differ_cases.h"
#include "search/evolution/differs.h"
#include "search/evolution/guard.h"
#include "search/evolution/mutate.h"

typedef struct EvolveOptions {
    uint64_t seed;
    uint32_t children;       /* per task and generation; a task with a short, sound solution gets an eighth */
    uint32_t population;     /* maximum per task; at least EVOLVE_CLASSES */
    uint32_t max_calls;      /* longest program */
    Budget budget;           /* for one program on one sample */
    unsigned jobs;           /* 0: one per core */
    size_t memories;         /* bytes for the caches of what was seen, for all tasks together */
    struct Backend *backend; /* runs batched operations of batteries; NULL: every call by itself */
    bool examined;           /* measure time and tests of all members, else only of the best */
} EvolveOptions;

#define EVOLVE_OPTIONS_DEFAULT                     \
    ((EvolveOptions){.seed = 1,                    \
                     .children = 800,              \
                     .population = 48,             \
                     .max_calls = 14,              \
                     .memories = (size_t)48 << 20, \
                     .budget = {.steps = 12000, .bytes = (uint64_t)64 << 20, .time_ns = 0, .depth = 200}})

enum { EVOLVE_CLASSES = 4 };
enum { EVOLVE_NAME = 64 }; /* room for what was done to the parents: "insert+color" */

typedef struct EvolveMember {
    Program *program;
    int32_t score, exact; /* sum over the training pairs; how many of them are right */
    int32_t test_exact;
    int32_t test_score; /* of a differ, over the test pairs with known outputs */
    Guard guard;        /* only for programs right on all training pairs */
    uint64_t outputs;   /* hash of the outputs on the training pairs */
    uint64_t steps, time_ns;
    uint32_t calls; /* of the program */
    uint64_t hash;  /* of the draft: breaks ties */
    uint32_t picks; /* how often it was a parent */
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
    DifferCases *cases; /* what differs are judged by; NULL: solvers are bred */
    /* caches, in Evolve.memories */
    uint32_t *seen;   /* direct-mapped: marks of program hashes */
    uint64_t *scores; /* direct-mapped: output hashes with their scores, a table per pair */
    /* a generation under way */
    EvolveMember *next;
    uint32_t next_count;
    bool failed;
    ProgList restored;     /* programs to be evaluated again, and nothing else */
    Statistics statistics; /* of the generation under way */
} EvolveTask;

typedef struct EvolveFigures {
    uint64_t generation;
    Statistics statistics; /* those of this layer, over all generations */
    size_t fits;           /* tasks whose best program is right on all training pairs */
    size_t sound;          /* of them: those that also pass all checks of the guard */
    size_t solved; /* of them: those also right on all test pairs, if any output is known or there are none */
} EvolveFigures;

typedef struct EvolveScratch EvolveScratch;

/* Receives, and then owns, every program that is right on all training pairs, once. */
typedef struct EvolveFits {
    void (*take)(void *user, Program *program); /* NULL: not wanted */
    void *user;
} EvolveFits;

typedef struct Evolve {
    EvolveOptions options;
    EvolveTask *tasks;
    size_t n_tasks;
    Pool pool;
    Ctx *ctx;                 /* if not NULL: borrowed, like the only scratch, and there is no pool */
    EvolveScratch *scratches; /* one per worker */
    unsigned cpu_slots;       /* workers that work at a time; with a device there are more that wait for it */
    uint32_t n_scratches;
    EvolveFits fits;
    void *memories;                  /* of all tasks, in one block */
    uint32_t seen_size, scores_size; /* powers of two */
    const Program **exchange;        /* offered to all tasks in the next generation: founders, newcomers */
    uint32_t n_exchange, exchange_room;
    ProgList founders;  /* offered in generation 0 */
    DifferCases *cases; /* of all tasks; NULL: solvers are bred */
    EvolveFigures figures;
    /* with other ranks (evolve_ranks.h) */
    Ranks *ranks;     /* those that the tasks are split over; NULL: none */
    unsigned *owners; /* the rank that breeds a task, as far as this rank knows */
    size_t *mine;     /* the tasks that this rank breeds now; NULL: all */
    size_t n_mine;
    ProgList foreign; /* offered by other ranks */
    Lang *lang;
} Evolve;

bool evolve_open(Evolve *evolve, const EvolveOptions *options, const Task *const *tasks, size_t n_tasks,
                 const Differs *differs); /* false: no memory */
/* Without threads: the caller does all work in this context, with this scratch. */
bool evolve_open_on(Evolve *evolve, const EvolveOptions *options, const Task *const *tasks, size_t n_tasks,
                    Ctx *ctx, EvolveScratch *scratch);
void evolve_close(Evolve *evolve);

/* A program to start from, taken over. Programs that are too large to be changed still compete. */
bool evolve_add_founder(Evolve *evolve, Program *program);
/* Adds every one-call program of the mode, over the input and constants, as a founder. */
bool evolve_add_primitives(Evolve *evolve, Mode mode);

/* Breeds differs from now on, judged also by the answers of these solvers. Called before anything is offered.
 * `each` is called from any thread when a task is ready. False: stopped, or no memory. */
typedef void EvolveEachCase(void *context);
bool evolve_breed_differs(Evolve *evolve, const Program *const *solvers, size_t n_solvers,
                          EvolveEachCase *each, void *context, const Stop *stop);

/* Offers a program to all tasks in the next generation; it must live that long. False: no memory. */
bool evolve_offer(Evolve *evolve, const Program *program);
void evolve_count(Evolve *evolve); /* counts which tasks are solved */
/* Runs one generation. False: interrupted by *stop or out of memory; then everything is as it was before. */
bool evolve_generation(Evolve *evolve, const Stop *stop);

/* Resuming an earlier run: the programs of its populations (taken over) and its generation are restored, the
 * programs are evaluated again, and then the figures of each member are put back. */
bool evolve_restore_program(Evolve *evolve, size_t task, Program *program); /* false: no memory */
bool evolve_restore(Evolve *evolve, const EvolveFigures *figures);
/* The member that is this program; NULL: the task has none. */
EvolveMember *evolve_find(Evolve *evolve, size_t task, ProgHash program);
bool evolve_restore_exchange(Evolve *evolve, size_t task, ProgHash program);

/* ---- places by length (length_classes.c) ---- */

unsigned evolve_class(uint32_t calls); /* of a program's length */
uint32_t evolve_class_room(const Evolve *evolve, unsigned class);
/* The score that a child of this class needs to be kept. */
int32_t evolve_min_score(const Evolve *evolve, const EvolveTask *task, unsigned class);
/* Whether a better member has the same outputs. Such a member still breeds (the same result reached in
 * another way leads elsewhere), but does not count as a result. */
bool evolve_shadowed(const EvolveTask *task, uint32_t member);

/* ---- one task in a generation (round.c) ---- */

EvolveScratch *evolve_scratch_open(uint32_t count, const Differs *differs); /* NULL: no memory */
void evolve_scratch_close(EvolveScratch *scratches, uint32_t count);
void evolve_round(Evolve *evolve, Ctx *ctx, EvolveScratch *scratch, EvolveTask *task);
EvolveScratch *evolve_scratch_at(EvolveScratch *scratches, uint32_t index);
Ctx *evolve_scratch_scoring(EvolveScratch *scratches, uint32_t index); /* the context that runs differs */
/* frees its program if it is of this generation */
void evolve_drop(EvolveMember *member, uint64_t generation);

#endif

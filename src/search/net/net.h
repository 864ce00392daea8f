/* A net for a task: training, step by step.
 *
 *     Net net;
 *     const char *why;
 *     if (net_open(&net, task, &(NetOptions){.seed = 1}, &why)) {
 *         while (net.step < 500 && net_step(&net)) {
 *             ... net.loss, net_answer_grid(&net.answers, net.answers.slots[0], test) ...
 *         }
 *     }
 *     net_close(&net);
 *
 * net_open allocates all memory, as much as net_bytes says; a step allocates none. The same seed
 * gives the same numbers, with any number of threads. Where numbers overflow, training starts again
 * from another seed. */
#ifndef BATT_SEARCH_NET_NET_H
#define BATT_SEARCH_NET_NET_H

#include "search/net/answers.h"

enum { NET_RESTARTS = 3 }; /* that are tried */
#define NET_MEMORY ((uint64_t)1 << 30)

typedef struct NetOptions {
    uint64_t seed;
    unsigned threads; /* 0: one */
    uint64_t memory;  /* maximum in bytes; 0: NET_MEMORY */
    bool measured;    /* meters are kept */
} NetOptions;

typedef struct Net {
    NetMemory mem;
    const NetEngine *engine;
    NetTeam team;
    struct NetRun *run;
    void *block;
    NetAnswers answers;
    NetMeans means;
    NetMeter *meters; /* by thread; NULL: not measured */
    double *scratch;
    uint8_t *cells; /* room for a grid in palette numbers */
    uint64_t seed;  /* as given; `restarts` makes another one of it */
    size_t step;    /* steps done */
    uint32_t restarts;
    NetLoss loss;       /* of the last step */
    NetScores scores;   /* likewise */
    const char *failed; /* why it cannot go on; NULL: it can */
    size_t poison;      /* for tests: at this step numbers overflow once; 0: never */
} Net;

/* Bytes that a net with this layout takes. */
uint64_t net_bytes(const NetMemory *mem, unsigned threads);
/* Multiplications of a step, roughly; its time is proportional to them. */
double net_step_work(const NetShape *shape);

/* False: `why` says why this task cannot be done. Close it anyway. */
bool net_open(Net *net, const Task *task, const NetOptions *options, const char **why);
/* One step; false: it has failed. */
bool net_step(Net *net);
/* Starts again from another seed; what it answered so far is forgotten. */
void net_begin(Net *net, uint64_t seed);
void net_close(Net *net);

/* ---- for training on a device (net_device.h) ---- */

extern const char *const net_too_large;
/* A net without a run of the engine, which the caller gives it before net_begin or net_load. */
bool net_open_elsewhere(Net *net, const Task *task, const NetEngine *engine, const char **why);
/* After the forward pass of a step. False: numbers overflowed; it has started again, or given up (failed). */
bool net_take_loss(Net *net, NetLoss loss);
void net_take_answers(Net *net);       /* then what the step answers */
uint64_t net_seed_now(const Net *net); /* after so many restarts */

/* The logarithm of the probability of these answers (one per test), by the running means of all steps.
 * -HUGE_VAL: they have a size or a color that the net does not know. */
double net_log_probability(Net *net, const Image *answers);

/* The state for resuming, as bytes; net_load says whether they are of this task and engine. */
size_t net_saved_bytes(const Net *net);
void net_save(const Net *net, void *to);
bool net_load(Net *net, const void *from, size_t bytes);
/* Whether saved bytes are still those that were saved, whatever net they are of. */
bool net_saved_is_whole(const void *from, size_t bytes);

#endif

/* Ranks: processes started by a launcher, usually one per machine, that work together, each with
 * threads of its own.
 *
 * Rank 0 leads: it distributes the units of a loop, collects the results, and reports to the user.
 * Every rank runs the same command on the same files; what a unit is depends on its number alone,
 * and results are indexed by unit, so nothing depends on which rank did what or which result
 * arrived first.
 *
 * One thread, the communication thread, sends and receives all messages. The others put messages
 * into its outbox and wait for what it receives. Heartbeats show which ranks are alive: a rank that
 * is silent for too long is lost and, if the launcher lets the others live, they do its units. */
#ifndef BATT_BACKENDS_RANKS_RANKS_H
#define BATT_BACKENDS_RANKS_RANKS_H

#include "backends/ranks/transport.h"
#include "backends/ranks/wire.h"
#include "base/stop.h"
#include "engine/eval/pool.h"

typedef struct Ranks Ranks;

/* Joins the others. `asked` (Ctrl-C of this process) stops all. `expected`: the number of ranks that the
 * launcher announced; 0: unknown. NULL: `why` says what went wrong. */
Ranks *ranks_open(const RanksTransport *transport, uint32_t expected, const Stop *asked,
                  char why[RANKS_WHY_BYTES]);
/* orderly: this rank finished its work; otherwise the others must not wait for it. */
void ranks_close(Ranks *ranks, bool orderly);

/* NULL stands for a single process: rank 0 of 1. */
unsigned ranks_rank(const Ranks *ranks);
unsigned ranks_size(const Ranks *ranks);
static inline bool ranks_is_root(const Ranks *ranks) {
    return ranks_rank(ranks) == 0;
}
/* Becomes true when any rank was asked to stop. */
const Stop *ranks_stop(const Ranks *ranks);
bool ranks_is_lost(const Ranks *ranks, unsigned rank);
unsigned ranks_lost(const Ranks *ranks); /* how many */
static inline bool ranks_lost_any(const Ranks *ranks) {
    return ranks != NULL && ranks_lost(ranks) > 0;
}
/* Treats a rank as lost because it sent invalid data. */
void ranks_distrust(Ranks *ranks, unsigned rank);
/* The number of units, over all loops, whose result came from this rank; only rank 0 knows it. */
uint64_t ranks_units(const Ranks *ranks, unsigned rank);
/* How long this rank's threads waited for others, and how many messages and bytes this rank sent. */
uint64_t ranks_waited_ns(const Ranks *ranks);
void ranks_count(Ranks *ranks, uint64_t *messages, uint64_t *bytes);

/* ---- single messages ---- */

typedef enum RanksTag { /* the subject: messages with the same tag are received in order */
                        RANKS_HELLO,
                        RANKS_START,
                        RANKS_ROUND,
                        RANKS_SHARE,
                        RANKS_WHOLE,
                        RANKS_SUMMARY,
                        RANKS_STORE,      /* a snapshot during the run */
                        RANKS_STORE_LAST, /* the final one */
                        RANKS_TAGS
} RanksTag;

void ranks_put(Ranks *ranks, unsigned to, RanksTag tag, const Out *out);
void ranks_put_all(Ranks *ranks, RanksTag tag, const Out *out); /* to all others */
/* Waits for a message. False: the sender is lost, or everybody was asked to stop and nothing arrived for a
 * while. */
bool ranks_get(Ranks *ranks, unsigned from, RanksTag tag, Out *to);
bool ranks_there(Ranks *ranks, unsigned from, RanksTag tag); /* whether ranks_get would not have to wait */

/* Rank 0 compares the `fingerprint` of all ranks with its own and sends them its `payload`, which
 * the others receive in `payload`. False: `why` says which rank differs or is lost. */
bool ranks_agree(Ranks *ranks, const char *fingerprint, Out *payload, char why[RANKS_WHY_BYTES]);

/* ---- a loop over units (ranks_loop.c) ---- */

typedef struct RanksLoop {
    size_t units;
    uint32_t threads; /* of this rank */
    bool twice;       /* near the end, units may be assigned twice; then results must be claimed */
    const Stop *stop; /* of this rank's work; may be NULL */
    void *user;
    /* Rank 0: whether the result is already there. May be NULL. */
    bool (*known)(void *user, size_t unit);
    /* What a rank needs besides a unit's number to work on it; both may be NULL. */
    void (*pack_unit)(void *user, size_t unit, Out *out);
    bool (*unpack_unit)(void *user, size_t unit, Wire *wire);
    /* Rank 0: reads a unit's result from another rank, on the communication thread; it must claim
     * the unit. False: this is not a result, and its sender cannot be trusted. */
    bool (*unpack)(void *user, size_t unit, unsigned from, Wire *wire);
} RanksLoop;

/* All ranks begin and end the same loops; in between they run their pool with `ranks_source`. */
bool ranks_loop_begin(Ranks *ranks, const RanksLoop *loop); /* false: no memory */
const PoolSource *ranks_source(Ranks *ranks);
/* Rank 0: claims that this is the unit's result. False: it already had one. */
bool ranks_claim(Ranks *ranks, size_t unit, unsigned from);
/* Rank 0: the result of this unit is no longer needed; ranks that work on it stop. */
void ranks_drop(Ranks *ranks, size_t unit);
/* Sends a unit's result to rank 0. Empties `out`. */
void ranks_result(Ranks *ranks, size_t unit, Out *out);
void ranks_loop_end(Ranks *ranks);

#endif

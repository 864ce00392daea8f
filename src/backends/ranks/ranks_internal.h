/* State shared by ranks.c (messages) and ranks_loop.c (units). The lock protects everything here,
 * unless noted otherwise. */
#ifndef BATT_BACKENDS_RANKS_RANKS_INTERNAL_H
#define BATT_BACKENDS_RANKS_RANKS_INTERNAL_H

#include "backends/ranks/ranks.h"
#include "backends/ranks/work_queue.h"

#include <pthread.h>

/* The first byte of a message. */
typedef enum MessageType {
    MESSAGE_ALIVE,
    MESSAGE_STOP,   /* everybody stops */
    MESSAGE_DATA,   /* tag, bytes */
    MESSAGE_WANT,   /* loop, threads, idle: a rank wants units */
    MESSAGE_UNITS,  /* loop, units */
    MESSAGE_RESULT, /* loop, unit, bytes */
    MESSAGE_CANCEL, /* loop, unit: somebody else was first, or nobody needs it */
    MESSAGE_OVER,   /* loop, cut: no more units */
    MESSAGE_LEFT,   /* loop: a rank has left it and sends nothing more about it */
    MESSAGE_BYE,    /* orderly: rank 0 is done */
    MESSAGE_TYPES
} MessageType;

typedef struct Letter { /* on its way out, or arrived and not yet read */
    struct Letter *next;
    unsigned who; /* receiver or sender */
    RanksTag tag; /* of letters that arrived */
    size_t length;
    uint8_t bytes[];
} Letter;

typedef struct LetterList {
    Letter *first, **end;
} LetterList;

typedef struct Peer {
    uint64_t heard_ns, told_ns, units;
    _Atomic bool lost; /* also read without the lock */
    bool left;         /* has left the loop */
    bool wants;        /* wants units and got none yet */
    uint32_t threads, idle;
} Peer;

typedef struct WorkerSlot { /* a worker of this rank */
    size_t unit;
    bool busy;
    Stop stop;
} WorkerSlot;

struct Ranks {
    const RanksTransport *transport;
    void *link; /* used by the communication thread only */
    unsigned rank, size;
    const Stop *asked; /* Ctrl-C */
    Stop stopped;      /* read by all without the lock */
    uint64_t patience_ns;
    pthread_t comm_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char why[RANKS_WHY_BYTES];
    enum { COMM_STARTING, COMM_RUNNING, COMM_FAILED } state;
    bool closing, orderly, stop_told, bye, bye_orderly;
    LetterList outbox, inbox;
    Peer *peers;
    uint64_t messages, bytes;
    uint64_t waited_ns;
    /* the loop */
    uint64_t loop_number, over_ahead; /* over_ahead: a later loop that is already over */
    bool looping, over, cut;
    RanksLoop loop;
    WorkQueue work_queue; /* rank 0 */
    WorkerSlot *worker_slots;
    size_t *queue; /* units not yet begun; on ranks other than 0 */
    size_t n_queue, queue_room;
    bool want_sent;
    uint32_t idle, idle_told;
    PoolSource source;
};

void ranks_wait(Ranks *ranks); /* under the lock: waits until something changes, at most 50 ms */
void ranks_take_message(Ranks *ranks, unsigned from, const void *bytes, size_t length); /* without the lock */
void ranks_post(Ranks *ranks, unsigned to, const Out *message);                         /* under the lock */
void ranks_begin_message(Out *out, MessageType type);                                   /* clears it */
bool ranks_loop_message(Ranks *ranks, unsigned from, uint8_t type, Wire *wire);         /* without the lock */
void ranks_loop_lost(Ranks *ranks, unsigned rank);                                      /* under the lock */
void ranks_loop_stop(Ranks *ranks);                                                     /* likewise */

#endif

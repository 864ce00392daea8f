/* The transport that carries messages between ranks: the only interface between batt and a plugin (plugins/).
 *
 * A rank is one process of a job that a launcher started, usually one per machine. batt knows nothing about
 * MPI: it loads a plugin, which defines `const RanksTransport batt_transport`, and calls these functions, all
 * from one thread. Messages are bytes; those from one rank to another arrive in the order they were sent.
 * Messages that arrive are checked like any other input. */
#ifndef BATT_BACKENDS_RANKS_TRANSPORT_H
#define BATT_BACKENDS_RANKS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

enum { RANKS_TRANSPORT_VERSION = 1, RANKS_WHY_BYTES = 512 };
/* The longest message: a sender refuses longer ones, a receiver treats them as a failure. */
enum { RANKS_MESSAGE_MAX = 256 << 20 };

typedef struct RanksTransport {
    unsigned version; /* RANKS_TRANSPORT_VERSION */
    const char *name;
    /* NULL: `why` says what went wrong. */
    void *(*open)(unsigned *rank, unsigned *size, char why[RANKS_WHY_BYTES]);
    /* Copies the message and returns at once. False: the message is lost. */
    bool (*send)(void *self, unsigned to, const void *bytes, size_t length);
    /* 1: a message, whose bytes are valid until the next call; 0: there is none; -1: failure. */
    int (*receive)(void *self, unsigned *from, const void **bytes, size_t *length);
    /* Whether everything sent so far is on its way. */
    bool (*sent)(void *self);
    /* orderly: every rank gets here, so it may wait for all; otherwise it must not wait for ranks that are
     * gone. */
    void (*close)(void *self, bool orderly);
} RanksTransport;

#endif

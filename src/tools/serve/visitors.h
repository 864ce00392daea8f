/* Limits the connections of batt serve, so that other users of the machine cannot lock the owner out.
 *
 * Every peer is a process on this machine, so addresses do not identify anyone; the token does. A connection
 * without a request that carried it has a deadline, however slowly bytes come in, and when there are many,
 * the oldest of them goes: a new one always gets in. */
#ifndef BATT_TOOLS_SERVE_VISITORS_H
#define BATT_TOOLS_SERVE_VISITORS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    VISITORS_MAX = 512,      /* connections at once */
    VISITORS_STRANGERS = 256 /* of them without the token */
};

typedef struct Visitor {
    int socket; /* -1: a free place */
    bool known; /* it has shown the token */
    uint64_t since_ns;
} Visitor;

typedef struct Visitors {
    pthread_mutex_t lock;
    Visitor places[VISITORS_MAX];
    uint64_t deadline_ns; /* for strangers */
} Visitors;

void visitors_open(Visitors *visitors, uint64_t deadline_ns);
void visitors_close(Visitors *visitors);
/* A connection begins: its place, which stays the same until `leave`; NULL: there is none. */
Visitor *visitors_enter(Visitors *visitors, int socket, uint64_t now_ns);
void visitors_know(Visitors *visitors, Visitor *visitor);
void visitors_leave(Visitors *visitors, Visitor *visitor);
void visitors_remind(Visitors *visitors, uint64_t now_ns); /* hangs up on strangers past their deadline */

#endif

/* A thread team: threads that work on one net together, phase by phase.
 *
 * A phase is a function over items (examples), taken one by one; a thread that is done waits for
 * the others. All sums are kept by item and added in the order of items, so that results do not
 * depend on the number of threads. A phase lasts some hundred microseconds: waiting threads spin
 * for a while before they sleep. */
#ifndef BATT_SEARCH_NET_TEAM_H
#define BATT_SEARCH_NET_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*NetPhase)(void *user, size_t item, unsigned thread);

typedef struct NetTeam {
    unsigned threads; /* including the calling one */
    struct NetWorker *workers;
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    _Atomic uint32_t round; /* counts phases */
    _Atomic uint32_t working;
    _Atomic size_t next;
    size_t items;
    NetPhase phase;
    void *user;
    bool closing, opened;
} NetTeam;

/* With one thread it starts none. If threads cannot be made, there are fewer. False: no memory. */
bool net_team_open(NetTeam *team, unsigned threads);
void net_team_run(NetTeam *team, size_t items, NetPhase phase, void *user);
void net_team_close(NetTeam *team);

#endif

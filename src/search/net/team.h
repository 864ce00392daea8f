/* A crew: threads that work on one net together, phase by phase.
 *
 * A phase is a function over items (examples), handed out one by one; whoever is done waits for the others.
 * All sums are kept by item and added in the order of items, so that the number of threads changes nothing in
 * the results. A phase lasts some hundred microseconds: those who wait look for a while before they sleep. */
#ifndef BATT_SEARCH_NET_TEAM_H
#define BATT_SEARCH_NET_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*NetPhase)(void *user, size_t item, unsigned thread);

typedef struct NetTeam {
    unsigned threads; /* with the one that leads */
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

/* Threads of one net; see team.h. */
#include "search/net/team.h"

#include "base/alloc.h"

#include <sched.h>

enum { SPINS = 2000 }; /* before sleeping: about the time that waking up takes */

typedef struct NetWorker {
    NetTeam *team;
    pthread_t id;
    unsigned number;
} NetWorker;

static void cpu_relax(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static void work(NetTeam *team, unsigned thread) {
    for (size_t item = atomic_fetch_add(&team->next, 1); item < team->items;
         item = atomic_fetch_add(&team->next, 1)) {
        team->phase(team->user, item, thread);
    }
}

static void *worker_run(void *of) {
    NetWorker *worker = of;
    NetTeam *team = worker->team;
    uint32_t seen = 0;
    for (;;) {
        for (int k = 0; k < SPINS && atomic_load(&team->round) == seen; k++) {
            cpu_relax();
        }
        if (atomic_load(&team->round) == seen) {
            pthread_mutex_lock(&team->lock);
            while (atomic_load(&team->round) == seen) {
                pthread_cond_wait(&team->begun, &team->lock);
            }
            pthread_mutex_unlock(&team->lock);
        }
        seen = atomic_load(&team->round);
        if (team->closing) {
            return NULL;
        }
        work(team, worker->number);
        if (atomic_fetch_sub(&team->working, 1) == 1) {
            pthread_mutex_lock(&team->lock);
            pthread_cond_signal(&team->ended);
            pthread_mutex_unlock(&team->lock);
        }
    }
}

static void begin_round(NetTeam *team) {
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->round, 1);
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->lock);
}

bool net_team_open(NetTeam *team, unsigned threads) {
    *team = (NetTeam){.threads = 1};
    if (threads <= 1) {
        return true;
    }
    team->workers = mem_zalloc(threads - 1, sizeof *team->workers);
    if (team->workers == NULL) {
        return false;
    }
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begun, NULL);
    pthread_cond_init(&team->ended, NULL);
    team->opened = true;
    while (team->threads < threads) {
        NetWorker *worker = &team->workers[team->threads - 1];
        *worker = (NetWorker){.team = team, .number = team->threads};
        if (pthread_create(&worker->id, NULL, worker_run, worker) != 0) {
            break; /* the others do its work */
        }
        team->threads++;
    }
    return true;
}

void net_team_run(NetTeam *team, size_t items, NetPhase phase, void *user) {
    if (team->threads == 1) {
        for (size_t item = 0; item < items; item++) {
            phase(user, item, 0);
        }
        return;
    }
    team->items = items;
    team->phase = phase;
    team->user = user;
    atomic_store(&team->next, 0);
    atomic_store(&team->working, team->threads - 1);
    begin_round(team);
    work(team, 0);
    for (int k = 0; k < SPINS && atomic_load(&team->working) != 0; k++) {
        cpu_relax();
    }
    if (atomic_load(&team->working) != 0) {
        pthread_mutex_lock(&team->lock);
        while (atomic_load(&team->working) != 0) {
            pthread_cond_wait(&team->ended, &team->lock);
        }
        pthread_mutex_unlock(&team->lock);
    }
}

void net_team_close(NetTeam *team) {
    if (team->opened) {
        team->closing = true;
        begin_round(team);
        for (unsigned k = 0; k + 1 < team->threads; k++) {
            pthread_join(team->workers[k].id, NULL);
        }
        pthread_cond_destroy(&team->ended);
        pthread_cond_destroy(&team->begun);
        pthread_mutex_destroy(&team->lock);
    }
    mem_free(team->workers);
    *team = (NetTeam){0};
}

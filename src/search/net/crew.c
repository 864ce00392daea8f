/* Threads of one net; see crew.h. */
#include "search/net/crew.h"

#include "base/alloc.h"

#include <sched.h>

enum { LOOKS = 2000 }; /* before sleeping: about the time that waking up takes */

typedef struct NetHand {
    NetCrew *crew;
    pthread_t id;
    unsigned number;
} NetHand;

static void pause_a_bit(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static void work(NetCrew *crew, unsigned thread) {
    for (size_t item = atomic_fetch_add(&crew->next, 1); item < crew->items;
         item = atomic_fetch_add(&crew->next, 1)) {
        crew->phase(crew->user, item, thread);
    }
}

static void *hand_runs(void *of) {
    NetHand *hand = of;
    NetCrew *crew = hand->crew;
    uint32_t seen = 0;
    for (;;) {
        for (int k = 0; k < LOOKS && atomic_load(&crew->round) == seen; k++) {
            pause_a_bit();
        }
        if (atomic_load(&crew->round) == seen) {
            pthread_mutex_lock(&crew->lock);
            while (atomic_load(&crew->round) == seen) {
                pthread_cond_wait(&crew->begun, &crew->lock);
            }
            pthread_mutex_unlock(&crew->lock);
        }
        seen = atomic_load(&crew->round);
        if (crew->closing) {
            return NULL;
        }
        work(crew, hand->number);
        if (atomic_fetch_sub(&crew->working, 1) == 1) {
            pthread_mutex_lock(&crew->lock);
            pthread_cond_signal(&crew->ended);
            pthread_mutex_unlock(&crew->lock);
        }
    }
}

static void begin_round(NetCrew *crew) {
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->round, 1);
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
}

bool net_crew_open(NetCrew *crew, unsigned threads) {
    *crew = (NetCrew){.threads = 1};
    if (threads <= 1) {
        return true;
    }
    crew->hands = mem_zalloc(threads - 1, sizeof *crew->hands);
    if (crew->hands == NULL) {
        return false;
    }
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begun, NULL);
    pthread_cond_init(&crew->ended, NULL);
    crew->opened = true;
    while (crew->threads < threads) {
        NetHand *hand = &crew->hands[crew->threads - 1];
        *hand = (NetHand){.crew = crew, .number = crew->threads};
        if (pthread_create(&hand->id, NULL, hand_runs, hand) != 0) {
            break; /* the others do its work */
        }
        crew->threads++;
    }
    return true;
}

void net_crew_run(NetCrew *crew, size_t items, NetPhase phase, void *user) {
    if (crew->threads == 1) {
        for (size_t item = 0; item < items; item++) {
            phase(user, item, 0);
        }
        return;
    }
    crew->items = items;
    crew->phase = phase;
    crew->user = user;
    atomic_store(&crew->next, 0);
    atomic_store(&crew->working, crew->threads - 1);
    begin_round(crew);
    work(crew, 0);
    for (int k = 0; k < LOOKS && atomic_load(&crew->working) != 0; k++) {
        pause_a_bit();
    }
    if (atomic_load(&crew->working) != 0) {
        pthread_mutex_lock(&crew->lock);
        while (atomic_load(&crew->working) != 0) {
            pthread_cond_wait(&crew->ended, &crew->lock);
        }
        pthread_mutex_unlock(&crew->lock);
    }
}

void net_crew_close(NetCrew *crew) {
    if (crew->opened) {
        crew->closing = true;
        begin_round(crew);
        for (unsigned k = 0; k + 1 < crew->threads; k++) {
            pthread_join(crew->hands[k].id, NULL);
        }
        pthread_cond_destroy(&crew->ended);
        pthread_cond_destroy(&crew->begun);
        pthread_mutex_destroy(&crew->lock);
    }
    mem_free(crew->hands);
    *crew = (NetCrew){0};
}

/* CPU slots: of more workers than processors, as many work at a time as there are slots. A worker that waits
 * for something else, such as a device, lends its slot to another one. */
#ifndef BATT_ENGINE_EVAL_SLOTS_H
#define BATT_ENGINE_EVAL_SLOTS_H

#include <pthread.h>
#include <stdatomic.h>

typedef struct Slots {
    atomic_int free; /* below 0: so many wait for one. Only those who wait, or wake, take the lock */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    unsigned granted; /* to those who wait */
} Slots;

static inline void slots_open(Slots *slots) {
    *slots = (Slots){0};
    pthread_mutex_init(&slots->lock, NULL);
    pthread_cond_init(&slots->freed, NULL);
}

static inline void slots_close(Slots *slots) {
    pthread_cond_destroy(&slots->freed);
    pthread_mutex_destroy(&slots->lock);
}

static inline void slots_acquire(Slots *slots) {
    if (atomic_fetch_sub_explicit(&slots->free, 1, memory_order_acquire) <= 0) {
        pthread_mutex_lock(&slots->lock);
        while (slots->granted == 0) {
            pthread_cond_wait(&slots->freed, &slots->lock);
        }
        slots->granted--;
        pthread_mutex_unlock(&slots->lock);
    }
}

static inline void slots_release(Slots *slots) {
    if (atomic_fetch_add_explicit(&slots->free, 1, memory_order_release) < 0) {
        pthread_mutex_lock(&slots->lock);
        slots->granted++;
        pthread_cond_signal(&slots->freed);
        pthread_mutex_unlock(&slots->lock);
    }
}

#endif

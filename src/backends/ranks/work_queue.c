/* Assigning units to ranks; see work_queue.h. */
#include "backends/ranks/work_queue.h"

#include "base/alloc.h"
#include "base/check.h"

bool work_queue_open(WorkQueue *work_queue, size_t units, uint32_t threads, bool twice) {
    *work_queue = (WorkQueue){.n_units = units, .threads = threads, .twice = twice};
    work_queue->units = mem_zalloc(units > 0 ? units : 1, sizeof *work_queue->units);
    for (size_t k = 0; work_queue->units != NULL && k < units; k++) {
        work_queue->units[k].holders[0] = work_queue->units[k].holders[1] = WORK_QUEUE_NONE;
    }
    return work_queue->units != NULL;
}

void work_queue_close(WorkQueue *work_queue) {
    mem_free(work_queue->units);
    *work_queue = (WorkQueue){0};
}

static void assign(WorkQueue *work_queue, size_t unit, uint32_t rank) {
    WorkUnit *u = &work_queue->units[unit];
    ASSERT(unit < work_queue->n_units && !u->done, "unit %zu of %zu is done", unit, work_queue->n_units);
    ASSERT(u->holders[0] != rank && u->holders[1] != rank &&
               (u->holders[0] == WORK_QUEUE_NONE || u->holders[1] == WORK_QUEUE_NONE),
           "unit %zu for rank %u: ranks %u and %u have it", unit, rank, u->holders[0], u->holders[1]);
    u->holders[u->holders[0] == WORK_QUEUE_NONE ? 0 : 1] = rank;
    u->since = u->out ? u->since : work_queue->clock++;
    u->out = true;
}

static bool is_held(const WorkUnit *u) {
    return u->holders[0] != WORK_QUEUE_NONE || u->holders[1] != WORK_QUEUE_NONE;
}

/* Takes a unit that was given back; these come before new ones. */
static bool take_given(WorkQueue *work_queue, uint32_t rank, size_t *unit) {
    for (size_t k = 0; k < work_queue->next && work_queue->given > 0; k++) {
        if (!work_queue->units[k].done && !is_held(&work_queue->units[k])) {
            work_queue->given--;
            assign(work_queue, *unit = k, rank);
            return true;
        }
    }
    ASSERT(work_queue->given == 0, "%zu units given back are nowhere", work_queue->given);
    return false;
}

/* Takes, as its second holder, the oldest unit that exactly one other rank is working on. */
static bool take_second(WorkQueue *work_queue, uint32_t rank, size_t *unit) {
    size_t oldest = work_queue->n_units;
    for (size_t k = 0; k < work_queue->n_units; k++) {
        const WorkUnit *u = &work_queue->units[k];
        bool alone = (u->holders[0] == WORK_QUEUE_NONE) != (u->holders[1] == WORK_QUEUE_NONE);
        if (!u->done && alone && u->holders[0] != rank && u->holders[1] != rank &&
            (oldest == work_queue->n_units || u->since < work_queue->units[oldest].since)) {
            oldest = k;
        }
    }
    if (oldest < work_queue->n_units) {
        assign(work_queue, *unit = oldest, rank);
    }
    return oldest < work_queue->n_units;
}

bool work_queue_take(WorkQueue *work_queue, uint32_t rank, size_t *unit) {
    if (take_given(work_queue, rank, unit)) {
        return true;
    }
    while (work_queue->next < work_queue->n_units &&
           work_queue->units[work_queue->next].done) { /* its result was known before */
        work_queue->next++;
    }
    if (work_queue->next < work_queue->n_units) {
        assign(work_queue, *unit = work_queue->next++, rank);
        return true;
    }
    return work_queue->twice && take_second(work_queue, rank, unit);
}

size_t work_queue_batch(const WorkQueue *work_queue, uint32_t threads) {
    size_t left = work_queue->n_units - work_queue->next + work_queue->given, max = 2 * (size_t)threads;
    size_t share = work_queue->threads > 0 ? left * threads / (2 * (size_t)work_queue->threads) : left;
    return share < 1 ? 1 : share < max ? share : max;
}

bool work_queue_finish(WorkQueue *work_queue, size_t unit, uint32_t rank, uint32_t others[2]) {
    WorkUnit *u = &work_queue->units[unit];
    ASSERT(unit < work_queue->n_units, "unit %zu of %zu", unit, work_queue->n_units);
    others[0] = others[1] = WORK_QUEUE_NONE;
    if (u->done) {
        return false;
    }
    if (unit < work_queue->next &&
        !is_held(u)) { /* it had been given back, but the result arrived all the same */
        ASSERT(work_queue->given > 0, "unit %zu was given back and not counted", unit);
        work_queue->given--;
    }
    for (int k = 0; k < 2; k++) {
        others[k] = u->holders[k] != rank ? u->holders[k] : WORK_QUEUE_NONE;
        u->holders[k] = WORK_QUEUE_NONE;
    }
    u->done = true;
    work_queue->n_done++;
    ASSERT(work_queue->n_done + work_queue->given <= work_queue->n_units,
           "%zu done and %zu given back of %zu", work_queue->n_done, work_queue->given, work_queue->n_units);
    return true;
}

size_t work_queue_lose(WorkQueue *work_queue, uint32_t rank) {
    size_t back = 0;
    for (size_t k = 0; k < work_queue->next; k++) {
        WorkUnit *u = &work_queue->units[k];
        bool had = !u->done && (u->holders[0] == rank || u->holders[1] == rank);
        for (int h = 0; h < 2 && had; h++) {
            u->holders[h] = u->holders[h] == rank ? WORK_QUEUE_NONE : u->holders[h];
        }
        back += had && !is_held(u);
    }
    work_queue->given += back;
    return back;
}

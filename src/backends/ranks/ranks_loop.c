/* Units of a loop, assigned by rank 0; see ranks.h.
 *
 * A rank asks for units when fewer are queued than it has threads, and says how many threads are
 * idle: only those get units that another rank already has. Answers are batches, so that one
 * message carries several units and the next ones arrive before they are needed. */
#include "backends/ranks/ranks_internal.h"
#include "base/alloc.h"
#include "base/clock.h"

/* How long others may take to leave a loop that was stopped. */
static const uint64_t leave_ns = UINT64_C(700000000);

static void loop_message(const Ranks *r, Out *out, MessageType type) {
    ranks_begin_message(out, type);
    wire_u64(out, r->loop_number);
}

static bool is_stopped(const Ranks *r) {
    return r->over || stop_is_requested(&r->stopped) || stop_is_requested(r->loop.stop);
}

/* ---- rank 0: assigning units ---- */

/* Sends units to a rank that wants some, if there are any; under the lock. */
static void serve(Ranks *r, unsigned rank) {
    Peer *peer = &r->peers[rank];
    Out out;
    uint32_t count = 0;
    size_t max = work_queue_batch(&r->work_queue, peer->threads),
           fresh = r->work_queue.n_units - r->work_queue.next;
    max = fresh + r->work_queue.given > 0 ? max : peer->idle;
    out_init(&out);
    loop_message(r, &out, MESSAGE_UNITS);
    for (size_t unit; count < max && !is_stopped(r) && work_queue_take(&r->work_queue, rank, &unit);
         count++) {
        Out more;
        out_init(&more);
        if (r->loop.pack_unit != NULL) {
            r->loop.pack_unit(r->loop.user, unit, &more);
        }
        wire_u64(&out, unit);
        wire_block(&out, more.data, more.len);
        out.failed |= more.failed;
        out_free(&more);
    }
    peer->wants = count == 0;
    if (count > 0) {
        ranks_post(r, rank, &out);
    }
    out_free(&out);
}

static void serve_all(Ranks *r) {
    for (unsigned k = 1; k < r->size; k++) {
        if (r->peers[k].wants && !r->peers[k].lost) {
            serve(r, k);
        }
    }
}

static void say_over(Ranks *r, bool cut) {
    Out out;
    if (r->over) {
        return;
    }
    r->over = true;
    out_init(&out);
    loop_message(r, &out, MESSAGE_OVER);
    wire_u8(&out, cut);
    for (unsigned k = 1; k < r->size; k++) {
        if (!r->peers[k].lost) {
            ranks_post(r, k, &out);
        }
    }
    out_free(&out);
    pthread_cond_broadcast(&r->changed);
}

static void cancel(Ranks *r, size_t unit) {
    for (uint32_t k = 0; k < r->loop.threads; k++) {
        if (r->worker_slots[k].busy && r->worker_slots[k].unit == unit) {
            stop_request(&r->worker_slots[k].stop);
        }
    }
    for (size_t k = 0; k < r->n_queue; k++) { /* not begun yet: drop it */
        if (r->queue[k] == unit) {
            r->queue[k--] = r->queue[--r->n_queue];
        }
    }
}

/* Notes that a unit has its result, or needs none, and cancels it on the ranks that work on it;
 * under the lock. */
static bool finish(Ranks *r, size_t unit, uint32_t from) {
    uint32_t others[2];
    bool first = r->looping && work_queue_finish(&r->work_queue, unit, from, others);
    for (int k = 0; k < 2 && first; k++) {
        if (others[k] == 0) {
            cancel(r, unit);
        } else if (others[k] != WORK_QUEUE_NONE) {
            Out out;
            out_init(&out);
            loop_message(r, &out, MESSAGE_CANCEL);
            wire_u64(&out, unit);
            ranks_post(r, others[k], &out);
            out_free(&out);
        }
    }
    if (first && work_queue_done(&r->work_queue)) {
        say_over(r, false);
    }
    return first;
}

bool ranks_claim(Ranks *r, size_t unit, unsigned from) {
    pthread_mutex_lock(&r->lock);
    bool first = finish(r, unit, from);
    r->peers[from].units += first;
    pthread_mutex_unlock(&r->lock);
    return first;
}

void ranks_drop(Ranks *r, size_t unit) {
    pthread_mutex_lock(&r->lock);
    finish(r, unit, WORK_QUEUE_NONE);
    pthread_mutex_unlock(&r->lock);
}

void ranks_loop_lost(Ranks *r, unsigned rank) {
    if (r->rank == 0 && r->looping && work_queue_lose(&r->work_queue, rank) > 0) {
        serve_all(r);
    }
}

void ranks_loop_stop(Ranks *r) {
    for (uint32_t k = 0; r->looping && k < r->loop.threads; k++) {
        stop_request(&r->worker_slots[k].stop);
    }
}

/* ---- other ranks: asking for units ---- */

static void ask(Ranks *r) {
    if (r->rank == 0 || r->over || r->n_queue >= r->loop.threads ||
        (r->want_sent && r->idle <= r->idle_told)) {
        return;
    }
    Out out;
    out_init(&out);
    loop_message(r, &out, MESSAGE_WANT);
    wire_u32(&out, r->loop.threads);
    wire_u32(&out, r->idle);
    ranks_post(r, 0, &out);
    out_free(&out);
    r->want_sent = true;
    r->idle_told = r->idle;
}

static bool take_units(Ranks *r, Wire *wire) {
    bool good = true;
    while (good && wire->at < wire->end) {
        size_t length, unit = (size_t)wire_get_u64(wire);
        const void *bytes = wire_get_block(wire, &length);
        good = !wire->bad && unit < r->loop.units;
        if (good && r->loop.unpack_unit != NULL) { /* no thread of this rank works on it yet */
            Wire more = wire_of(bytes, length);
            good = r->loop.unpack_unit(r->loop.user, unit, &more);
        }
        pthread_mutex_lock(&r->lock);
        if (good && MEM_ROOM(r->queue, r->n_queue, r->queue_room, 64)) {
            r->queue[r->n_queue++] = unit;
        } else {
            good = false;
        }
        pthread_mutex_unlock(&r->lock);
    }
    pthread_mutex_lock(&r->lock);
    r->want_sent = false;
    r->idle_told = 0;
    ask(r);
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return good;
}

/* ---- incoming messages ---- */

static bool lead(Ranks *r, unsigned from, uint8_t type, Wire *wire) {
    bool good = true;
    if (type == MESSAGE_WANT) {
        uint32_t threads = wire_get_below(wire, 1 << 20), idle = wire_get_below(wire, 1 << 20);
        good = wire_ends(wire) && threads > 0;
        pthread_mutex_lock(&r->lock);
        if (good && r->looping) {
            r->peers[from].threads = threads;
            r->peers[from].idle = idle;
            serve(r, from);
        }
        pthread_mutex_unlock(&r->lock);
    } else if (type == MESSAGE_RESULT) {
        size_t unit = (size_t)wire_get_u64(wire);
        pthread_mutex_lock(&r->lock);
        bool wanted = r->looping && !wire->bad && unit < r->loop.units && !r->work_queue.units[unit].done;
        good = !wire->bad && unit < r->loop.units;
        pthread_mutex_unlock(&r->lock);
        good = good && (!wanted || r->loop.unpack(r->loop.user, unit, from, wire));
    } else if (type == MESSAGE_LEFT) {
        pthread_mutex_lock(&r->lock);
        r->peers[from].left = true;
        r->peers[from].wants = false;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
    } else {
        good = false;
    }
    return good;
}

static bool follow(Ranks *r, uint8_t type, Wire *wire) {
    bool good = true;
    if (type == MESSAGE_UNITS) {
        return take_units(r, wire);
    }
    pthread_mutex_lock(&r->lock);
    if (type == MESSAGE_CANCEL) {
        size_t unit = (size_t)wire_get_u64(wire);
        good = wire_ends(wire);
        cancel(r, unit);
    } else if (type == MESSAGE_OVER) {
        r->over = true;
        r->cut = wire_get_bool(wire);
        good = wire_ends(wire);
        r->n_queue = 0;
        ranks_loop_stop(r);
        pthread_cond_broadcast(&r->changed);
    } else {
        good = false;
    }
    pthread_mutex_unlock(&r->lock);
    return good;
}

/* Messages about a loop that is over are too late and ignored. A rank may enter the next loop before the
 * others: its requests wait, and that such a loop is already over is remembered. */
bool ranks_loop_message(Ranks *r, unsigned from, uint8_t type, Wire *wire) {
    uint64_t number = wire_get_u64(wire);
    pthread_mutex_lock(&r->lock);
    bool early = !wire->bad && number == r->loop_number + 1 && r->rank == 0 && type == MESSAGE_WANT;
    if (early) { /* answered when the loop begins */
        r->peers[from].threads = wire_get_below(wire, 1 << 20);
        r->peers[from].idle = wire_get_below(wire, 1 << 20);
        r->peers[from].wants = wire_ends(wire) && r->peers[from].threads > 0;
    }
    if (type == MESSAGE_OVER && number > r->loop_number) {
        r->over_ahead = number;
    }
    bool ours = number == r->loop_number && r->loop_number > 0;
    pthread_mutex_unlock(&r->lock);
    if (wire->bad || early || !ours) {
        return !wire->bad;
    }
    return r->rank == 0 ? lead(r, from, type, wire) : follow(r, type, wire);
}

/* ---- what workers see ---- */

static bool next_unit(Ranks *r, size_t *unit) {
    if (r->rank == 0) {
        return work_queue_take(&r->work_queue, 0, unit);
    }
    if (r->n_queue > 0) { /* in their order */
        *unit = r->queue[0];
        r->n_queue--;
        for (size_t k = 0; k < r->n_queue; k++) {
            r->queue[k] = r->queue[k + 1];
        }
        return true;
    }
    return false;
}

static bool take(void *user, Worker *worker, size_t *item) {
    Ranks *r = user;
    WorkerSlot *slot = &r->worker_slots[worker->index];
    bool got = false, waits = false;
    uint64_t start = 0;
    pthread_mutex_lock(&r->lock);
    slot->busy = false;
    while (!is_stopped(r) && !(got = next_unit(r, item))) {
        if (!waits) {
            waits = true;
            start = clock_now_ns();
            r->idle++;
        }
        ask(r);
        ranks_wait(r);
    }
    if (waits) {
        r->idle--;
        r->waited_ns += clock_now_ns() - start;
    }
    if (got) {
        *slot = (WorkerSlot){.unit = *item, .busy = true};
        ask(r);
    }
    pthread_mutex_unlock(&r->lock);
    return got;
}

static const Stop *stop_of(void *user, const Worker *worker) {
    return &((Ranks *)user)->worker_slots[worker->index].stop;
}

void ranks_result(Ranks *r, size_t unit, Out *out) {
    Out message;
    out_init(&message);
    pthread_mutex_lock(&r->lock);
    loop_message(r, &message, MESSAGE_RESULT);
    wire_u64(&message, unit);
    out_bytes(&message, out->data, out->len);
    message.failed |= out->failed;
    ranks_post(r, 0, &message);
    pthread_mutex_unlock(&r->lock);
    out_free(&message);
    out_clear(out);
}

const PoolSource *ranks_source(Ranks *r) {
    r->source = (PoolSource){r, take, stop_of};
    return &r->source;
}

bool ranks_loop_begin(Ranks *r, const RanksLoop *loop) {
    WorkQueue work_queue = {0};
    WorkerSlot *worker_slots = mem_zalloc(loop->threads, sizeof *worker_slots);
    bool good = worker_slots != NULL;
    if (r->rank == 0 && good) {
        good = work_queue_open(&work_queue, loop->units, loop->threads * r->size, loop->twice);
        for (size_t k = 0; good && loop->known != NULL && k < loop->units; k++) {
            uint32_t others[2];
            if (loop->known(loop->user, k)) {
                work_queue_finish(&work_queue, k, WORK_QUEUE_NONE, others);
            }
        }
    }
    if (!good) {
        mem_free(worker_slots);
        work_queue_close(&work_queue);
        return false;
    }
    pthread_mutex_lock(&r->lock);
    r->loop = *loop;
    r->worker_slots = worker_slots;
    r->work_queue = work_queue;
    r->loop_number++;
    r->looping = true;
    r->over = r->over_ahead >= r->loop_number;
    r->cut = r->want_sent = false;
    r->idle = r->idle_told = 0;
    r->n_queue = 0;
    for (unsigned k = 0; k < r->size; k++) {
        r->peers[k].left = false;
    }
    if (r->rank == 0 && work_queue_done(&r->work_queue)) {
        say_over(r, false);
    } else if (r->rank == 0) {
        serve_all(r);
    }
    pthread_mutex_unlock(&r->lock);
    return true;
}

static bool all_left(const Ranks *r) {
    for (unsigned k = 1; k < r->size; k++) {
        if (!r->peers[k].left && !r->peers[k].lost) {
            return false;
        }
    }
    return true;
}

void ranks_loop_end(Ranks *r) {
    pthread_mutex_lock(&r->lock);
    if (r->rank == 0) {
        bool whole = work_queue_done(&r->work_queue);
        uint64_t until = clock_now_ns() + leave_ns, start = clock_now_ns();
        say_over(r, !whole);
        while (!all_left(r) && (whole || clock_now_ns() < until)) {
            ranks_wait(r);
        }
        r->waited_ns += clock_now_ns() - start;
    } else {
        Out out;
        out_init(&out);
        loop_message(r, &out, MESSAGE_LEFT);
        ranks_post(r, 0, &out);
        out_free(&out);
    }
    r->looping = false;
    WorkQueue work_queue = r->work_queue;
    WorkerSlot *worker_slots = r->worker_slots;
    r->work_queue = (WorkQueue){0};
    r->worker_slots = NULL;
    mem_free(r->queue);
    r->queue = NULL;
    r->n_queue = r->queue_room = 0;
    pthread_mutex_unlock(&r->lock);
    work_queue_close(&work_queue);
    mem_free(worker_slots);
}

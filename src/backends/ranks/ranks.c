/* Messages between ranks; see ranks.h. */
#include "backends/ranks/ranks_internal.h"
#include "base/alloc.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const uint64_t beat_ns = UINT64_C(1000000000);
static const uint64_t patience_default_ns = UINT64_C(15000000000);
/* How long to wait for others' last messages after everybody was asked to stop: launchers kill soon. */
static const uint64_t farewell_ns = UINT64_C(500000000);
enum { SLEEP_MIN_US = 20, SLEEP_MAX_US = 500 };

void ranks_wait(Ranks *r) {
    struct timespec soon;
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_nsec += 50000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&r->changed, &r->lock, &soon);
}

/* ---- letters ---- */

static Letter *letter_of(unsigned who, const void *bytes, size_t length) {
    Letter *letter = mem_alloc(sizeof *letter + length);
    if (letter != NULL) {
        *letter = (Letter){.who = who, .length = length};
        memcpy(letter->bytes, bytes, length);
    }
    return letter;
}

static void list_init(LetterList *list) {
    *list = (LetterList){.end = &list->first};
}

static void list_add(LetterList *list, Letter *letter) {
    *list->end = letter;
    list->end = &letter->next;
}

static Letter *list_take(LetterList *list, Letter **at) {
    Letter *letter = *at;
    *at = letter->next;
    if (*at == NULL) {
        list->end = at;
    }
    letter->next = NULL;
    return letter;
}

static void list_free(LetterList *list) {
    while (list->first != NULL) {
        mem_free(list_take(list, &list->first));
    }
}

void ranks_begin_message(Out *out, MessageType type) {
    out_clear(out);
    wire_u8(out, (uint8_t)type);
}

/* If a message is too long or there is no memory for it, others would wait in vain: then everybody stops. */
void ranks_post(Ranks *r, unsigned to, const Out *message) {
    Letter *letter = message->failed || message->len > RANKS_MESSAGE_MAX
                         ? NULL
                         : letter_of(to, message->data, message->len);
    if (letter == NULL) {
        fprintf(stderr, "batt: a message of %zu bytes to rank %u is too long, or memory ran out; exiting\n",
                message->len, to);
        stop_request(&r->stopped);
        return;
    }
    list_add(&r->outbox, letter);
}

static void post_all(Ranks *r, const Out *message) {
    for (unsigned k = 0; k < r->size; k++) {
        if (k != r->rank && !r->peers[k].lost) {
            ranks_post(r, k, message);
        }
    }
}

/* ---- the communication thread ---- */

static void ranks_lose(Ranks *r, unsigned rank) {
    if (r->peers[rank].lost) {
        return;
    }
    r->peers[rank].lost = true;
    fprintf(stderr, "batt: rank %u is gone%s\n", rank,
            r->rank == 0 ? "; the others take over its work" : "; without rank 0 the job ends");
    if (r->rank != 0) {
        stop_request(&r->stopped);
    }
    ranks_loop_lost(r, rank);
    pthread_cond_broadcast(&r->changed);
}

void ranks_distrust(Ranks *r, unsigned rank) {
    fprintf(stderr, "batt: rank %u sent something that is not a message\n", rank);
    pthread_mutex_lock(&r->lock);
    ranks_lose(r, rank);
    pthread_mutex_unlock(&r->lock);
}

static void take_data(Ranks *r, unsigned from, Wire *wire) {
    uint8_t tag = wire_get_u8(wire);
    Letter *letter =
        !wire->bad && tag < RANKS_TAGS ? letter_of(from, wire->at, (size_t)(wire->end - wire->at)) : NULL;
    pthread_mutex_lock(&r->lock);
    if (letter != NULL) {
        letter->tag = (RanksTag)tag;
        list_add(&r->inbox, letter);
        pthread_cond_broadcast(&r->changed);
    } else {
        ranks_lose(r, from);
    }
    pthread_mutex_unlock(&r->lock);
}

static void stop_all(Ranks *r) { /* under the lock */
    Out out;
    if (r->stop_told) {
        return;
    }
    r->stop_told = true;
    stop_request(&r->stopped);
    out_init(&out);
    ranks_begin_message(&out, MESSAGE_STOP);
    if (r->rank == 0) {
        post_all(r, &out);
    } else if (!r->peers[0].lost) {
        ranks_post(r, 0, &out);
    }
    out_free(&out);
    ranks_loop_stop(r);
    pthread_cond_broadcast(&r->changed);
}

/* Messages go only between rank 0 and the others; anything else is ignored. */
void ranks_take_message(Ranks *r, unsigned from, const void *bytes, size_t length) {
    Wire wire = wire_of(bytes, length);
    uint8_t type = wire_get_u8(&wire);
    if (from >= r->size || (r->rank != 0 && from != 0)) {
        return;
    }
    pthread_mutex_lock(&r->lock);
    bool lost = r->peers[from].lost;
    r->peers[from].heard_ns = clock_now_ns();
    pthread_mutex_unlock(&r->lock);
    if (lost) {
        return;
    }
    bool good = !wire.bad && type < MESSAGE_TYPES;
    if (good && type == MESSAGE_DATA) {
        take_data(r, from, &wire);
    } else if (good && type == MESSAGE_STOP) {
        stop_request(&r->stopped);
    } else if (good && type == MESSAGE_BYE) {
        pthread_mutex_lock(&r->lock);
        r->bye = true;
        r->bye_orderly = wire_get_bool(&wire);
        good = wire_ends(&wire);
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
    } else if (good && type != MESSAGE_ALIVE) {
        good = ranks_loop_message(r, from, type, &wire);
    }
    if (!good) {
        ranks_distrust(r, from);
    }
}

static bool send_all(Ranks *r) {
    bool any = false;
    pthread_mutex_lock(&r->lock);
    while (r->outbox.first != NULL) {
        Letter *letter = list_take(&r->outbox, &r->outbox.first);
        bool lost = r->peers[letter->who].lost;
        r->peers[letter->who].told_ns = clock_now_ns();
        r->messages++;
        r->bytes += letter->length;
        pthread_mutex_unlock(&r->lock);
        bool sent = lost || r->transport->send(r->link, letter->who, letter->bytes, letter->length);
        pthread_mutex_lock(&r->lock);
        if (!sent) {
            ranks_lose(r, letter->who);
        }
        mem_free(letter);
        any = true;
    }
    pthread_mutex_unlock(&r->lock);
    return any;
}

/* Sends heartbeats, and checks those of the others. */
static void beat(Ranks *r) {
    Out out;
    uint64_t now = clock_now_ns();
    out_init(&out);
    ranks_begin_message(&out, MESSAGE_ALIVE);
    pthread_mutex_lock(&r->lock);
    if (stop_is_requested(r->asked) || stop_is_requested(&r->stopped)) {
        stop_all(r);
    }
    for (unsigned k = 0; k < r->size; k++) {
        Peer *peer = &r->peers[k];
        if (k == r->rank || peer->lost || (r->rank != 0 && k != 0)) {
            continue;
        }
        if (now - peer->told_ns > beat_ns) {
            peer->told_ns = now;
            ranks_post(r, k, &out);
        }
        if (now > peer->heard_ns && now - peer->heard_ns > r->patience_ns) {
            ranks_lose(r, k);
        }
    }
    pthread_mutex_unlock(&r->lock);
    out_free(&out);
}

static bool receive_all(Ranks *r) {
    unsigned from;
    const void *bytes;
    size_t length;
    bool any = false;
    for (int got; (got = r->transport->receive(r->link, &from, &bytes, &length)) != 0;) {
        if (got < 0) {
            pthread_mutex_lock(&r->lock);
            if (!r->stop_told) {
                fprintf(stderr, "batt: rank %u no longer receives messages through %s; exiting\n", r->rank,
                        r->transport->name);
            }
            stop_all(r);
            pthread_mutex_unlock(&r->lock);
            return false;
        }
        ranks_take_message(r, from, bytes, length);
        any = true;
    }
    return any;
}

static bool start(Ranks *r, uint32_t expected) {
    r->link = r->transport->open(&r->rank, &r->size, r->why);
    if (r->link == NULL) {
        return false;
    }
    if (r->size == 0 || r->rank >= r->size || (expected > 1 && r->size != expected)) {
        snprintf(r->why, sizeof r->why,
                 "the launcher started %u ranks, %s sees %u: they are not of the same MPI", expected,
                 r->transport->name, r->size);
        return false;
    }
    r->peers = mem_zalloc(r->size, sizeof *r->peers);
    for (unsigned k = 0; r->peers != NULL && k < r->size; k++) {
        r->peers[k].heard_ns = r->peers[k].told_ns = clock_now_ns();
    }
    if (r->peers == NULL) {
        snprintf(r->why, sizeof r->why, MEM_NONE);
    }
    return r->peers != NULL;
}

typedef struct Start {
    Ranks *ranks;
    uint32_t expected;
} Start;

static void *comm_thread_main(void *argument) {
    Start *given = argument;
    Ranks *r = given->ranks;
    bool good = start(r, given->expected);
    pthread_mutex_lock(&r->lock);
    r->state = good ? COMM_RUNNING : COMM_FAILED;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    unsigned sleep_us = SLEEP_MIN_US;
    for (bool over = !good; !over;) {
        bool any = receive_all(r);
        any |= send_all(r);
        beat(r);
        pthread_mutex_lock(&r->lock);
        over = r->closing && r->outbox.first == NULL;
        pthread_mutex_unlock(&r->lock);
        sleep_us = any ? SLEEP_MIN_US : sleep_us < SLEEP_MAX_US ? 2 * sleep_us : sleep_us;
        if (!over) {
            usleep(sleep_us);
        }
    }
    if (r->link != NULL) {
        uint64_t until = clock_now_ns() + farewell_ns;
        while (good && !r->transport->sent(r->link) && clock_now_ns() < until) {
            usleep(SLEEP_MIN_US);
        }
        r->transport->close(r->link, good && r->orderly);
    }
    return NULL;
}

/* ---- opening and closing ---- */

/* In seconds. A live rank sends one heartbeat per beat, so silence means nothing before two beats
 * have passed. */
static bool read_patience(uint64_t *ns, char why[RANKS_WHY_BYTES]) {
    const char *text = getenv("BATT_RANKS_PATIENCE");
    const double min = 2, max = 86400;
    char *end = NULL;
    double seconds = text != NULL ? strtod(text, &end) : 0;
    if (text != NULL && (end == text || *end != '\0' || !(seconds >= min && seconds <= max))) {
        snprintf(why, RANKS_WHY_BYTES,
                 "BATT_RANKS_PATIENCE is '%.40s', not a number of seconds from %g to %g", text, min, max);
        return false;
    }
    *ns = text != NULL ? (uint64_t)(seconds * 1e9) : patience_default_ns;
    return true;
}

Ranks *ranks_open(const RanksTransport *transport, uint32_t expected, const Stop *asked,
                  char why[RANKS_WHY_BYTES]) {
    uint64_t patience_ns;
    if (!read_patience(&patience_ns, why)) {
        return NULL;
    }
    Ranks *r = mem_zalloc(1, sizeof *r);
    if (r == NULL) {
        snprintf(why, RANKS_WHY_BYTES, MEM_NONE);
        return NULL;
    }
    Start given = {r, expected};
    r->transport = transport;
    r->asked = asked;
    r->patience_ns = patience_ns;
    r->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&r->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    list_init(&r->outbox);
    list_init(&r->inbox);
    if (pthread_create(&r->comm_thread, NULL, comm_thread_main, &given) != 0) {
        snprintf(why, RANKS_WHY_BYTES, "cannot start a thread");
        mem_free(r);
        return NULL;
    }
    pthread_mutex_lock(&r->lock);
    while (r->state == COMM_STARTING) {
        pthread_cond_wait(&r->changed, &r->lock);
    }
    bool good = r->state == COMM_RUNNING;
    pthread_mutex_unlock(&r->lock);
    if (!good) {
        memcpy(why, r->why, RANKS_WHY_BYTES);
        ranks_close(r, false);
        return NULL;
    }
    return r;
}

/* Whether all ranks close together, each waiting for all others. Rank 0 decides, as only it knows which are
 * lost. */
static bool close_together(Ranks *r, bool orderly) {
    orderly = orderly && ranks_lost(r) == 0 && !stop_is_requested(&r->stopped);
    if (r->rank == 0) {
        Out out;
        out_init(&out);
        ranks_begin_message(&out, MESSAGE_BYE);
        wire_u8(&out, orderly);
        post_all(r, &out);
        out_free(&out);
        return orderly;
    }
    while (orderly && !r->bye && !r->peers[0].lost && !stop_is_requested(&r->stopped)) {
        ranks_wait(r);
    }
    return orderly && r->bye_orderly;
}

void ranks_close(Ranks *r, bool orderly) {
    if (r == NULL) {
        return;
    }
    pthread_mutex_lock(&r->lock);
    if (r->state == COMM_RUNNING) {
        r->orderly = close_together(r, orderly);
    }
    r->closing = true;
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->comm_thread, NULL);
    list_free(&r->outbox);
    list_free(&r->inbox);
    pthread_cond_destroy(&r->changed);
    mem_free(r->peers);
    mem_free(r);
}

unsigned ranks_rank(const Ranks *r) {
    return r != NULL ? r->rank : 0;
}

unsigned ranks_size(const Ranks *r) {
    return r != NULL ? r->size : 1;
}

const Stop *ranks_stop(const Ranks *r) {
    return &r->stopped;
}

bool ranks_is_lost(const Ranks *r, unsigned rank) {
    return r->peers[rank].lost;
}

unsigned ranks_lost(const Ranks *r) {
    unsigned lost = 0;
    for (unsigned k = 0; r->peers != NULL && k < r->size; k++) {
        lost += r->peers[k].lost;
    }
    return lost;
}

uint64_t ranks_units(const Ranks *r, unsigned rank) {
    return r->peers[rank].units;
}

uint64_t ranks_waited_ns(const Ranks *r) {
    return r->waited_ns;
}

void ranks_count(Ranks *r, uint64_t *messages, uint64_t *bytes) {
    pthread_mutex_lock(&r->lock);
    *messages = r->messages;
    *bytes = r->bytes;
    pthread_mutex_unlock(&r->lock);
}

/* ---- data ---- */

void ranks_put(Ranks *r, unsigned to, RanksTag tag, const Out *out) {
    Out message;
    out_init(&message);
    ranks_begin_message(&message, MESSAGE_DATA);
    wire_u8(&message, (uint8_t)tag);
    out_bytes(&message, out->data, out->len);
    message.failed |= out->failed;
    pthread_mutex_lock(&r->lock);
    ranks_post(r, to, &message);
    pthread_mutex_unlock(&r->lock);
    out_free(&message);
}

void ranks_put_all(Ranks *r, RanksTag tag, const Out *out) {
    for (unsigned k = 0; k < r->size; k++) {
        if (k != r->rank && !ranks_is_lost(r, k)) {
            ranks_put(r, k, tag, out);
        }
    }
}

static Letter **find(Ranks *r, unsigned from, RanksTag tag) {
    Letter **at = &r->inbox.first;
    while (*at != NULL && ((*at)->who != from || (*at)->tag != tag)) {
        at = &(*at)->next;
    }
    return at;
}

bool ranks_there(Ranks *r, unsigned from, RanksTag tag) {
    pthread_mutex_lock(&r->lock);
    bool there = *find(r, from, tag) != NULL;
    pthread_mutex_unlock(&r->lock);
    return there;
}

bool ranks_get(Ranks *r, unsigned from, RanksTag tag, Out *to) {
    uint64_t start_ns = clock_now_ns(), until = 0;
    out_clear(to);
    pthread_mutex_lock(&r->lock);
    Letter **at = find(r, from, tag);
    for (; *at == NULL && !r->peers[from].lost; at = find(r, from, tag)) {
        if (stop_is_requested(&r->stopped)) {
            until = until == 0 ? clock_now_ns() + farewell_ns : until;
            if (clock_now_ns() > until) {
                break;
            }
        }
        ranks_wait(r);
    }
    bool there = *at != NULL;
    if (there) {
        Letter *letter = list_take(&r->inbox, at);
        out_bytes(to, letter->bytes, letter->length);
        mem_free(letter);
    }
    r->waited_ns += clock_now_ns() - start_ns;
    pthread_mutex_unlock(&r->lock);
    return there && !to->failed;
}

/* The start of the first comma-separated field in which two texts differ. */
static size_t first_difference(const char *a, const char *b) {
    size_t at = 0;
    for (size_t k = 0; a[k] != '\0' && a[k] == b[k]; k++) {
        at = a[k] == ',' ? k + 1 : at;
    }
    return at + (a[at] == ' ' && b[at] == ' ');
}

static int field_length(const char *text) {
    enum { SHOWN = 80 };
    size_t length = strcspn(text, ",");
    return length < SHOWN ? (int)length : SHOWN;
}

bool ranks_agree(Ranks *r, const char *fingerprint, Out *payload, char why[RANKS_WHY_BYTES]) {
    Out got;
    bool good = true;
    out_init(&got);
    if (r->rank != 0) {
        out_str(&got, fingerprint);
        ranks_put(r, 0, RANKS_HELLO, &got);
        good = ranks_get(r, 0, RANKS_START, payload);
        snprintf(why, RANKS_WHY_BYTES, "rank 0 is gone or refused");
    }
    for (unsigned k = 1; r->rank == 0 && k < r->size && good; k++) {
        good = ranks_get(r, k, RANKS_HELLO, &got);
        if (!good) {
            snprintf(why, RANKS_WHY_BYTES, "rank %u does not answer", k);
        } else if (strcmp(got.data, fingerprint) != 0) {
            size_t at = first_difference(fingerprint, got.data);
            const char *here = fingerprint + at, *there = got.data + at;
            snprintf(why, RANKS_WHY_BYTES,
                     "rank %u has other tasks, options or another batt than rank 0: give all the same (%.*s "
                     "here, %.*s there)",
                     k, field_length(here), here, field_length(there), there);
            good = false;
        }
    }
    if (r->rank == 0 && good) {
        ranks_put_all(r, RANKS_START, payload);
    }
    out_free(&got);
    return good;
}

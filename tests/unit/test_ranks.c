/* Ranks without a launcher: the work queue, the bytes of messages, and whole loops between threads
 * that play the ranks, some of which fall silent. */
#include "backends/ranks/ranks.h"
#include "backends/ranks/work_queue.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/rng.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- bytes ---- */

static void test_wire(void **state) {
    (void)state;
    Out out;
    size_t length;
    out_init(&out);
    wire_u8(&out, 200);
    wire_u32(&out, 0xfedcba98u);
    wire_u64(&out, UINT64_C(0x0123456789abcdef));
    wire_double(&out, -0.75);
    wire_text(&out, "text");
    assert_int_equal((uint8_t)out.data[1], 0x98); /* the same order of bytes on any machine */
    Wire wire = wire_of(out.data, out.len);
    assert_int_equal(wire_get_u8(&wire), 200);
    assert_int_equal(wire_get_u32(&wire), 0xfedcba98u);
    assert_true(wire_get_u64(&wire) == UINT64_C(0x0123456789abcdef));
    assert_true(wire_get_double(&wire) == -0.75);
    assert_memory_equal(wire_get_block(&wire, &length), "text", 4);
    assert_int_equal(length, 4);
    assert_true(wire_ends(&wire));
    for (size_t n = 0; n < out.len; n++) { /* cut anywhere: bad, and zero from there on */
        Wire cut = wire_of(out.data, n);
        wire_get_u8(&cut);
        wire_get_u32(&cut);
        wire_get_u64(&cut);
        wire_get_double(&cut);
        wire_get_block(&cut, &length);
        assert_false(wire_ends(&cut));
        assert_int_equal(wire_get_u32(&cut), 0);
    }
    Wire too_large = wire_of("\x05\0\0\0", 4);
    assert_int_equal(wire_get_below(&too_large, 4), 0);
    assert_true(too_large.bad);
    Wire count = wire_of("\xff\xff\xff\xff", 4);
    assert_int_equal(wire_get_count(&count, 8), 0);
    assert_true(count.bad);
    out_free(&out);
}

/* ---- the work queue ---- */

/* Ranks take, finish and die at random: every unit is finished once, by somebody. */
static void test_work_queue(void **state) {
    (void)state;
    enum { UNITS = 40, RANKS = 5 };
    for (uint64_t seed = 0; seed < 200; seed++) {
        Rng rng = rng_stream(seed, 1, 2);
        WorkQueue work_queue;
        bool held[RANKS][UNITS] = {{false}}, dead[RANKS] = {false}, done[UNITS] = {false};
        size_t finished = 0, unit;
        uint32_t others[2];
        assert_true(work_queue_open(&work_queue, UNITS, RANKS, seed % 2 == 0));
        for (size_t k = 0; k < 5; k++) { /* known before */
            assert_true(work_queue_finish(&work_queue, 7 * k, WORK_QUEUE_NONE, others));
            done[7 * k] = true;
            finished++;
        }
        while (!work_queue_done(&work_queue)) {
            uint32_t rank = rng_below(&rng, RANKS);
            if (rank > 0 && rng_below(&rng, 60) == 0 && !dead[rank]) {
                dead[rank] = true;
                work_queue_lose(&work_queue, rank);
            } else if (!dead[rank] && rng_below(&rng, 2) == 0) {
                if (work_queue_take(&work_queue, rank, &unit)) {
                    assert_false(done[unit] || held[rank][unit]);
                    held[rank][unit] = true;
                }
            } else if (!dead[rank]) {
                for (unit = 0; unit < UNITS && !held[rank][unit]; unit++) {
                }
                if (unit < UNITS) {
                    bool wanted = rng_below(&rng, 8) > 0; /* or dropped, whoever holds it */
                    held[rank][unit] &= !wanted;
                    bool first =
                        work_queue_finish(&work_queue, unit, wanted ? rank : WORK_QUEUE_NONE, others);
                    assert_true(first != done[unit]);
                    for (int k = 0; k < 2; k++) {
                        uint32_t other = others[k];
                        assert_true(other == WORK_QUEUE_NONE || (first && held[other][unit]));
                        assert_true(other == WORK_QUEUE_NONE || !wanted || other != rank);
                    }
                    held[rank][unit] = false;
                    done[unit] = true;
                    finished += first;
                }
            }
        }
        assert_int_equal(finished, UNITS);
        assert_int_equal(work_queue.n_done, UNITS);
        assert_false(work_queue_take(&work_queue, 0, &unit));
        work_queue_close(&work_queue);
    }
}

static void test_batches(void **state) {
    (void)state;
    WorkQueue work_queue;
    assert_true(work_queue_open(&work_queue, 1000, 16, true));
    assert_int_equal(work_queue_batch(&work_queue, 4), 8); /* two for each thread */
    work_queue.next = 990;
    assert_int_equal(work_queue_batch(&work_queue, 4), 1); /* few are left: one at a time */
    work_queue_close(&work_queue);
}

/* ---- loops ---- */

enum { MAX_RANKS = 4, MAIL = 4096 };

typedef struct Mail {
    struct {
        unsigned from;
        char *bytes;
        size_t length;
    } letters[MAIL];
    size_t first, end;
    bool deaf; /* as if its machine were gone */
    char *last;
} Mail;

static struct Net { /* what a plugin would reach; a transport has no other way to find it */
    pthread_mutex_t lock;
    unsigned size, opened;
    Mail mail[MAX_RANKS];
} net = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *net_open(unsigned *rank, unsigned *size, char why[RANKS_WHY_BYTES]) {
    why[0] = '\0';
    pthread_mutex_lock(&net.lock);
    *rank = net.opened++;
    *size = net.size;
    Mail *mine = &net.mail[*rank];
    pthread_mutex_unlock(&net.lock);
    return mine;
}

static bool net_send(void *self, unsigned to, const void *bytes, size_t length) {
    Mail *from = self, *box = &net.mail[to];
    pthread_mutex_lock(&net.lock);
    bool lost = from->deaf || box->deaf;
    if (!lost) {
        char *copy = malloc(length + 1);
        memcpy(copy, bytes, length);
        box->letters[box->end % MAIL].from = (unsigned)(from - net.mail);
        box->letters[box->end % MAIL].bytes = copy;
        box->letters[box->end++ % MAIL].length = length;
    }
    pthread_mutex_unlock(&net.lock);
    return true;
}

static int net_receive(void *self, unsigned *from, const void **bytes, size_t *length) {
    Mail *box = self;
    pthread_mutex_lock(&net.lock);
    int got = box->first < box->end && !box->deaf;
    free(box->last);
    box->last = NULL;
    if (got) {
        *from = box->letters[box->first % MAIL].from;
        *bytes = box->last = box->letters[box->first % MAIL].bytes;
        *length = box->letters[box->first++ % MAIL].length;
    }
    pthread_mutex_unlock(&net.lock);
    return got;
}

static bool net_sent(void *self) {
    (void)self;
    return true;
}

static void net_close(void *self, bool orderly) {
    Mail *box = self;
    (void)orderly;
    pthread_mutex_lock(&net.lock);
    for (; box->first < box->end; box->first++) {
        free(box->letters[box->first % MAIL].bytes);
    }
    free(box->last);
    box->last = NULL;
    pthread_mutex_unlock(&net.lock);
}

static const RanksTransport net_transport = {
    RANKS_TRANSPORT_VERSION, "threads", net_open, net_send, net_receive, net_sent, net_close};

enum { UNITS = 60 };

typedef struct Player {
    Ranks *ranks;
    uint64_t results[UNITS];
    unsigned made;  /* results that rank 0 took */
    unsigned falls; /* after so many units it is silent; 0: never */
    _Atomic unsigned worked;
    pthread_mutex_t lock;
} Player;

static bool unpack_number(void *user, size_t unit, unsigned from, Wire *wire) {
    Player *p = user;
    uint64_t n = wire_get_u64(wire);
    if (!wire_ends(wire)) {
        return false;
    }
    if (ranks_claim(p->ranks, unit, from)) {
        pthread_mutex_lock(&p->lock);
        p->results[unit] = n;
        p->made++;
        pthread_mutex_unlock(&p->lock);
    }
    return true;
}

static void work(Worker *worker, size_t item) {
    Player *p = worker->shared;
    usleep(300);
    if (p->falls > 0 && ++p->worked == p->falls) {
        pthread_mutex_lock(&net.lock);
        net.mail[ranks_rank(p->ranks)].deaf = true;
        pthread_mutex_unlock(&net.lock);
    }
    if (ranks_is_root(p->ranks)) {
        if (ranks_claim(p->ranks, item, 0)) {
            pthread_mutex_lock(&p->lock);
            p->results[item] = item * item;
            p->made++;
            pthread_mutex_unlock(&p->lock);
        }
    } else {
        Out out;
        out_init(&out);
        wire_u64(&out, item * item);
        ranks_result(p->ranks, item, &out);
        out_free(&out);
    }
}

static void *play(void *argument) {
    Player *p = argument;
    Pool pool;
    Budget budget = BUDGET_DEFAULT;
    char why[RANKS_WHY_BYTES];
    RanksLoop loop = {.units = UNITS, .threads = 2, .twice = true, .user = p, .unpack = unpack_number};
    Out payload;
    out_init(&payload);
    if (!pool_open(&pool, 2, &budget) || !ranks_agree(p->ranks, "words", &payload, why)) {
        abort();
    }
    for (int round = 0; round < 3 && !stop_is_requested(ranks_stop(p->ranks)); round++) {
        if (!ranks_loop_begin(p->ranks, &loop)) {
            abort();
        }
        pool.source = ranks_source(p->ranks);
        pool_run(&pool, UNITS, work, p, ranks_stop(p->ranks));
        ranks_loop_end(p->ranks);
    }
    pool_close(&pool);
    out_free(&payload);
    return NULL;
}

static void play_all(unsigned size, unsigned falls) {
    Player players[MAX_RANKS] = {0};
    pthread_t threads[MAX_RANKS];
    char why[RANKS_WHY_BYTES];
    net.size = size;
    net.opened = 0;
    memset(net.mail, 0, sizeof net.mail);
    for (unsigned k = 0; k < size; k++) {
        Ranks *ranks = ranks_open(&net_transport, size, NULL, why);
        assert_non_null(ranks);
        players[ranks_rank(ranks)].ranks = ranks;
        players[k].lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        players[k].falls = k == 1 ? falls : 0;
    }
    for (unsigned k = 0; k < size; k++) {
        assert_int_equal(pthread_create(&threads[k], NULL, play, &players[k]), 0);
    }
    for (unsigned k = 0; k < size; k++) {
        pthread_join(threads[k], NULL);
    }
    assert_int_equal(players[0].made, 3 * UNITS);
    for (size_t k = 0; k < UNITS; k++) {
        assert_true(players[0].results[k] == k * k);
    }
    assert_int_equal(ranks_lost(players[0].ranks), falls > 0);
    uint64_t units = 0;
    for (unsigned k = 0; k < size; k++) {
        units += ranks_units(players[0].ranks, k);
    }
    assert_int_equal(units, 3 * UNITS);
    for (unsigned k = 0; k < size; k++) {
        ranks_close(players[k].ranks, true);
    }
}

static void test_loops(void **state) {
    (void)state;
    play_all(2, 0);
    play_all(4, 0);
}

static void test_silence(void **state) {
    (void)state;
    setenv("BATT_RANKS_PATIENCE", getenv("BATT_TEST_QUICK") == NULL ? "2" : "8", 1); /* valgrind is slow */
    play_all(3, 5);
    unsetenv("BATT_RANKS_PATIENCE");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wire), cmocka_unit_test(test_work_queue),
                                       cmocka_unit_test(test_batches), cmocka_unit_test(test_loops),
                                       cmocka_unit_test(test_silence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

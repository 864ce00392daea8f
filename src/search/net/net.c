/* Training of one net; see net.h. */
#include "search/net/net.h"

#define XXH_INLINE_ALL
#include "base/alloc.h"
#include "base/clock.h"
#include "search/net/loss.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

static size_t cells_of(const NetShape *shape) {
    return (size_t)shape->rows * shape->columns;
}

uint64_t net_bytes(const NetMemory *mem, unsigned threads) {
    const NetShape *shape = &mem->shape;
    return net_engine()->bytes(mem, threads) + 64 + net_answers_bytes(shape) +
           net_means_numbers(shape) * sizeof(double) + net_loss_scratch(shape) * sizeof(double) +
           cells_of(shape) + threads * sizeof(NetMeter);
}

double net_step_work(const NetShape *shape) {
    double n = shape->n, c = shape->colors, x = shape->rows, y = shape->columns;
    return 3 * (45000 * n * c * x * y + 42000 * n * x * y + (x + y) * (47000 * n * c + 45000 * n)) + 3e6;
}

uint64_t net_seed_now(const Net *net) {
    return net->seed + net->restarts * 0x9E3779B97F4A7C15u;
}

static void start(Net *net) {
    net->step = 0;
    net->loss = (NetLoss){0, 0};
    memset(net->means.logits, 0, net_means_numbers(&net->mem.shape) * sizeof *net->means.logits);
    net->engine->begin(net->run, net_seed_now(net));
}

void net_begin(Net *net, uint64_t seed) {
    net->seed = seed;
    net->restarts = 0;
    net->failed = NULL;
    net->answers.count = net->answers.distinct = 0;
    net->answers.slots[0] = net->answers.slots[1] = 0;
    start(net);
}

const char *const net_too_large = "it is too large for the memory that a net may use";

/* Larger nets are refused early: offsets would overflow before the memory check. */
static bool too_large(const NetShape *shape, uint64_t max) {
    double cells = (double)shape->n * (shape->colors + 1.0) * (shape->rows + 1.0) * (shape->columns + 1.0);
    return cells * 8 * 100 * sizeof(float) > 64.0 * (double)max;
}

/* What a net has wherever its numbers are. */
static bool open_answers(Net *net) {
    const NetShape *shape = &net->mem.shape;
    net->scratch = mem_array(net_loss_scratch(shape), sizeof *net->scratch);
    net->cells = mem_alloc(cells_of(shape));
    return net->scratch != NULL && net->cells != NULL && net_answers_open(&net->answers, shape) &&
           net_means_open(&net->means, shape);
}

bool net_open_elsewhere(Net *net, const Task *task, const NetEngine *engine, const char **why) {
    *net = (Net){.engine = engine};
    if (!net_memory_open(&net->mem, task, why)) {
        return false;
    }
    if (too_large(&net->mem.shape, NET_MEMORY)) {
        *why = net_too_large;
        return false;
    }
    *why = MEM_NONE;
    return open_answers(net);
}

bool net_open(Net *net, const Task *task, const NetOptions *options, const char **why) {
    *net = (Net){.engine = net_engine()};
    const char *unused = NULL;
    why = why != NULL ? why : &unused;
    unsigned threads = options->threads > 1 ? options->threads : 1;
    uint64_t max = options->memory != 0 ? options->memory : NET_MEMORY;
    if (!net_memory_open(&net->mem, task, why)) {
        return false;
    }
    const NetShape *shape = &net->mem.shape;
    threads = threads < shape->n ? threads : shape->n; /* threads divide the examples */
    if (too_large(shape, max) || net_bytes(&net->mem, threads) > max) {
        *why = net_too_large;
        return false;
    }
    *why = MEM_NONE;
    if (!net_team_open(&net->team, threads)) {
        return false;
    }
    threads = net->team.threads;
    net->block = mem_zalloc(1, net->engine->bytes(&net->mem, threads) + 64);
    net->meters = options->measured ? mem_zalloc(threads, sizeof *net->meters) : NULL;
    if (net->block == NULL || (options->measured && net->meters == NULL) || !open_answers(net)) {
        return false;
    }
    net->run = net->engine->open(&net->mem, threads, (char *)net->block + (64 - (uintptr_t)net->block % 64));
    net_begin(net, options->seed);
    return true;
}

void net_close(Net *net) {
    net_team_close(&net->team);
    net_answers_close(&net->answers);
    net_means_close(&net->means);
    mem_free(net->block);
    mem_free(net->scratch);
    mem_free(net->cells);
    mem_free(net->meters);
    net_memory_close(&net->mem);
    *net = (Net){0};
}

static void restart(Net *net) {
    if (net->restarts == NET_RESTARTS) {
        net->failed = "its numbers overflow";
    } else {
        net->restarts++;
        start(net);
    }
}

bool net_take_loss(Net *net, NetLoss loss) {
    net->loss = loss;
    if (net->poison != 0 && net->step == net->poison) {
        net->poison = 0;
        net->loss.rec = NAN;
    }
    if (isfinite(net->loss.kl) && isfinite(net->loss.rec)) {
        return true;
    }
    restart(net);
    return false;
}

void net_take_answers(Net *net) {
    net->scores =
        net_answers_add(&net->answers, &net->means, &net->mem, net->engine->output(net->run), net->step);
}

bool net_step(Net *net) {
    if (net->failed != NULL) {
        return false;
    }
    net->engine->measure(net->run, net->meters);
    while (!net_take_loss(
        net, net->engine->forward(net->run, &net->team, net->step, net_seed_now(net), NET_NOISE_NORMAL))) {
        if (net->failed != NULL) {
            return false;
        }
    }
    net_take_answers(net);
    net->engine->backward(net->run, &net->team);
    net->engine->improve(net->run, &net->team);
    net->step++;
    return true;
}

double net_log_probability(Net *net, const Image *answers) {
    const NetShape *shape = &net->mem.shape;
    double sum = 0;
    for (uint32_t test = 0; test < shape->n_test; test++) {
        Image grid = answers[test];
        NetSize size = {(uint32_t)grid.h, (uint32_t)grid.w},
                known = shape->examples[shape->n_train + test].size[1];
        if (grid.h < 1 || grid.w < 1 || size.h > shape->rows || size.w > shape->columns ||
            (shape->known && (size.h != known.h || size.w != known.w))) {
            return -HUGE_VAL;
        }
        for (int32_t k = 0; k < grid.h * grid.w; k++) {
            uint8_t number = 0;
            while (number <= shape->colors && shape->palette[number] != grid.cells[k]) {
                number++;
            }
            if (number > shape->colors) {
                return -HUGE_VAL;
            }
            net->cells[k] = number;
        }
        size_t logits = (shape->colors + (size_t)1) * cells_of(shape);
        sum += net_log_likelihood(
            shape, net->means.logits + test * logits, net->means.rows + (size_t)test * shape->rows,
            net->means.columns + (size_t)test * shape->columns, net->cells, size, net->scratch);
    }
    return sum;
}

/* ---- saving and resuming ---- */

typedef struct Saved { /* the head of what is saved; a checksum of it all comes last */
    char magic[8];
    uint64_t task; /* hash of its shape and grids */
    uint64_t seed, step;
    uint32_t restarts, answers, distinct, slots[2];
    uint32_t real;
    uint64_t bytes; /* of it all */
    NetLoss loss;
} Saved;

static const char saved_magic[8] = "battnet2";
static const char unchecked_magic[8] = "battnet1"; /* the same without the checksum */
enum { CHECKSUM = sizeof(uint64_t) };

/* A hash of what a net learns from. The magic word covers byte order and everything that depends on
 * the engine. */
static uint64_t shape_hash(const NetShape *shape) {
    uint64_t hash = 1469598103934665603u;
    for (uint32_t e = 0; e < shape->n; e++) {
        for (size_t o = 0; o < 2; o++) {
            NetSize size = shape->examples[e].size[o];
            const uint8_t *grid = shape->examples[e].grid[o];
            hash = (hash ^ (size.h << 8 | size.w)) * 1099511628211u;
            for (size_t k = 0; grid != NULL && k < (size_t)size.h * size.w; k++) {
                hash = (hash ^ shape->palette[grid[k]]) * 1099511628211u;
            }
        }
    }
    return hash;
}

size_t net_saved_bytes(const Net *net) {
    return sizeof(Saved) + net->engine->state_bytes(&net->mem) +
           net_means_numbers(&net->mem.shape) * sizeof(double) +
           net->answers.count * (sizeof(NetAnswer) + net->answers.room) + CHECKSUM;
}

void net_save(const Net *net, void *to) {
    const NetAnswers *a = &net->answers;
    Saved head = {.task = shape_hash(&net->mem.shape),
                  .seed = net->seed,
                  .step = net->step,
                  .restarts = net->restarts,
                  .answers = a->count,
                  .distinct = a->distinct,
                  .slots = {a->slots[0], a->slots[1]},
                  .real = (uint32_t)net->engine->real,
                  .bytes = net_saved_bytes(net),
                  .loss = net->loss};
    memcpy(head.magic, saved_magic, sizeof head.magic);
    char *at = to;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    net->engine->save(net->run, at);
    at += net->engine->state_bytes(&net->mem);
    memcpy(at, net->means.logits, net_means_numbers(&net->mem.shape) * sizeof(double));
    at += net_means_numbers(&net->mem.shape) * sizeof(double);
    memcpy(at, a->answers, a->count * sizeof *a->answers);
    memcpy(at + a->count * sizeof *a->answers, a->cells, a->count * a->room);
    uint64_t sum = XXH3_64bits(to, head.bytes - CHECKSUM);
    memcpy((char *)to + head.bytes - CHECKSUM, &sum, CHECKSUM);
}

/* Whether the bytes are those that were saved; *sum: how many of them are the checksum. */
static bool is_whole(const void *from, size_t bytes, size_t *sum) {
    uint64_t saved;
    if (bytes < sizeof(Saved) + CHECKSUM) {
        return false;
    }
    *sum = memcmp(from, saved_magic, sizeof saved_magic) == 0 ? CHECKSUM : 0;
    memcpy(&saved, (const char *)from + bytes - CHECKSUM, CHECKSUM);
    return *sum > 0 ? XXH3_64bits(from, bytes - CHECKSUM) == saved
                    : memcmp(from, unchecked_magic, sizeof unchecked_magic) == 0;
}

bool net_saved_is_whole(const void *from, size_t bytes) {
    size_t sum;
    return is_whole(from, bytes, &sum);
}

/* Whether saved answers are grids of this task; bytes come from a file. */
static bool answers_fit(const NetAnswers *a, const int8_t *cells, uint32_t count) {
    const NetShape *shape = a->shape;
    size_t each = 2 + cells_of(shape);
    for (size_t k = 0; k < (size_t)count * shape->n_test; k++, cells += each) {
        uint8_t h = (uint8_t)cells[0], w = (uint8_t)cells[1];
        if (h < 1 || w < 1 || h > shape->rows || w > shape->columns) {
            return false;
        }
        for (size_t i = 2; i < each; i++) {
            if (cells[i] < 0 || cells[i] >= TASK_COLORS) {
                return false;
            }
        }
    }
    return true;
}

bool net_load(Net *net, const void *from, size_t bytes) {
    Saved head;
    NetAnswers *a = &net->answers;
    size_t sum;
    if (!is_whole(from, bytes, &sum)) {
        return false;
    }
    memcpy(&head, from, sizeof head);
    size_t fixed = sizeof head + net->engine->state_bytes(&net->mem) +
                   net_means_numbers(&net->mem.shape) * sizeof(double);
    if (head.real != net->engine->real || head.task != shape_hash(&net->mem.shape) || head.bytes != bytes ||
        head.answers > NET_ANSWERS_MAX ||
        bytes != fixed + head.answers * (sizeof(NetAnswer) + a->room) + sum || head.restarts > NET_RESTARTS ||
        (head.answers > 0 && (head.slots[0] >= head.answers || head.slots[1] >= head.answers))) {
        return false;
    }
    const char *at = (const char *)from + sizeof head;
    const char *cells = (const char *)from + fixed + head.answers * sizeof(NetAnswer);
    if (!answers_fit(a, (const int8_t *)cells, head.answers)) {
        return false;
    }
    net->engine->load(net->run, at);
    at += net->engine->state_bytes(&net->mem);
    memcpy(net->means.logits, at, net_means_numbers(&net->mem.shape) * sizeof(double));
    at += net_means_numbers(&net->mem.shape) * sizeof(double);
    memcpy(a->answers, at, head.answers * sizeof *a->answers);
    memcpy(a->cells, at + head.answers * sizeof *a->answers, head.answers * a->room);
    a->count = head.answers;
    a->distinct = head.distinct;
    a->slots[0] = head.slots[0];
    a->slots[1] = head.slots[1];
    net->seed = head.seed;
    net->step = head.step;
    net->restarts = head.restarts;
    net->loss = head.loss;
    net->failed = NULL;
    return true;
}

/* Splits tasks into shards; see shard.h. */
#define XXH_INLINE_ALL
#include "data/tasks/shard.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/fileio.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct ShardCost {
    const char *id;
    double cost;
} ShardCost;

static bool read_number(const char **at, uint64_t max, uint64_t *number) {
    const char *start = *at;
    for (*number = 0; **at >= '0' && **at <= '9'; ++*at) {
        uint64_t digit = (uint64_t)(**at - '0');
        if (*number > (max - digit) / 10) {
            return false;
        }
        *number = *number * 10 + digit;
    }
    return *at > start;
}

bool shard_parse(const char *text, Shard *shard, char why[SHARD_WHY_BYTES]) {
    const char *at = text;
    uint64_t index = 0, count = 0, seed = 0;
    bool good = read_number(&at, SHARD_MAX, &index) && *at++ == '/' && read_number(&at, SHARD_MAX, &count) &&
                (*at != ':' || (++at, read_number(&at, UINT64_MAX, &seed))) && *at == '\0';
    if (!good || index < 1 || index > count) {
        snprintf(why, SHARD_WHY_BYTES,
                 "'%.60s' is not a shard: K/N with K from 1 to N, e.g. 2/8, or 2/8:SEED", text);
        return false;
    }
    *shard = (Shard){(uint32_t)index, (uint32_t)count, seed};
    ASSERT(shard->index >= 1 && shard->index <= shard->count, "share %u of %u", shard->index, shard->count);
    return true;
}

static uint64_t hash_of(const Shard *shard, const char *id) {
    return XXH3_64bits_withSeed(id, strlen(id), shard->seed);
}

/* The share (1..count) of an id if there are no costs. */
static uint32_t shard_of(const Shard *shard, const char *id) {
    ASSERT(shard->count > 0, "no shares");
    return (uint32_t)(hash_of(shard, id) % shard->count) + 1;
}

/* ---- costs ---- */

static int by_id(const void *a, const void *b) {
    return strcmp(((const ShardCost *)a)->id, ((const ShardCost *)b)->id);
}

/* Reads one line, terminated by a zero byte; blank lines and comments are fine. */
static bool read_line(ShardCosts *costs, char *line, size_t number, const char *path, char *why) {
    line[strcspn(line, "#\r")] = '\0';
    char *id = line + strspn(line, " \t"), *end;
    if (*id == '\0') {
        return true;
    }
    char *gap = id + strcspn(id, " \t");
    double cost = strtod(gap, &end);
    bool good = *gap != '\0' && end > gap && end[strspn(end, " \t")] == '\0' && isfinite(cost) && cost >= 0;
    *gap = '\0';
    if (!good) {
        snprintf(why, SHARD_WHY_BYTES, "%s:%zu: a line is an id and a cost, which is a number of at least 0",
                 path, number);
        return false;
    }
    costs->costs[costs->count++] = (ShardCost){id, cost};
    return true;
}

bool shard_costs_read(ShardCosts *costs, const char *path, char why[SHARD_WHY_BYTES]) {
    FileBuffer file = {0};
    const char *trouble = file_read(&file, path);
    *costs = (ShardCosts){0};
    if (trouble != NULL) {
        snprintf(why, SHARD_WHY_BYTES, "%s: %s", path, trouble);
        file_release(&file);
        return false;
    }
    size_t lines = 1;
    for (size_t k = 0; k < file.length; k++) {
        lines += file.data[k] == '\n';
    }
    costs->text = mem_strndup((const char *)file.data, file.length);
    costs->costs = mem_array(lines, sizeof *costs->costs);
    file_release(&file);
    bool good = costs->text != NULL && costs->costs != NULL;
    if (!good) {
        snprintf(why, SHARD_WHY_BYTES, "%s: " MEM_NONE, path);
    }
    char *line = costs->text;
    for (size_t number = 1; good && line != NULL; number++) {
        char *next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        good = read_line(costs, line, number, path, why);
        line = next;
    }
    if (!good) {
        shard_costs_free(costs);
        return false;
    }
    qsort(costs->costs, costs->count, sizeof *costs->costs, by_id);
    return true;
}

void shard_costs_free(ShardCosts *costs) {
    mem_free(costs->text);
    mem_free(costs->costs);
    *costs = (ShardCosts){0};
}

static double cost_of(const ShardCosts *costs, const char *id, double otherwise) {
    ShardCost wanted = {id, 0};
    const ShardCost *found = bsearch(&wanted, costs->costs, costs->count, sizeof wanted, by_id);
    return found != NULL ? found->cost : otherwise;
}

/* ---- taking ---- */

typedef struct ShardLoad {
    double cost;
    uint64_t hash;
    size_t item;
} ShardLoad;

/* Heaviest first; ties are broken by the hash, then by the id, never by the place. */
static int heavier(const void *a, const void *b) {
    const ShardLoad *x = a, *y = b;
    if (x->cost != y->cost) {
        return x->cost > y->cost ? -1 : 1;
    }
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Gives each task in turn to the lightest share so far, so no share is heavier than another by more than its
 * last task. */
static bool balance(const Shard *shard, const ShardCosts *costs, const Task *const *tasks, size_t n,
                    bool *mine) {
    ShardLoad *loads = mem_array(n, sizeof *loads);
    double *sums = mem_zalloc(shard->count, sizeof *sums), mean = 0;
    if (loads == NULL || sums == NULL) {
        mem_free(loads);
        mem_free(sums);
        return false;
    }
    for (size_t k = 0; k < costs->count; k++) {
        mean += costs->costs[k].cost / (double)costs->count;
    }
    for (size_t k = 0; k < n; k++) {
        loads[k] = (ShardLoad){cost_of(costs, tasks[k]->id, costs->count ? mean : 1),
                               hash_of(shard, tasks[k]->id), k};
    }
    qsort(loads, n, sizeof *loads, heavier);
    for (size_t k = 0; k < n; k++) {
        uint32_t lightest = 0;
        for (uint32_t s = 1; s < shard->count; s++) {
            lightest = sums[s] < sums[lightest] ? s : lightest;
        }
        sums[lightest] += loads[k].cost;
        ASSERT(isfinite(sums[lightest]) && loads[k].item < n, "share %u weighs %g", lightest, sums[lightest]);
        mine[loads[k].item] = lightest + 1 == shard->index;
    }
    mem_free(loads);
    mem_free(sums);
    return true;
}

bool shard_take(const Shard *shard, const ShardCosts *costs, const Task **tasks, size_t *n_tasks) {
    size_t n = *n_tasks, kept = 0;
    bool *mine = mem_zalloc(n + 1, sizeof *mine);
    bool good = mine != NULL;
    if (good && costs != NULL && costs->count > 0) {
        good = balance(shard, costs, tasks, n, mine);
    } else if (good) {
        for (size_t k = 0; k < n; k++) {
            mine[k] = shard_of(shard, tasks[k]->id) == shard->index;
        }
    }
    for (size_t k = 0; k < n && good; k++) {
        if (mine[k]) {
            tasks[kept++] = tasks[k];
        }
    }
    *n_tasks = good ? kept : n;
    ASSERT(*n_tasks <= n, "%zu of %zu tasks", *n_tasks, n);
    mem_free(mine);
    return good;
}

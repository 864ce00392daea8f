/* The store of a build without one (make STORE=0): opening it fails and says why. See store.h.
 *
 * The rest is only here to link; without a Store nobody can call it. Its parameters are those of store.h:
 * NOLINTBEGIN(readability-non-const-parameter) */
#include "data/store/store_inside.h"

#include <stdio.h>

static const char why[] = "this batt was built without the store (make STORE=0)";

Store *store_open(const char *path, unsigned flags, char error[STORE_ERROR_MAX]) {
    (void)flags;
    snprintf(error, STORE_ERROR_MAX, "%s: %s", path, why);
    return NULL;
}

bool store_close(Store *store, char error[STORE_ERROR_MAX]) {
    (void)store;
    (void)error;
    return true;
}

const char *store_error(const Store *store) {
    (void)store;
    return why;
}

bool store_put_program(Store *store, const StoreProgram *program) {
    (void)store;
    (void)program;
    return false;
}

bool store_put_result(Store *store, const StoreResult *result) {
    (void)store;
    (void)result;
    return false;
}

bool store_put_lineage(Store *store, const StoreLineage *lineage) {
    (void)store;
    (void)lineage;
    return false;
}

bool store_put_name(Store *store, const char *name, const StoreKey *program) {
    (void)store;
    (void)name;
    (void)program;
    return false;
}

bool store_tick(Store *store) {
    (void)store;
    return false;
}

bool store_flush(Store *store) {
    (void)store;
    return false;
}

void store_hold(Store *store) {
    (void)store;
}

bool store_release(Store *store) {
    (void)store;
    return false;
}

void store_discard(Store *store) {
    (void)store;
}

const Statistics *store_statistics(const Store *store) {
    static const Statistics none;
    (void)store;
    return &none;
}

uint64_t store_saved(const Store *store) {
    (void)store;
    return 0;
}

uint64_t store_waiting(const Store *store) {
    (void)store;
    return 0;
}

uint64_t store_skipped(const Store *store) {
    (void)store;
    return 0;
}

bool store_run_begin(Store *store, const char *settings, const char *data_hash, uint64_t seed, int64_t *id) {
    (void)store;
    (void)settings;
    (void)data_hash;
    (void)seed;
    (void)id;
    return false;
}

bool store_run_progress(Store *store, int64_t id, const char *figures, const char *state) {
    (void)store;
    (void)id;
    (void)figures;
    (void)state;
    return false;
}

bool store_run_finish(Store *store, int64_t id, const char *figures, const char *state) {
    (void)store;
    (void)id;
    (void)figures;
    (void)state;
    return false;
}

bool store_best(Store *store, const char *task, int64_t k, StoreEachRow *each, void *context) {
    (void)store;
    (void)task;
    (void)k;
    (void)each;
    (void)context;
    return false;
}

bool store_list(Store *store, const StoreFilter *filter, StoreEachRow *each, void *context) {
    (void)store;
    (void)filter;
    (void)each;
    (void)context;
    return false;
}

bool store_each_program(Store *store, StoreEachProgram *each, void *context) {
    (void)store;
    (void)each;
    (void)context;
    return false;
}

bool store_each_named(Store *store, StoreEachName *each, void *context) {
    (void)store;
    (void)each;
    (void)context;
    return false;
}

bool store_each_unused(Store *store, StoreEachProgram *each, void *context) {
    (void)store;
    (void)each;
    (void)context;
    return false;
}

bool store_each_run(Store *store, int64_t limit, StoreEachRun *each, void *context) {
    (void)store;
    (void)limit;
    (void)each;
    (void)context;
    return false;
}

bool store_get_program(Store *store, const StoreKey *key, StoreEachProgram *each, void *context) {
    (void)store;
    (void)key;
    (void)each;
    (void)context;
    return false;
}

bool store_get_lineage(Store *store, const StoreKey *child, StoreEachLineage *each, void *context) {
    (void)store;
    (void)child;
    (void)each;
    (void)context;
    return false;
}

bool store_stats(Store *store, StoreStats *stats) {
    (void)store;
    (void)stats;
    return false;
}

bool store_prune(Store *store, int64_t k, StorePruned *pruned) {
    (void)store;
    (void)k;
    (void)pruned;
    return false;
}

bool store_check(Store *store, StoreVerify *verify, StoreSay *say, void *context, int64_t *problems) {
    (void)store;
    (void)verify;
    (void)say;
    (void)context;
    (void)problems;
    return false;
}

bool store_fail(Store *store, const char *format, ...) {
    (void)store;
    (void)format;
    return false;
}

bool store_read_begin(Store *store) {
    (void)store;
    return false;
}

bool store_read_end(Store *store, bool done) {
    (void)store;
    return done;
}

bool store_result_fits(const StoreResult *result) {
    (void)result;
    return false;
}

bool store_each_lineage(Store *store, StoreEachLineage *each, void *context) {
    (void)store;
    (void)each;
    (void)context;
    return false;
}

bool store_each_result(Store *store, StoreEachResult *each, void *context) {
    (void)store;
    (void)each;
    (void)context;
    return false;
}

bool store_get_result(Store *store, const char *task, const StoreKey *program, StoreEachResult *each,
                      void *context) {
    (void)store;
    (void)task;
    (void)program;
    (void)each;
    (void)context;
    return false;
}

bool store_put_net(Store *store, const StoreNet *net) {
    (void)store;
    (void)net;
    return false;
}

bool store_get_net(Store *store, const char *task, uint64_t seed, StoreEachNet *each, void *context) {
    (void)store;
    (void)task;
    (void)seed;
    (void)each;
    (void)context;
    return false;
}

bool store_each_net(Store *store, StoreEachNet *each, void *context) {
    (void)store;
    (void)each;
    (void)context;
    return false;
}

bool store_merge(Store *into, Store *const *from, size_t n, StoreVerify *verify, void *context,
                 StoreMerged *counts) {
    (void)into;
    (void)from;
    (void)n;
    (void)verify;
    (void)context;
    (void)counts;
    return false;
}

bool store_image(Store *store, Out *out) {
    (void)store;
    (void)out;
    return false;
}

/* NOLINTEND(readability-non-const-parameter) */

/* Merging stores: what several machines or shards found, in one file.
 *
 * Everything happens in one transaction of the target. Each source is read in a single transaction, after
 * the same checks as `store check`. So the target gets everything or stays as it was, and nothing damaged
 * or foreign gets in. Merging again changes nothing, because each kind of row has a rule that does not
 * depend on the order of arrival:
 *   - programs and lineage: as for any row that is put (the shorter program, the first lineage);
 *   - results: that of the run that began later; if both began at once, the better figures; always the
 *     shorter time;
 *   - records: as for any row that is put (the higher score);
 *   - nets: of one task and seed the one that has made more steps;
 *   - runs: a run is identified by its settings, data, seed and start; it gets a number of its own here, and
 *     of two states the later one is kept. */
#include "base/alloc.h"
#include "data/store/store_internal.h"

#include <stdio.h>
#include <string.h>

typedef struct RunPair {
    int64_t theirs, ours;
} RunPair;

typedef struct Merge {
    Store *into, *from;
    StoreVerify *verify;
    void *context;
    StoreMerged *counts;
    RunPair *runs; /* of `from`, newest first: the order they are read in */
    size_t n_runs, runs_room;
    char problem[STORE_ERROR_MAX]; /* the first finding of the check */
} Merge;

/* Reports a giver's error, in its own words, as the taker's. */
static bool fail_as(Store *into, const Store *from) {
    snprintf(into->error, sizeof into->error, "%s", from->error);
    return false;
}

/* ---- checking ---- */

static bool verify(void *context, const StoreProgram *program, char *why) {
    Merge *m = context;
    return m->verify == NULL || m->verify(m->context, program, why);
}

static void note_problem(void *context, const char *problem) {
    Merge *m = context;
    if (m->problem[0] == '\0') {
        snprintf(m->problem, sizeof m->problem, "%s", problem);
    }
}

static bool check_giver(Merge *m) {
    int64_t problems = 0;
    m->problem[0] = '\0';
    if (!store_check(m->from, verify, note_problem, m, &problems)) {
        return fail_as(m->into, m->from);
    }
    if (problems > 0) {
        store_fail(m->from, "not merged: %.300s", m->problem);
        return fail_as(m->into, m->from);
    }
    return true;
}

/* ---- runs ---- */

static void bind_text(sqlite3_stmt *statement, int index, const char *text) {
    if (text != NULL) {
        sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
    }
}

static void bind_identity(sqlite3_stmt *s, const StoreRun *run) {
    bind_text(s, 1, run->settings);
    bind_text(s, 2, run->data_hash);
    sqlite3_bind_int64(s, 3, (int64_t)run->seed);
    sqlite3_bind_int64(s, 4, run->started_ms);
}

/* Of two copies of one run, keeps the one updated later: that one went on. */
static bool update_run(Merge *m, const StoreRun *run, int64_t id) {
    sqlite3_stmt *s = store_statement(m->into, STATEMENT_MERGE_RUN);
    if (s == NULL) {
        return false;
    }
    sqlite3_bind_int64(s, 1, id);
    bind_text(s, 2, run->figures);
    bind_text(s, 3, run->state);
    if (run->finished_ms != 0) {
        sqlite3_bind_int64(s, 4, run->finished_ms);
    }
    sqlite3_bind_int64(s, 5, run->updated_ms);
    return store_run_statement(m->into, STATEMENT_MERGE_RUN, "merge a run");
}

static bool add_run(Merge *m, const StoreRun *run, int64_t *id) {
    sqlite3_stmt *s = store_statement(m->into, STATEMENT_RUN_BEGIN);
    if (s == NULL) {
        return false;
    }
    bind_identity(s, run);
    if (!store_run_statement(m->into, STATEMENT_RUN_BEGIN, "merge a run")) {
        return false;
    }
    *id = sqlite3_last_insert_rowid(m->into->db);
    m->counts->runs++;
    return true;
}

static bool find_run(Merge *m, const StoreRun *run, int64_t *id) {
    sqlite3_stmt *s = store_statement(m->into, STATEMENT_FIND_RUN);
    if (s == NULL) {
        return false;
    }
    bind_identity(s, run);
    int code = sqlite3_step(s);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return code == SQLITE_ROW || code == SQLITE_DONE || store_fail_sql(m->into, code, "merge a run");
}

static bool take_run(void *context, const StoreRun *run) {
    Merge *m = context;
    int64_t id;
    if (!MEM_ROOM(m->runs, m->n_runs, m->runs_room, 64)) {
        return store_fail(m->into, MEM_NONE);
    }
    if (!find_run(m, run, &id) || (id == 0 && !add_run(m, run, &id)) || !update_run(m, run, id)) {
        return false;
    }
    m->runs[m->n_runs++] = (RunPair){run->id, id};
    return true;
}

/* Binary search: the giver's run numbers are in descending order. */
static int64_t our_run(const Merge *m, int64_t theirs) {
    size_t lo = 0, hi = m->n_runs;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (m->runs[mid].theirs == theirs) {
            return m->runs[mid].ours;
        }
        if (m->runs[mid].theirs > theirs) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return 0;
}

/* ---- rows ---- */

/* Writes the queue, inside the open transaction, once it is large enough (or `all`). */
static bool settle(Merge *m, bool all) {
    const Queue *queue = &m->into->queue;
    return (!all && queue->count < STORE_QUEUE_ROWS && queue->used < STORE_QUEUE_BYTES) ||
           store_queue_write(m->into);
}

static bool take_program(void *context, const StoreProgram *program) {
    Merge *m = context;
    return store_put_program(m->into, program) && settle(m, false);
}

static bool take_lineage(void *context, const StoreLineage *lineage) {
    Merge *m = context;
    return store_put_lineage(m->into, lineage) && settle(m, false);
}

static bool take_name(void *context, const char *name, const StoreProgram *program, bool scored) {
    Merge *m = context;
    (void)scored;
    return store_put_name(m->into, name, &program->key) && settle(m, false);
}

static bool take_record(void *context, const StoreRecord *record, const StoreProgram *program) {
    Merge *m = context;
    (void)program;
    return store_put_record(m->into, record) && settle(m, false);
}

typedef struct Known { /* the taker's result of the same task and program */
    StoreResult result;
    int64_t started_ms;
    bool there;
} Known;

static bool take_known(void *context, const StoreResult *result, int64_t started_ms) {
    *(Known *)context = (Known){*result, started_ms, true};
    return false;
}

/* Positive: keep `a`. Every figure is compared, so that the order of merging never decides. */
static int compare_results(const StoreResult *a, int64_t a_started, const StoreResult *b, int64_t b_started) {
    const int64_t figures[][2] = {
        {a_started, b_started},
        {a->score, b->score},
        {a->train_exact, b->train_exact},
        {a->train_total, b->train_total},
        {a->test_exact, b->test_exact},
        {a->test_total, b->test_total},
        {a->guard_total, b->guard_total},
        {a->guard_passed, b->guard_passed},
        {b->steps, a->steps},
        {(int64_t)a->outputs, (int64_t)b->outputs},
    };
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        if (figures[k][0] != figures[k][1]) {
            return figures[k][0] > figures[k][1] ? 1 : -1;
        }
    }
    return 0;
}

static bool take_result(void *context, const StoreResult *result, int64_t started_ms) {
    Merge *m = context;
    Known known = {.there = false};
    StoreResult row = *result;
    row.run = our_run(m, result->run);
    if (!store_get_result(m->into, result->task, &result->program, take_known, &known)) {
        return false;
    }
    if (known.there && compare_results(result, started_ms, &known.result, known.started_ms) <= 0) {
        if (result->time_ns >= known.result.time_ns) {
            return true;
        }
        row = known.result; /* keep ours, with the shorter time */
        row.task = result->task;
        row.time_ns = result->time_ns;
    }
    m->counts->results += !known.there;
    return store_put_result(m->into, &row) && settle(m, false);
}

/* ---- nets ---- */

static bool take_step(void *context, const StoreNet *net) {
    *(uint64_t *)context = net->step;
    return false;
}

static bool take_net(void *context, const StoreNet *net) {
    Merge *m = context;
    uint64_t known = 0;
    if (!store_get_net(m->into, net->task, net->seed, take_step, &known)) {
        return false;
    }
    m->counts->nets += known == 0;
    return net->step <= known || store_put_net(m->into, net);
}

/* ---- all of it ---- */

/* When the taker fails, the callback stops the reading: an error too, though not one of the giver. */
static bool went_well(Merge *m, bool read) {
    if (!read && m->into->error[0] == '\0') {
        return fail_as(m->into, m->from);
    }
    return m->into->error[0] == '\0';
}

static bool take_all(Merge *m) {
    m->n_runs = 0;
    m->into->error[0] = '\0';
    return went_well(m, store_each_run(m->from, 0, take_run, m)) &&
           went_well(m, store_each_program(m->from, take_program, m)) && settle(m, true) &&
           went_well(m, store_each_result(m->from, take_result, m)) &&
           went_well(m, store_each_lineage(m->from, take_lineage, m)) &&
           went_well(m, store_each_named(m->from, take_name, m)) &&
           went_well(m, store_each_record(m->from, NULL, take_record, m)) && settle(m, true) &&
           went_well(m, store_each_net(m->from, take_net, m));
}

static bool merge_one(Merge *m) {
    if (!store_read_begin(m->from)) {
        return fail_as(m->into, m->from);
    }
    bool done = check_giver(m) && take_all(m);
    return store_read_end(m->from, done);
}

bool store_merge(Store *into, Store *const *from, size_t n, StoreVerify *verify_with, void *context,
                 StoreMerged *counts) {
    StoreStats before, after;
    Merge m = {.into = into, .verify = verify_with, .context = context, .counts = counts};
    *counts = (StoreMerged){0};
    if (!into->writable) {
        return store_fail(into, "opened for reading only");
    }
    if (!store_flush(into) || !store_run_statement(into, STATEMENT_BEGIN, "merge stores")) {
        return false;
    }
    into->reading++; /* inside a transaction: reading must not open one, nor putting commit it */
    bool done = store_stats(into, &before);
    for (size_t k = 0; k < n && done; k++) {
        m.from = from[k];
        done = merge_one(&m);
    }
    done = done && store_stats(into, &after);
    into->reading--;
    done = done && store_run_statement(into, STATEMENT_COMMIT, "merge stores");
    if (!done) {
        char why[STORE_ERROR_MAX];
        memcpy(why, into->error, sizeof why);
        store_rollback(into);
        store_discard(into);
        memcpy(into->error, why, sizeof why);
    } else {
        counts->programs = after.programs - before.programs;
        counts->lineage = after.lineage - before.lineage;
        counts->names = after.names - before.names;
        counts->records = after.records - before.records;
    }
    mem_free(m.runs);
    return done;
}

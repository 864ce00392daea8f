/* The queue of rows to be written. They wait in memory and are written together: one commit costs as much as
 * thousands of rows, and the write lock is held only for the few milliseconds that writing takes, so that
 * other processes get their turn.
 *
 * Every row is checked when it is put, so that nothing in the queue can fail because of its content; what
 * fails at a flush (no space, lock not free) concerns the whole queue, which then stays for the next try. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "data/store/store_internal.h"

#include <string.h>

void store_queue_free(Store *store) {
    mem_free(store->queue.rows);
    mem_free(store->queue.bytes);
    store->queue = (Queue){0};
}

/* ---- taking rows ---- */

static bool make_room(Queue *queue, size_t bytes) {
    if (!MEM_ROOM(queue->rows, queue->count, queue->capacity, 256)) {
        return false;
    }
    if (bytes > queue->room - queue->used) {
        size_t room = queue->room ? queue->room : 65536;
        while (room - queue->used < bytes) {
            room *= 2;
        }
        char *grown = mem_grow(queue->bytes, room, 1);
        if (grown == NULL) {
            return false;
        }
        queue->bytes = grown;
        queue->room = room;
    }
    return true;
}

static size_t keep_text(Queue *queue, const char *text, size_t length) {
    size_t at = queue->used;
    ASSERT(text == NULL || length < queue->room - queue->used, "%zu bytes in %zu", length,
           queue->room - queue->used);
    if (text != NULL) {
        memcpy(queue->bytes + at, text, length);
        queue->bytes[at + length] = '\0';
        queue->used += length + 1;
    }
    return at;
}

static bool due(const Store *store) {
    const Queue *queue = &store->queue;
    return queue->count > 0 && !queue->held && store->reading == 0 &&
           (queue->count >= STORE_QUEUE_ROWS || queue->used >= STORE_QUEUE_BYTES ||
            clock_now_ns() - queue->first_ns >= (uint64_t)STORE_COMMIT_MS * 1000000u);
}

bool store_tick(Store *store) {
    return !due(store) || store_flush(store);
}

static bool enqueue(Store *store, QueueRow row, const char *text, size_t length, const char *text2,
                    size_t length2) {
    Queue *queue = &store->queue;
    if (!store->writable) {
        return store_fail(store, "opened for reading only");
    }
    if (!store_tick(store)) {
        return false;
    }
    if (!make_room(queue, (text ? length + 1 : 0) + (text2 ? length2 + 1 : 0))) {
        return store_fail(store, MEM_NONE);
    }
    row.has_text = text != NULL;
    row.has_text2 = text2 != NULL;
    row.text_length = length;
    row.text2_length = length2;
    row.text_at = keep_text(queue, text, length);
    row.text2_at = keep_text(queue, text2, length2);
    if (queue->count == 0) {
        queue->first_ns = clock_now_ns();
    }
    queue->rows[queue->count++] = row;
    ASSERT(queue->used <= queue->room && queue->count <= queue->capacity, "%zu of %zu bytes, %zu of %zu rows",
           queue->used, queue->room, queue->count, queue->capacity);
    return true;
}

static bool bad_name(const char *name) {
    size_t length = name ? strnlen(name, STORE_TASK_MAX + 1) : 0;
    return length == 0 || length > STORE_TASK_MAX;
}

bool store_put_program(Store *store, const StoreProgram *program) {
    if (program->text == NULL || program->length > STORE_TEXT_MAX || program->calls < 0 ||
        memchr(program->text, '\0', program->length) != NULL) {
        return store_fail(store, "rejected a program: text missing, too long or with a zero byte");
    }
    return enqueue(store, (QueueRow){.kind = QUEUE_PROGRAM, .program = *program}, program->text,
                   program->length, NULL, 0);
}

bool store_result_fits(const StoreResult *r) {
    return r->train_total >= 1 && r->train_exact >= 0 && r->train_exact <= r->train_total &&
           r->test_total >= 0 && r->test_exact >= 0 && r->test_exact <= r->test_total &&
           r->guard_total >= 0 && r->guard_passed >= 0 && r->guard_passed <= r->guard_total &&
           r->score >= 0 && r->score <= (int64_t)1000 * r->train_total && r->steps >= 0 && r->time_ns >= 0 &&
           r->run >= 0;
}

bool store_put_result(Store *store, const StoreResult *r) {
    if (bad_name(r->task)) {
        return store_fail(store, "rejected a result: task id empty or longer than %d bytes", STORE_TASK_MAX);
    }
    if (!store_result_fits(r)) {
        return store_fail(store, "rejected a result of task %.40s: figures out of range", r->task);
    }
    return enqueue(store, (QueueRow){.kind = QUEUE_RESULT, .result = *r}, r->task, strlen(r->task), NULL, 0);
}

bool store_put_lineage(Store *store, const StoreLineage *lineage) {
    if (lineage->mutation == NULL || lineage->parents < 0 || lineage->parents > 2) {
        return store_fail(store, "rejected a lineage: no mutation, or more than two parents");
    }
    size_t length = strnlen(lineage->mutation, STORE_TEXT_MAX);
    return enqueue(store, (QueueRow){.kind = QUEUE_LINEAGE, .lineage = *lineage}, lineage->mutation, length,
                   NULL, 0);
}

bool store_put_name(Store *store, const char *name, const StoreKey *program) {
    if (bad_name(name)) {
        return store_fail(store, "rejected a name: empty or longer than %d bytes", STORE_TASK_MAX);
    }
    return enqueue(store, (QueueRow){.kind = QUEUE_NAME, .named = *program}, name, strlen(name), NULL, 0);
}

bool store_put_record(Store *store, const StoreRecord *record) {
    if (bad_name(record->task) || bad_name(record->file) || record->score < 0) {
        return store_fail(store, "rejected a record: task or file empty or longer than %d bytes, or no score",
                          STORE_TASK_MAX);
    }
    return enqueue(store, (QueueRow){.kind = QUEUE_RECORD, .record = *record}, record->task,
                   strlen(record->task), record->file, strlen(record->file));
}

static int64_t today_ms(void) {
    return (int64_t)(clock_ns(CLOCK_REALTIME) / 1000000u);
}

static bool run_update(Store *store, int64_t id, const char *figures, const char *state, bool finished) {
    int64_t now = today_ms();
    QueueRow row = {.kind = QUEUE_RUN, .run = {id, finished ? now : 0, now}};
    return enqueue(store, row, figures, figures ? strlen(figures) : 0, state, state ? strlen(state) : 0);
}

bool store_run_progress(Store *store, int64_t id, const char *figures, const char *state) {
    return run_update(store, id, figures, state, false);
}

bool store_run_finish(Store *store, int64_t id, const char *figures, const char *state) {
    return run_update(store, id, figures, state, true);
}

/* ---- writing them ---- */

static void bind_key(sqlite3_stmt *statement, int index, const StoreKey *key) {
    sqlite3_bind_blob(statement, index, key->bytes, sizeof key->bytes, SQLITE_STATIC);
}

static void bind_id(sqlite3_stmt *statement, int index, int64_t id) { /* 0 stands for none */
    if (id != 0) {
        sqlite3_bind_int64(statement, index, id);
    }
}

static void bind_text(const Queue *queue, sqlite3_stmt *statement, int index, bool has, size_t at,
                      size_t length) {
    if (has) {
        sqlite3_bind_text(statement, index, queue->bytes + at, (int)length, SQLITE_STATIC);
    }
}

static StatementId bind_result(Store *store, const QueueRow *row) {
    sqlite3_stmt *statement = store->statements[STATEMENT_PUT_RESULT];
    const StoreResult *r = &row->result;
    bind_text(&store->queue, statement, 1, true, row->text_at, row->text_length);
    bind_key(statement, 2, &r->program);
    bind_id(statement, 3, r->run);
    const int64_t figures[] = {r->score,      r->train_exact,  r->train_total, r->test_exact,
                               r->test_total, r->guard_passed, r->guard_total, (int64_t)r->outputs,
                               r->steps,      r->time_ns};
    for (int i = 0; i < (int)(sizeof figures / sizeof *figures); i++) {
        sqlite3_bind_int64(statement, 4 + i, figures[i]);
    }
    return STATEMENT_PUT_RESULT;
}

static StatementId bind_row(Store *store, const QueueRow *row) {
    static const StatementId ids[] = {
        [QUEUE_PROGRAM] = STATEMENT_PUT_PROGRAM, [QUEUE_RESULT] = STATEMENT_PUT_RESULT,
        [QUEUE_LINEAGE] = STATEMENT_PUT_LINEAGE, [QUEUE_NAME] = STATEMENT_PUT_NAME,
        [QUEUE_RECORD] = STATEMENT_PUT_RECORD,   [QUEUE_RUN] = STATEMENT_RUN_UPDATE};
    const Queue *queue = &store->queue;
    sqlite3_stmt *statement = store->statements[ids[row->kind]];
    sqlite3_clear_bindings(statement);
    switch (row->kind) {
    case QUEUE_PROGRAM:
        bind_key(statement, 1, &row->program.key);
        bind_text(queue, statement, 2, true, row->text_at, row->text_length);
        sqlite3_bind_int(statement, 3, row->program.calls);
        sqlite3_bind_int(statement, 4, row->program.mode);
        break;
    case QUEUE_RESULT:
        return bind_result(store, row);
    case QUEUE_LINEAGE:
        bind_key(statement, 1, &row->lineage.child);
        for (int i = 0; i < row->lineage.parents; i++) {
            bind_key(statement, 2 + i, &row->lineage.parent[i]);
        }
        bind_text(queue, statement, 4, true, row->text_at, row->text_length);
        break;
    case QUEUE_NAME:
        bind_text(queue, statement, 1, true, row->text_at, row->text_length);
        bind_key(statement, 2, &row->named);
        break;
    case QUEUE_RECORD:
        sqlite3_bind_int(statement, 1, (int)row->record.kind);
        bind_text(queue, statement, 2, true, row->text_at, row->text_length);
        bind_key(statement, 3, &row->record.program);
        sqlite3_bind_int(statement, 4, row->record.score);
        sqlite3_bind_int(statement, 5, row->record.speed);
        bind_text(queue, statement, 6, true, row->text2_at, row->text2_length);
        break;
    case QUEUE_RUN:
        sqlite3_bind_int64(statement, 1, row->run.id);
        bind_text(queue, statement, 2, row->has_text, row->text_at, row->text_length);
        bind_text(queue, statement, 3, row->has_text2, row->text2_at, row->text2_length);
        bind_id(statement, 4, row->run.finished_ms);
        sqlite3_bind_int64(statement, 5, row->run.updated_ms);
        break;
    }
    return ids[row->kind];
}

static bool write_row(Store *store, const QueueRow *row, uint64_t *skipped) {
    ASSERT(store->writable && store->statements[STATEMENT_PUT_PROGRAM] != NULL, "%s is not open for writing",
           store->path);
    ASSERT(row->kind != QUEUE_RESULT || store_result_fits(&row->result), "a result out of range waits");
    sqlite3_stmt *statement = store->statements[bind_row(store, row)];
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    if (code == SQLITE_DONE) {
        return true;
    }
    if (code == SQLITE_CONSTRAINT_FOREIGNKEY) { /* its program is gone: skip only this row */
        ++*skipped;
        return true;
    }
    return store_fail_sql(store, code, "save to the store");
}

static bool write_rows(Store *store, uint64_t *skipped) {
    const Queue *queue = &store->queue;
    bool done = true;
    for (size_t i = 0; done && i < queue->count; i++) {
        done = write_row(store, &queue->rows[i], skipped);
    }
    return done;
}

static void empty(Queue *queue) {
    queue->count = 0;
    queue->used = 0;
}

bool store_queue_write(Store *store) {
    ASSERT(!sqlite3_get_autocommit(store->db), "%s: no transaction is open", store->path);
    bool done = write_rows(store, &store->skipped);
    empty(&store->queue);
    return done;
}

bool store_flush(Store *store) {
    Queue *queue = &store->queue;
    uint64_t skipped = 0;
    if (queue->count == 0) {
        return true;
    }
    if (queue->held || store->reading > 0) {
        return store_fail(store, "cannot save: %s", queue->held ? "the rows are held" : "it is being read");
    }
    if (!store_run_statement(store, STATEMENT_BEGIN, "save to the store")) {
        return false;
    }
    bool done =
        write_rows(store, &skipped) && store_run_statement(store, STATEMENT_COMMIT, "save to the store");
    if (!done) {
        store_rollback(store);
        return false;
    }
    COUNT(&store->statistics, ROWS, queue->count - skipped);
    COUNT(&store->statistics, COMMITS, 1);
    ASSERT(skipped <= queue->count, "%llu of %zu rows skipped", (unsigned long long)skipped, queue->count);
    LOG(STORE, "%s: %zu rows in one transaction, %llu of them void", store->path, queue->count,
        (unsigned long long)skipped);
    store->skipped += skipped;
    empty(queue);
    return true;
}

void store_hold(Store *store) {
    ASSERT(!store->queue.held, "%s: held twice", store->path);
    store->queue.held = true;
}

bool store_release(Store *store) {
    store->queue.held = false;
    return store_flush(store);
}

void store_discard(Store *store) {
    store->queue.held = false;
    empty(&store->queue);
}

bool store_run_begin(Store *store, const char *settings, const char *data_hash, uint64_t seed, int64_t *id) {
    if (!store->writable || store->reading > 0) {
        return store_fail(store, "cannot begin a run: %s",
                          store->writable ? "it is being read" : "opened for reading only");
    }
    sqlite3_stmt *statement = store_statement(store, STATEMENT_RUN_BEGIN);
    if (statement == NULL) {
        return false;
    }
    sqlite3_bind_text(statement, 1, settings, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, data_hash, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, (int64_t)seed);
    sqlite3_bind_int64(statement, 4, today_ms());
    if (!store_run_statement(store, STATEMENT_RUN_BEGIN, "begin a run")) {
        return false;
    }
    *id = sqlite3_last_insert_rowid(store->db);
    ASSERT(*id > 0, "run %lld", (long long)*id);
    LOG(STORE, "%s: run %lld begins", store->path, (long long)*id);
    return true;
}

bool store_put_net(Store *store, const StoreNet *net) {
    if (!store->writable) {
        return store_fail(store, "opened for reading only");
    }
    if (net->task[0] == '\0' || strlen(net->task) > STORE_TASK_MAX || net->step == 0 || net->bytes == 0 ||
        net->bytes > STORE_VALUE_MAX) {
        return store_fail(store, "a net that cannot be kept");
    }
    sqlite3_stmt *statement = store_statement(store, STATEMENT_PUT_NET);
    if (statement == NULL) {
        return false;
    }
    sqlite3_bind_text(statement, 1, net->task, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, (int64_t)net->seed);
    sqlite3_bind_int64(statement, 3, (int64_t)net->step);
    sqlite3_bind_int64(statement, 4, today_ms());
    sqlite3_bind_blob(statement, 5, net->state, (int)net->bytes, SQLITE_STATIC);
    bool done = store_run_statement(store, STATEMENT_PUT_NET, "keep a net");
    sqlite3_clear_bindings(statement);
    COUNT(&store->statistics, ROWS, done);
    return done;
}

uint64_t store_saved(const Store *store) {
    return COUNTED(&store->statistics, ROWS);
}

const Statistics *store_statistics(const Store *store) {
    return &store->statistics;
}

uint64_t store_waiting(const Store *store) {
    return store->queue.count;
}

uint64_t store_skipped(const Store *store) {
    return store->skipped;
}

/* Opening and closing a store. The order matters: nothing is written until the file is known to be ours and
 * sound. */
#include "base/alloc.h"
#include "base/check.h"
#include "data/store/store_internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STORE_IS_EMPTY                                                                                       \
    "empty: nothing was written yet, or making the store was interrupted; a command that writes makes it a " \
    "store"

/* SQLite gives meaning to some names (":memory:", "file:x"); a user's file name is only a name. */
static char *plain_path(const char *path, const char *suffix) {
    size_t room = strlen(path) + strlen(suffix) + 3;
    char *name = mem_alloc(room);
    if (name != NULL) {
        snprintf(name, room, "%s%s%s", path[0] == '/' ? "" : "./", path, suffix);
    }
    return name;
}

/* "file:" URI with immutable=1: the only way to read a store where side files cannot be created. */
static char *immutable_uri(const char *name) {
    static const char head[] = "file:", tail[] = "?immutable=1", hex[] = "0123456789ABCDEF";
    char *uri = mem_array(strlen(name) * 3 + sizeof head + sizeof tail, 1);
    if (uri == NULL) {
        return NULL;
    }
    char *at = uri + sprintf(uri, "%s", head);
    for (const char *c = name; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte == '%' || byte == '?' || byte == '#') {
            *at++ = '%';
            *at++ = hex[byte >> 4];
            *at++ = hex[byte & 15];
        } else {
            *at++ = *c;
        }
    }
    memcpy(at, tail, sizeof tail);
    return uri;
}

static bool configure(Store *store) {
    static const char pragmas[] =
        "PRAGMA foreign_keys = ON;"    /* no result without its program */
        "PRAGMA synchronous = FULL;"   /* a commit survives a power cut; two per second are cheap */
        "PRAGMA cell_size_check = ON;" /* notice damage early */
        "PRAGMA cache_size = -16384;"
        "PRAGMA journal_size_limit = 16777216;";
    sqlite3_busy_timeout(store->db, STORE_BUSY_MS);
    sqlite3_extended_result_codes(store->db, 1);
    store_guard(store);
    return store_exec(store, pragmas, "open the store");
}

static void disconnect(Store *store) {
    store_finalize(store);
    sqlite3_close(store->db);
    store->db = NULL;
}

static bool connect(Store *store, const char *name, int flags) {
    int code = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (store->db == NULL) {
        return store_fail(store, MEM_NONE);
    }
    return code == SQLITE_OK ? configure(store) : store_fail_sql(store, code, "open the store");
}

static bool quick_check(Store *store) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, "PRAGMA quick_check(1)", -1, &statement, NULL);
    code = code == SQLITE_OK ? sqlite3_step(statement) : code;
    bool sound = code == SQLITE_ROW;
    if (!sound) {
        store_fail_sql(store, code, "check the store");
    } else {
        const char *finding = (const char *)sqlite3_column_text(statement, 0);
        sound = finding != NULL && strcmp(finding, "ok") == 0;
        if (!sound) {
            int cut = finding ? (int)strcspn(finding, "\n") : 0;
            store_fail(store, "damaged store (%.*s); left unchanged", cut, finding ? finding : "");
        }
    }
    sqlite3_finalize(statement);
    return sound;
}

/* Switching to the write-ahead log needs exclusive access for a moment, and SQLite does not wait for that by
 * itself. */
static bool use_log(Store *store) {
    struct timespec pause = {0, 5000000};
    for (int waited = 0;; waited += 5) {
        sqlite3_stmt *statement = NULL;
        int code = sqlite3_prepare_v2(store->db, "PRAGMA journal_mode = WAL", -1, &statement, NULL);
        code = code == SQLITE_OK ? sqlite3_step(statement) : code;
        const char *mode = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        bool done = mode != NULL && strcmp(mode, "wal") == 0;
        sqlite3_finalize(statement);
        if (done) {
            return true;
        }
        if ((code & 0xff) != SQLITE_BUSY || waited >= STORE_BUSY_MS) {
            return code == SQLITE_ROW ? store_fail(store, "this file system cannot hold a write-ahead log")
                                      : store_fail_sql(store, code, "switch to a write-ahead log");
        }
        nanosleep(&pause, NULL);
    }
}

/* Looks at the file as SQLite sees it, log included: it must be ours, of a known version, with our tables. In
 * one transaction: another process may be creating the store, and a mix of its old and new state would look
 * like somebody else's file. */
static bool examine(Store *store, unsigned flags, int64_t *version, bool *fresh) {
    int64_t application, objects;
    if (!store_exec(store, "BEGIN", "open the store") ||
        !store_ask_int(store, "PRAGMA application_id", &application) ||
        !store_ask_int(store, "PRAGMA user_version", version) ||
        !store_ask_int(store, "SELECT total(1) FROM sqlite_schema", &objects)) {
        return false;
    }
    *fresh = application == 0 && *version == 0 && objects == 0;
    if (*fresh && !(flags & STORE_CREATE)) {
        return store_fail(store, STORE_IS_EMPTY);
    }
    if (!*fresh && (application != STORE_APPLICATION_ID || *version < 1)) {
        return store_fail(store, "not a batt store; left unchanged");
    }
    if (*version > STORE_SCHEMA) {
        return store_fail(store, "made by a newer batt (schema %lld, this one knows %d)", (long long)*version,
                          STORE_SCHEMA);
    }
    return (*fresh || store_schema_is_ours(store, *version)) && store_guard_open(store) &&
           store_exec(store, "COMMIT", "open the store");
}

/* The file must also be sound. An older one is upgraded. */
static bool accept(Store *store, unsigned flags) {
    int64_t version;
    bool fresh;
    if (!examine(store, flags, &version, &fresh)) {
        return false;
    }
    bool older = version < STORE_SCHEMA;
    if (older && sqlite3_db_readonly(store->db, "main")) {
        return store_fail(store,
                          "has the older schema %lld and is not writable, so it cannot be upgraded to %d",
                          (long long)version, STORE_SCHEMA);
    }
    bool verify = !fresh && (older || (flags & STORE_WRITE)) && !(flags & STORE_UNVERIFIED);
    if ((verify && !quick_check(store)) || (older && !store_schema_upgrade(store))) {
        return false;
    }
    bool writable = !sqlite3_db_readonly(store->db, "main");
    if ((flags & STORE_WRITE) && !writable) {
        return store_fail(store, "not writable");
    }
    if (((flags & STORE_WRITE) || older) && !use_log(store)) {
        return false;
    }
    store->writable = (flags & STORE_WRITE) != 0;
    ASSERT(!store->writable || writable, "%s: taken for writable", store->path);
    store_guard_verified(store);
    return store_prepare(store) &&
           (store->writable || store_exec(store, "PRAGMA query_only = ON", "open the store"));
}

static bool open_file(Store *store, const char *name, const char *log, unsigned flags) {
    /* If there is a log already, closing does not copy it into the file unless we accept the file. */
    int had_log = access(log, F_OK) == 0;
    int create = flags & STORE_CREATE ? SQLITE_OPEN_CREATE : 0;
    if (connect(store, name, SQLITE_OPEN_READWRITE | create) &&
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, had_log, NULL) == SQLITE_OK &&
        accept(store, flags)) {
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
        return true;
    }
    int code = sqlite3_errcode(store->db) & 0xff;
    bool no_side_files = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
    if ((flags & STORE_WRITE) || had_log || !no_side_files) {
        return false;
    }
    disconnect(store);
    char *uri = immutable_uri(name);
    bool done = uri != NULL
                    ? connect(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) && accept(store, flags)
                    : store_fail(store, MEM_NONE);
    mem_free(uri);
    return done;
}

static void destroy(Store *store) {
    ASSERT(store->reading == 0, "%s: closed from inside a callback", store->path != NULL ? store->path : "");
    disconnect(store);
    store_queue_free(store);
    mem_free(store->path);
    mem_free(store);
}

Store *store_open(const char *path, unsigned flags, char error[STORE_ERROR_MAX]) {
    return store_open_unless(path, flags, NULL, error);
}

Store *store_open_unless(const char *path, unsigned flags, const Stop *stop, char error[STORE_ERROR_MAX]) {
    bool create = (flags & STORE_CREATE) && (flags & STORE_WRITE);
    if (path[0] == '\0') {
        snprintf(error, STORE_ERROR_MAX, "the name of the store is empty");
        return NULL;
    }
    Identity identity = store_identify(path, error);
    if (identity == IDENTITY_REFUSED) {
        return NULL;
    }
    if (identity != IDENTITY_OURS && !create) {
        snprintf(error, STORE_ERROR_MAX, "%s: %s", path,
                 identity == IDENTITY_MISSING
                     ? "no such store; batt evolve, solve --store and batt store import create one"
                     : STORE_IS_EMPTY);
        return NULL;
    }
    Store *store = mem_zalloc(1, sizeof *store);
    if (store != NULL) {
        store->stop = stop;
    }
    char *name = plain_path(path, ""), *log = plain_path(path, "-wal");
    bool done = store != NULL && name != NULL && log != NULL && (store->path = mem_strdup(path)) != NULL;
    if (!done) {
        snprintf(error, STORE_ERROR_MAX, "%s: " MEM_NONE, path);
    } else if (!open_file(store, name, log, create ? flags : flags & ~(unsigned)STORE_CREATE)) {
        snprintf(error, STORE_ERROR_MAX, "%s", store->error);
        done = false;
    }
    mem_free(name);
    mem_free(log);
    if (!done && store != NULL) {
        destroy(store);
        store = NULL;
    }
    return store;
}

bool store_close(Store *store, char error[STORE_ERROR_MAX]) {
    if (store == NULL) {
        return true;
    }
    store->queue.held = false;
    bool saved = store_flush(store);
    if (!saved) {
        snprintf(error, STORE_ERROR_MAX, "%.400s; %zu rows were not saved", store->error, store->queue.count);
    }
    destroy(store);
    return saved;
}

/* Store errors, in words that a user can act on. */
#include "data/store/store_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool store_fail(Store *store, const char *format, ...) {
    int at = snprintf(store->error, sizeof store->error, "%s: ", store->path);
    if (at > 0 && (size_t)at < sizeof store->error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(store->error + at, sizeof store->error - (size_t)at, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool store_fail_sql(Store *store, int code, const char *doing) {
    const char *detail = sqlite3_errmsg(store->db);
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        /* Closing would copy the write-ahead log into the file; a damaged file is left untouched. */
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        return store_fail(store, "cannot %s: the store is damaged (%s); left unchanged", doing, detail);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return store_fail(store, "cannot %s: another process has held the store for more than %d s", doing,
                          STORE_BUSY_MS / 1000);
    case SQLITE_FULL:
        return store_fail(store, "no space left for the store and the files beside it");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN: {
        int system = sqlite3_system_errno(store->db);
        if (system == ENOSPC || system == EDQUOT) {
            return store_fail(store, "no space left for the store and the files beside it");
        }
        return store_fail(store, "cannot %s: %s%s%s", doing, detail, system != 0 ? ": " : "",
                          system != 0 ? strerror(system) : "");
    }
    case SQLITE_READONLY:
        return store_fail(store, "cannot %s: the store is not writable", doing);
    case SQLITE_NOMEM:
        return store_fail(store, "cannot %s: out of memory", doing);
    case SQLITE_INTERRUPT:
        return stop_is_requested(store->stop)
                   ? store_fail(store, "cannot %s: interrupted", doing)
                   : store_fail(store, "cannot %s: the store is damaged (no end of it after %llu steps)",
                                doing, (unsigned long long)store->steps);
    default:
        return store_fail(store, "cannot %s: %s", doing, detail);
    }
}

const char *store_error(const Store *store) {
    return store->error;
}

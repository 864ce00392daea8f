/* A power cut at any moment: what was reported as saved is there, and the store is sound.
 *
 * All that SQLite writes is recorded by a VFS of our own. For a cut, files are put together again from the
 * record: what was synced is there; of what was not, some writes are lost, some are torn at a sector, and
 * they arrive in any order, as a disk may do. (The file of shared memory never outlives a cut.) */
#include "store_fixture.h"

#include <sqlite3.h>

enum { FILES = 3, SECTOR = 512, ROWS = 400, STEPS = 20 };
static const char *const suffixes[FILES] = {"", "-wal", "-journal"};

typedef enum { WRITE, TRUNCATE, SYNC, DELETE, SAVED } Kind;

typedef struct Event {
    Kind kind;
    int file; /* by suffix */
    size_t at, size;
    unsigned char *bytes;
    uint64_t saved; /* SAVED: rows reported so far */
} Event;

static struct { /* a VFS has no other place for what it records */
    Event *events;
    size_t count, room;
    bool on;
} record;

static void note(Event event) {
    if (!record.on) {
        free(event.bytes);
        return;
    }
    if (record.count == record.room) {
        record.room = record.room ? 2 * record.room : 1024;
        record.events = realloc(record.events, record.room * sizeof *record.events);
        assert_non_null(record.events);
    }
    record.events[record.count++] = event;
}

/* ---- the VFS: everything goes to the real one, and is recorded ---- */

typedef struct Opened {
    sqlite3_file base;
    int file; /* -1: not one of ours */
} Opened;

static sqlite3_vfs *real_vfs;

static sqlite3_file *real_of(sqlite3_file *file) {
    return (sqlite3_file *)((char *)file + (sizeof(Opened) + 15) / 16 * 16);
}

static int file_of(const char *name) {
    for (int k = FILES - 1; name != NULL && k >= 0; k--) {
        size_t length = strlen(name), tail = strlen(suffixes[k]);
        if (length >= tail && strcmp(name + length - tail, suffixes[k]) == 0) {
            return k;
        }
    }
    return -1;
}

#define REAL(file, method, ...) real_of(file)->pMethods->method(real_of(file), ##__VA_ARGS__)

static int on_close(sqlite3_file *file) {
    return real_of(file)->pMethods != NULL ? REAL(file, xClose) : SQLITE_OK;
}
static int on_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 at) {
    return REAL(file, xRead, to, bytes, at);
}
static int on_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 at) {
    Event event = {WRITE, ((Opened *)file)->file, (size_t)at, (size_t)bytes, malloc((size_t)bytes), 0};
    assert_non_null(event.bytes);
    memcpy(event.bytes, from, event.size);
    note(event);
    return REAL(file, xWrite, from, bytes, at);
}
static int on_truncate(sqlite3_file *file, sqlite3_int64 size) {
    note((Event){.kind = TRUNCATE, .file = ((Opened *)file)->file, .size = (size_t)size});
    return REAL(file, xTruncate, size);
}
static int on_sync(sqlite3_file *file, int flags) {
    note((Event){.kind = SYNC, .file = ((Opened *)file)->file});
    return REAL(file, xSync, flags);
}
static int on_size(sqlite3_file *file, sqlite3_int64 *size) {
    return REAL(file, xFileSize, size);
}
static int on_lock(sqlite3_file *file, int lock) {
    return REAL(file, xLock, lock);
}
static int on_unlock(sqlite3_file *file, int lock) {
    return REAL(file, xUnlock, lock);
}
static int on_reserved(sqlite3_file *file, int *result) {
    return REAL(file, xCheckReservedLock, result);
}
static int on_control(sqlite3_file *file, int what, void *argument) {
    return REAL(file, xFileControl, what, argument);
}
static int on_sector(sqlite3_file *file) {
    (void)file;
    return SECTOR;
}
static int on_traits(sqlite3_file *file) {
    (void)file;
    return 0; /* no promises: neither atomic writes nor an order of them */
}
static int on_shm_map(sqlite3_file *file, int page, int bytes, int extend, void volatile **at) {
    return REAL(file, xShmMap, page, bytes, extend, at);
}
static int on_shm_lock(sqlite3_file *file, int from, int n, int flags) {
    return REAL(file, xShmLock, from, n, flags);
}
static void on_shm_barrier(sqlite3_file *file) {
    REAL(file, xShmBarrier);
}
static int on_shm_unmap(sqlite3_file *file, int remove) {
    return REAL(file, xShmUnmap, remove);
}

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *got) {
    static const sqlite3_io_methods methods = {
        2,           on_close,       on_read,      on_write,   on_truncate, on_sync,   on_size,
        on_lock,     on_unlock,      on_reserved,  on_control, on_sector,   on_traits, on_shm_map,
        on_shm_lock, on_shm_barrier, on_shm_unmap, NULL,       NULL};
    (void)vfs;
    ((Opened *)file)->file = file_of(name);
    real_of(file)->pMethods = NULL;
    int code = real_vfs->xOpen(real_vfs, name, real_of(file), flags, got);
    file->pMethods = code == SQLITE_OK ? &methods : NULL;
    return code;
}
static int on_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    (void)vfs;
    note((Event){.kind = DELETE, .file = file_of(name)});
    return real_vfs->xDelete(real_vfs, name, sync);
}

/* ---- putting files together again ---- */

typedef struct FileImage {
    unsigned char *bytes;
    size_t size;
    bool there;
} FileImage;

static void put(FileImage *image, size_t at, const unsigned char *bytes, size_t size) {
    if (at + size > image->size) {
        image->bytes = realloc(image->bytes, at + size);
        assert_non_null(image->bytes);
        memset(image->bytes + image->size, 0, at + size - image->size);
        image->size = at + size;
    }
    memcpy(image->bytes + at, bytes, size);
    image->there = true;
}

static void apply(FileImage *image, const Event *event) {
    if (event->kind == WRITE) {
        put(image, event->at, event->bytes, event->size);
    } else if (event->size < image->size) {
        image->size = event->size;
    }
}

static uint64_t draw(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

/* Some of a write: its sectors arrive or not, each for itself. */
static void apply_torn(FileImage *image, const Event *event, uint64_t *state) {
    for (size_t from = 0; from < event->size;) {
        size_t end = (event->at + from) / SECTOR * SECTOR + SECTOR - event->at;
        end = end < event->size ? end : event->size;
        if (draw(state) >> 33 & 1) {
            put(image, event->at + from, event->bytes + from, end - from);
        }
        from = end;
    }
}

/* The file as the disk has it when the power goes after `cut` events; returns the rows reported by then. */
static uint64_t remains(size_t cut, int file, uint64_t *state, FileImage *image) {
    size_t synced = 0, begin = 0;
    uint64_t saved = 0;
    for (size_t k = 0; k < cut; k++) {
        const Event *event = &record.events[k];
        saved = event->kind == SAVED ? event->saved : saved;
        if (event->file == file && event->kind == SYNC) {
            synced = k;
        } else if (event->file == file && event->kind == DELETE) {
            begin = synced = k + 1;
        }
    }
    *image = (FileImage){0};
    size_t n = 0;
    const Event **loose = calloc(cut + 1, sizeof *loose);
    assert_non_null(loose);
    for (size_t k = begin; k < cut; k++) {
        const Event *event = &record.events[k];
        if (event->file == file && (event->kind == WRITE || event->kind == TRUNCATE)) {
            if (k < synced) {
                apply(image, event);
            } else {
                loose[n++] = event;
            }
        }
    }
    image->there |= n > 0;
    uint64_t way = draw(state) >> 40 & 3; /* 0: all is lost; 1: all arrives; 2, 3: some, in any order */
    for (size_t k = 0; k < n && way != 0; k++) {
        if (way == 1) {
            apply(image, loose[k]);
            continue;
        }
        size_t other = k + (size_t)(draw(state) >> 20) % (n - k);
        const Event *event = loose[other];
        loose[other] = loose[k];
        if (event->kind == TRUNCATE) {
            apply(image, event);
        } else if (draw(state) >> 35 & 1) {
            apply_torn(image, event, state);
        }
    }
    free(loose);
    return saved;
}

static bool count_program(void *context, const StoreProgram *program) {
    *(uint64_t *)context += program->length > 0;
    return true;
}

static void cut_power(const char *path, size_t cut, uint64_t seed) {
    uint64_t state = seed * 0x9E3779B97F4A7C15u + cut + 1, saved = 0, found = 0;
    char name[400], error[STORE_ERROR_MAX] = "";
    for (int k = 0; k < FILES; k++) {
        FileImage image;
        saved = remains(cut, k, &state, &image);
        snprintf(name, sizeof name, "%s%s", path, suffixes[k]);
        unlink(name);
        if (image.there || k == 0) {
            write_bytes(name, image.bytes != NULL ? image.bytes : (unsigned char *)"", image.size);
        }
        free(image.bytes);
    }
    snprintf(name, sizeof name, "%s-shm", path);
    unlink(name);
    Store *store = store_open(path, STORE_WRITE | STORE_CREATE, error);
    if (store == NULL) {
        fail_msg("after %zu events, seed %llu, %llu rows saved: %s", cut, (unsigned long long)seed,
                 (unsigned long long)saved, error);
    }
    assert_true(store_each_program(store, count_program, &found));
    if (found < saved) {
        fail_msg("after %zu events, seed %llu: %llu rows of %llu", cut, (unsigned long long)seed,
                 (unsigned long long)found, (unsigned long long)saved);
    }
    check_ok(store);
    close_ok(store);
}

/* Creates a store, saves rows in several commits, closes it and opens it again for more. */
static void make_record(const char *path) {
    uint64_t saved = 0;
    record.on = true;
    for (int round = 0; round < 2; round++) {
        Store *store = open_ok(path, STORE_WRITE | STORE_CREATE);
        for (int step = 0; step < STEPS; step++) {
            for (int k = 0; k < ROWS / STEPS; k++) {
                put_program(store, saved + (uint64_t)k);
            }
            assert_true(store_flush(store));
            saved += ROWS / STEPS;
            note((Event){.kind = SAVED, .file = -1, .saved = saved});
        }
        close_ok(store);
    }
    record.on = false;
}

static void a_power_cut_loses_nothing_saved(void **state) {
    Folder *folder = *state;
    char other[340];
    snprintf(other, sizeof other, "%s.cut", folder->store);
    make_record(folder->store);
    assert_true(record.count > 100);
    const char *rounds_given = getenv("BATT_TEST_ROUNDS"), *seed_given = getenv("BATT_TEST_SEED");
    size_t rounds = rounds_given != NULL                ? strtoul(rounds_given, NULL, 10)
                    : getenv("BATT_TEST_QUICK") != NULL ? 100
                                                        : 2000;
    uint64_t random = seed_given != NULL ? strtoull(seed_given, NULL, 10) + 1 : 88172645463325252u;
    for (size_t k = 0; k < rounds; k++) {
        uint64_t seed = draw(&random);
        cut_power(other, seed % (record.count + 1), seed);
    }
    print_message("%zu events, %zu power cuts\n", record.count, rounds);
    for (size_t k = 0; k < record.count; k++) {
        free(record.events[k].bytes);
    }
    free(record.events);
}

int main(void) {
    static sqlite3_vfs vfs;
    real_vfs = sqlite3_vfs_find(NULL);
    vfs = *real_vfs;
    vfs.zName = "recording";
    vfs.szOsFile = real_vfs->szOsFile + (int)((sizeof(Opened) + 15) / 16 * 16);
    vfs.xOpen = on_open;
    vfs.xDelete = on_delete;
    sqlite3_vfs_register(&vfs, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_power_cut_loses_nothing_saved, folder_make, folder_remove),
    };
    return cmocka_run_group_tests_name("store_power", tests, NULL, NULL);
}

/* Any bytes as a store: an answer, soon and in little memory; reading never changes the file, and what opens
 * for writing takes rows and is a store afterwards.
 *
 * An input is a list of changes to a sound store, since random bytes hardly ever look like one. Its first
 * byte says what kind: 0, four bytes each: where (two bytes, modulo the number of pages, and one for the
 * place), and the new byte; 1, the same, and the file is cut at the end; 2, SQL that is run on it with the
 * schema writable; 3, the bytes are the file. */
#include "data/store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PROGRAMS = 40, MOST_SECONDS = 5, MOST_BYTES = 256 << 20 };

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SLOWER = 10 };
#elif defined __has_feature
enum { SLOWER = __has_feature(address_sanitizer) ? 10 : 1 };
#else
enum { SLOWER = 1 };
#endif

typedef struct Bytes {
    unsigned char *data;
    size_t size;
} Bytes;

static void need(bool fine, const char *what) {
    if (!fine) {
        fprintf(stderr, "fuzz_store_file: %s\n", what);
        abort();
    }
}

static Bytes read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    Bytes bytes = {0};
    if (file != NULL) {
        fseek(file, 0, SEEK_END);
        bytes.size = (size_t)ftell(file);
        rewind(file);
        bytes.data = malloc(bytes.size + 1);
        need(bytes.data != NULL && fread(bytes.data, 1, bytes.size, file) == bytes.size, "cannot read");
        fclose(file);
    }
    return bytes;
}

static void write_file(const char *path, const unsigned char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    need(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0, "cannot write");
}

static void remove_store(const char *path) {
    char side[100];
    unlink(path);
    for (int i = 0; i < 3; i++) {
        static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
        snprintf(side, sizeof side, "%s%s", path, suffixes[i]);
        unlink(side);
    }
}

static StoreProgram program_of(int n, char text[64]) {
    StoreProgram program = {.text = text, .calls = n % 9 + 1, .mode = n % 2};
    program.length = (size_t)snprintf(text, 64, "def solve(I):\n    O = p%d(I)\n    return O\n", n);
    memset(program.key.bytes, n * 37, sizeof program.key.bytes);
    program.key.bytes[0] = (unsigned char)n;
    return program;
}

static void put_rows(Store *store, int from, int to) {
    char text[64], task[20];
    for (int n = from; n < to; n++) {
        StoreProgram program = program_of(n, text);
        snprintf(task, sizeof task, "task%d", n % 7);
        StoreResult result = {.task = task,
                              .program = program.key,
                              .score = n * 10,
                              .train_total = 3,
                              .steps = n,
                              .time_ns = n};
        StoreLineage lineage = {.child = program.key, .mutation = "fill"};
        if (!store_put_program(store, &program) || !store_put_result(store, &result) ||
            !store_put_lineage(store, &lineage) || !store_put_name(store, task, &program.key)) {
            return; /* a damaged store may refuse */
        }
    }
}

static Bytes sound_store(const char *path) {
    char error[STORE_ERROR_MAX] = "";
    int64_t run = 0;
    remove_store(path);
    Store *store = store_open(path, STORE_WRITE | STORE_CREATE, error);
    need(store != NULL, error);
    put_rows(store, 0, PROGRAMS);
    static unsigned char state[9000];
    StoreNet net = {.task = "task1", .seed = 1, .step = 5, .state = state, .bytes = sizeof state};
    need(store_run_begin(store, "{}", "data", 1, &run) && store_put_net(store, &net) &&
             store_close(store, error),
         "no store to begin with");
    return read_file(path);
}

static void run_sql(const char *path, const uint8_t *data, size_t size) {
    sqlite3 *db = NULL;
    char *sql = malloc(size + 1);
    need(sql != NULL && sqlite3_open(path, &db) == SQLITE_OK, "cannot open");
    memcpy(sql, data, size);
    sql[size] = '\0';
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1);
    sqlite3_exec(db, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA writable_schema = ON",
                 NULL, NULL, NULL);
    sqlite3_progress_handler(db, 100000, (int (*)(void *))(void (*)(void))sqlite3_libversion_number, NULL);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
    free(sql);
}

static void make_file(const char *path, const Bytes *sound, const uint8_t *data, size_t size) {
    uint8_t kind = size > 0 ? data[0] & 3 : 0;
    data += size > 0, size -= size > 0;
    remove_store(path);
    if (kind == 3) {
        write_file(path, data, size);
        return;
    }
    unsigned char *bytes = malloc(sound->size);
    need(bytes != NULL, "out of memory");
    memcpy(bytes, sound->data, sound->size);
    size_t length = sound->size;
    for (; kind < 2 && size >= 4; data += 4, size -= 4) {
        size_t page = data[0] % (sound->size / 4096),
               at = page * 4096 + (size_t)(data[1] << 8 | data[2]) % 4096;
        bytes[at] = data[3];
        length = kind == 1 ? at : length;
    }
    write_file(path, bytes, length);
    free(bytes);
    if (kind == 2) {
        run_sql(path, data, size);
    }
}

static bool see_row(void *rows, const StoreRow *row) {
    *(size_t *)rows += strlen(row->program.text) + strlen(row->result.task);
    return true;
}
static bool see_program(void *rows, const StoreProgram *program) {
    *(size_t *)rows += strlen(program->text);
    return true;
}
static bool see_name(void *rows, const char *name, const StoreProgram *program, bool scored) {
    *(size_t *)rows += strlen(name) + strlen(program->text) + scored;
    return true;
}
static bool see_lineage(void *rows, const StoreLineage *lineage) {
    *(size_t *)rows += strlen(lineage->mutation);
    return true;
}
static bool see_result(void *rows, const StoreResult *result, int64_t started) {
    *(size_t *)rows += strlen(result->task) + (started > 0);
    return true;
}
static bool see_run(void *rows, const StoreRun *run) {
    *(size_t *)rows += strlen(run->settings) + strlen(run->data_hash);
    return true;
}
static bool see_net(void *rows, const StoreNet *net) {
    for (size_t k = 0; k < net->bytes; k++) {
        *(size_t *)rows += ((const unsigned char *)net->state)[k];
    }
    return true;
}
static void say(void *context, const char *problem) {
    *(size_t *)context += strlen(problem);
}

static void read_all(const char *path) {
    char error[STORE_ERROR_MAX] = "";
    Store *store = store_open(path, STORE_READ | STORE_UNVERIFIED, error);
    if (store == NULL) {
        need(error[0] != '\0', "refused without a word");
        return;
    }
    StoreStats stats;
    StoreFilter filter = {.mode = -1};
    size_t seen = 0;
    int64_t problems = 0;
    store_stats(store, &stats);
    store_best(store, NULL, 3, see_row, &seen);
    store_list(store, &filter, see_row, &seen);
    store_each_program(store, see_program, &seen);
    store_each_named(store, see_name, &seen);
    store_each_unused(store, see_program, &seen);
    store_each_lineage(store, see_lineage, &seen);
    store_each_result(store, see_result, &seen);
    store_each_run(store, 0, see_run, &seen);
    store_each_net(store, see_net, &seen);
    store_check(store, NULL, say, &seen, &problems);
    store_close(store, error);
}

static void write_rows(const char *path) {
    char error[STORE_ERROR_MAX] = "";
    size_t seen = 0;
    int64_t problems = 0;
    Store *store = store_open(path, STORE_WRITE | STORE_CREATE, error);
    if (store == NULL) {
        need(error[0] != '\0', "refused without a word");
        return;
    }
    put_rows(store, PROGRAMS, PROGRAMS + 2);
    if (store_flush(store)) {
        store_check(store, NULL, say, &seen, &problems);
    }
    store_close(store, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Bytes sound; /* made once: it costs more than a round */
    char path[64];
    snprintf(path, sizeof path, "%s/batt-fuzz-file-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : P_tmpdir,
             (int)getpid());
    if (sound.data == NULL) {
        sound = sound_store(path);
    }
    make_file(path, &sound, data, size);
    Bytes before = read_file(path);
    clock_t start = clock();
    sqlite3_memory_highwater(1);
    read_all(path);
    need(clock() - start < (clock_t)MOST_SECONDS * SLOWER * CLOCKS_PER_SEC, "reading takes too long");
    Bytes after = read_file(path);
    need(before.size == after.size && (before.size == 0 || memcmp(before.data, after.data, before.size) == 0),
         "reading changed the file");
    start = clock();
    write_rows(path);
    need(clock() - start < (clock_t)MOST_SECONDS * SLOWER * CLOCKS_PER_SEC, "writing takes too long");
    need(sqlite3_memory_highwater(0) < MOST_BYTES, "too much memory");
    free(before.data);
    free(after.data);
    remove_store(path);
    return 0;
}

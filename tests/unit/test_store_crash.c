/* What must not lose or damage anything: being killed, a neighbour writing, a full disk, no memory. */
#include "base/alloc.h"
#include "base/clock.h"
#include "data/store/store_internal.h"
#include "store_fixture.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* A child that does not outlive a failed test. */
static pid_t fork_bound(void) {
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    return child;
}

static bool quick(void) { /* under valgrind and sanitizers: fewer rounds of the same */
    return getenv("BATT_TEST_QUICK") != NULL;
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

/* One program with its result and lineage: three rows that must appear together. */
static bool put_three(Store *store, uint64_t number) {
    char text[64];
    StoreProgram program = program_of(number, text);
    StoreResult result = {.task = number % 2 ? "odd" : "even",
                          .program = program.key,
                          .score = (int32_t)(number % 3001),
                          .train_total = 3,
                          .steps = (int64_t)number,
                          .time_ns = 1};
    StoreLineage lineage = {program.key, 1, {key_of(number / 2)}, "step"};
    return store_put_program(store, &program) && store_put_result(store, &result) &&
           store_put_lineage(store, &lineage);
}

static bool mark_row(void *context, const StoreRow *row) {
    unsigned char *marks = context;
    marks[row->result.steps] = 1;
    return true;
}

/* The store is sound and holds the programs first..end-1, each with its result. Returns the first number not
 * there. */
static uint64_t check_holds(const char *path, uint64_t first, uint64_t end) {
    Store *store = open_ok(path, STORE_WRITE);
    unsigned char *marks = calloc(1, 1 << 24);
    StoreFilter all = {.mode = -1};
    check_ok(store);
    assert_true(store_list(store, &all, mark_row, marks));
    for (uint64_t n = first; n < end; n++) {
        if (!marks[n]) {
            fail_msg("number %llu was reported as saved and is not there", (unsigned long long)n);
        }
    }
    while (marks[end]) {
        end++;
    }
    free(marks);
    close_ok(store);
    return end;
}

static _Noreturn void write_until_killed(const char *path, uint64_t first, uint64_t seed, int report) {
    char error[STORE_ERROR_MAX];
    Store *store = store_open(path, STORE_WRITE | STORE_CREATE, error);
    if (store == NULL) {
        fprintf(stderr, "%s\n", error);
        _exit(1);
    }
    for (uint64_t n = first;;) {
        for (uint64_t batch = 1 + next_random(&seed) % 300; batch > 0; batch--) {
            if (!put_three(store, n++)) {
                _exit(2);
            }
        }
        if (!store_flush(store) || write(report, &n, sizeof n) != sizeof n) {
            _exit(3);
        }
    }
}

static int kills_wanted(void) { /* BATT_TEST_KILLS: for those who want to be sure */
    const char *text = getenv("BATT_TEST_KILLS");
    return text != NULL ? atoi(text) : quick() ? 12 : 50;
}

static _Noreturn void create_and_close(const char *path) {
    char error[STORE_ERROR_MAX];
    Store *store = store_open(path, STORE_WRITE | STORE_CREATE, error);
    _exit(store != NULL && store_close(store, error) ? 0 : 1);
}

/* Creators killed at every moment of making a store: what is there afterwards is a whole store, or
 * none, and store_identify knows which before SQLite has opened it. */
static void killing_a_creator_leaves_a_store_or_none(void **state) {
    Folder *folder = *state;
    uint64_t seed = clock_now_ns() | 1, span = 1000;
    int made = 0, none = 0, kills = 4 * kills_wanted();
    char error[STORE_ERROR_MAX] = "", command[400];
    for (int round = 0; round < kills; round++) {
        int status;
        snprintf(command, sizeof command, "rm -f '%s'*", folder->store);
        assert_int_equal(system(command), 0);
        pid_t child = fork_bound();
        if (child == 0) {
            create_and_close(folder->store);
        }
        usleep((useconds_t)(next_random(&seed) % span));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
        Identity identity = store_identify(folder->store, error);
        if (identity == IDENTITY_OURS) {
            Store *store = open_ok(folder->store, STORE_READ);
            check_ok(store);
            close_ok(store);
        } else {
            assert_true(identity == IDENTITY_MISSING || identity == IDENTITY_EMPTY);
        }
        made += identity == IDENTITY_OURS;
        none += identity != IDENTITY_OURS;
        /* The span of moments is drawn towards the one at which it is made, wherever that is on this machine.
         */
        span = identity == IDENTITY_OURS    ? span - span / 8
               : made == 0 && span < 500000 ? span * 2
                                            : span + span / 8 + 8;
        close_ok(open_ok(folder->store, STORE_WRITE | STORE_CREATE));
    }
    print_message("%d kills, a store was there after %d\n", kills, made);
    assert_true(made > 0 && none > 0);
}

/* Fifty writers, each killed at a random moment: a third of them at once, so that opening and creating is hit
 * too, the others some time after they have reported their first commit. */
static void killing_a_writer_loses_nothing_reported(void **state) {
    Folder *folder = *state;
    uint64_t seed = clock_now_ns() | 1, reported = 0, total = 0;
    int kills = kills_wanted();
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int round = 0; round < kills; round++) {
        int ends[2], status;
        uint64_t before;
        char error[STORE_ERROR_MAX] = "";
        if (round % 10 == 0) {
            reported = 0;
            snprintf(folder->store, sizeof folder->store, "%s/%d.batt", folder->path, round);
        }
        before = reported;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork_bound();
        if (child == 0) {
            close(ends[0]);
            write_until_killed(folder->store, reported, next_random(&seed), ends[1]);
        }
        close(ends[1]);
        fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
        next_random(&seed);
        if (round % 3 != 0) {
            assert_int_equal(read(ends[0], &reported, sizeof reported), sizeof reported);
        }
        usleep((useconds_t)(next_random(&seed) % (round % 3 == 0 ? 12000 : 100000)));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        for (uint64_t got; read(ends[0], &got, sizeof got) == sizeof got;) {
            reported = got;
        }
        close(ends[0]);
        total += reported - before;
        if (store_identify(folder->store, error) == IDENTITY_OURS) {
            check_holds(folder->store, 0, reported);
        } else { /* killed before it was a store: nothing was reported, and the name can still become one */
            assert_int_equal(reported, 0);
            close_ok(open_ok(folder->store, STORE_WRITE | STORE_CREATE));
        }
    }
    print_message("%d kills, %llu programs reported as saved\n", kills, (unsigned long long)total);
}

/* What a writer reports while it lives, in shared memory. */
enum { MAX_PUTS = 20000 };
typedef struct Diary {
    _Atomic uint64_t put[MAX_PUTS]; /* when each number was put */
    _Atomic uint64_t ticked;        /* when the last tick that has returned was called */
} Diary;

static _Noreturn void put_and_tick(const char *path, Diary *diary) {
    char error[STORE_ERROR_MAX];
    Store *store = store_open(path, STORE_WRITE | STORE_CREATE, error);
    for (uint64_t n = 0; store != NULL && n < MAX_PUTS; n++) {
        if (!put_three(store, n)) {
            _exit(1);
        }
        diary->put[n] = clock_now_ns();
        usleep(500);
        uint64_t called = clock_now_ns();
        if (!store_tick(store)) {
            _exit(2);
        }
        diary->ticked = called;
    }
    _exit(3);
}

/* With nothing but ticks between puts: a tick saves what has waited for half a second. So a kill loses no
 * more than a second, if the machine lets the writer run; a busy one may stop it for longer, hence the best
 * of four counts. */
static void a_kill_loses_at_most_the_last_second(void **state) {
    enum { WRITERS = 4 };
    Folder *folder = *state;
    size_t size = WRITERS * sizeof(Diary);
    Diary *diaries = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t children[WRITERS];
    char path[WRITERS][320];
    uint64_t min = UINT64_MAX;
    assert_true(diaries != MAP_FAILED);
    for (int w = 0; w < WRITERS; w++) {
        snprintf(path[w], sizeof path[w], "%s/%d.batt", folder->path, w);
        children[w] = fork_bound();
        if (children[w] == 0) {
            put_and_tick(path[w], &diaries[w]);
        }
    }
    for (int wait = 0; wait < 600 && diaries[0].ticked == 0; wait++) { /* a busy machine is slow to begin */
        usleep(100000);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        uint64_t due = 0, saved;
        const Diary *diary = &diaries[w];
        usleep(w == 0 ? 1700000 : 130000);
        uint64_t killed = clock_now_ns();
        kill(children[w], SIGKILL);
        assert_int_equal(waitpid(children[w], &status, 0), children[w]);
        assert_true(WIFSIGNALED(status));
        if (diary->ticked == 0) { /* not even open yet */
            continue;
        }
        while (due < MAX_PUTS && diary->put[due] != 0 &&
               diary->put[due] + (uint64_t)STORE_COMMIT_MS * 1000000u <= diary->ticked) {
            due++;
        }
        saved = check_holds(path[w], 0, due);
        uint64_t lost = saved < MAX_PUTS && diary->put[saved] != 0 ? killed - diary->put[saved] : 0;
        print_message("lost: the last %llu ms\n", (unsigned long long)(lost / 1000000u));
        min = lost < min ? lost : min;
    }
    assert_true(getenv("BATT_TEST_IDLE") == NULL || min < 1000000000u);
    munmap(diaries, size);
}

static void two_processes_share_a_store(void **state) {
    enum { EACH = 6000, PROCESSES = 2 };
    Folder *folder = *state;
    pid_t children[PROCESSES];
    for (uint64_t p = 0; p < PROCESSES; p++) {
        children[p] = fork_bound();
        if (children[p] == 0) { /* both also try to create it */
            char error[STORE_ERROR_MAX] = "";
            int64_t run;
            Store *store = store_open(folder->store, STORE_WRITE | STORE_CREATE, error);
            bool fine = store != NULL && store_run_begin(store, "{}", "", p, &run);
            for (uint64_t n = 0; fine && n < EACH; n++) {
                fine = put_three(store, n * PROCESSES + p) && (n % 50 != 0 || store_flush(store));
            }
            fine = fine && store_skipped(store) == 0;
            if (!fine) {
                fprintf(stderr, "%s\n", store ? store_error(store) : error);
            }
            _exit(store_close(store, error) && fine ? 0 : 1);
        }
    }
    Store *reader = NULL;
    char error[STORE_ERROR_MAX];
    for (int left = PROCESSES, reads = 0; left > 0;) {
        int status;
        pid_t gone = waitpid(-1, &status, WNOHANG);
        if (gone > 0) {
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
            left--;
        }
        if (reader == NULL) { /* may be missing or empty still */
            reader = store_open(folder->store, STORE_READ, error);
        } else { /* a reader sees whole commits: as many results as programs */
            StoreStats stats;
            assert_true(store_stats(reader, &stats));
            assert_int_equal(stats.programs, stats.results);
            assert_int_equal(stats.programs, stats.lineage);
            reads++;
        }
    }
    assert_non_null(reader);
    close_ok(reader);
    check_holds(folder->store, 0, EACH * PROCESSES);
    Store *store = open_ok(folder->store, STORE_READ);
    StoreStats stats;
    assert_true(store_stats(store, &stats));
    assert_int_equal(stats.runs, PROCESSES);
    close_ok(store);
}

/* A neighbour that holds the lock: the queue waits, and is written when the lock is free. */
static void a_held_lock_delays_but_does_not_lose(void **state) {
    Folder *folder = *state;
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    sqlite3 *other;
    sqlite3_busy_timeout(store->db, 20); /* not the ten seconds of a user */
    assert_int_equal(sqlite3_open(folder->store, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    store_hold(store);
    assert_true(put_three(store, 1));
    assert_false(store_release(store));
    assert_non_null(strstr(store_error(store), "another process"));
    assert_int_equal(store_waiting(store), 3);
    assert_int_equal(store_saved(store), 0);
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_true(store_flush(store));
    assert_int_equal(store_saved(store), 3);
    sqlite3_close(other);
    close_ok(store);
    check_holds(folder->store, 1, 2);
}

static void a_full_disk_keeps_the_queue(void **state) {
    Folder *folder = *state;
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    assert_true(put_three(store, 0));
    assert_true(store_flush(store));
    assert_true(store_exec(store, "PRAGMA max_page_count = 30", "limit"));
    store_hold(store);
    for (uint64_t n = 1; n < 3000; n++) {
        assert_true(put_three(store, n));
    }
    assert_false(store_release(store));
    assert_non_null(strstr(store_error(store), "no space left"));
    assert_int_equal(store_saved(store), 3);
    assert_true(store_waiting(store) == 3 * 2999);
    assert_true(store_exec(store, "PRAGMA max_page_count = 1000000", "limit"));
    assert_true(store_flush(store));
    assert_int_equal(store_saved(store), 3 * 3000);
    close_ok(store);
    check_holds(folder->store, 0, 3000);
}

/* The same with the system refusing to write: a limit on the size of files. */
static void a_refused_write_keeps_what_was_saved(void **state) {
    Folder *folder = *state;
    pid_t child = fork_bound();
    if (child == 0) {
        char error[STORE_ERROR_MAX] = "";
        struct rlimit limit = {256 << 10, 256 << 10};
        signal(SIGXFSZ, SIG_IGN);
        Store *store = store_open(folder->store, STORE_WRITE | STORE_CREATE, error);
        bool fine = store != NULL && put_three(store, 0) && put_three(store, 1) && store_flush(store);
        setrlimit(RLIMIT_FSIZE, &limit);
        store_hold(store);
        for (uint64_t n = 2; fine && n < 5000; n++) {
            fine = put_three(store, n);
        }
        fine = fine && !store_release(store) && store_saved(store) == 6;
        fine = fine && !store_close(store, error) && strstr(error, "14994 rows were not saved") != NULL;
        if (!fine) {
            fprintf(stderr, "%s\n", error);
        }
        _exit(fine ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    check_holds(folder->store, 0, 2);
}

/* ---- no memory: SQLite's allocations go through ours here, so both are made to fail ---- */

static void *sql_malloc(int bytes) {
    return mem_alloc((size_t)bytes);
}

static void *sql_realloc(void *block, int bytes) {
    return mem_grow(block, (size_t)bytes, 1);
}

static int sql_size(void *block) {
    return block ? (int)malloc_usable_size(block) : 0;
}

static int sql_roundup(int bytes) {
    return (bytes + 7) & ~7;
}

static int sql_init(void *data) {
    (void)data;
    return SQLITE_OK;
}

static void sql_shutdown(void *data) {
    (void)data;
}

static bool count_row(void *context, const StoreRow *row) {
    ++*(int *)context;
    return row->program.text[0] == 'd' && row->result.task[0] != '\0'; /* never a row with its text missing */
}

/* All that a store does, on whatever is there. True if every step went well; *saved says what must then be
 * there. */
static bool use_store(const char *path, uint64_t first, uint64_t *saved) {
    char error[STORE_ERROR_MAX] = "";
    int rows = 0;
    int64_t run, problems = 0;
    StoreStats stats;
    StorePruned pruned;
    Store *store = store_open(path, STORE_WRITE | STORE_CREATE, error);
    if (store == NULL) {
        assert_true(strlen(error) > 0);
        return false;
    }
    bool fine = store_run_begin(store, "{}", "", 1, &run);
    for (uint64_t n = first; n < first + 3; n++) {
        fine = put_three(store, n) && fine;
    }
    fine = store_run_finish(store, 1, "{}", "state") && fine;
    fine = store_flush(store) && fine;
    *saved = store_saved(store);
    fine = store_best(store, NULL, 2, count_row, &rows) && fine;
    fine = store_stats(store, &stats) && fine;
    fine = store_prune(store, 1000, &pruned) && fine;
    fine = store_check(store, verify_number, say_problem, NULL, &problems) && fine;
    assert_int_equal(problems, 0);
    return store_close(store, error) && fine;
}

static void every_failed_allocation_is_survived(void **state) {
    Folder *folder = *state;
    uint64_t at = 1, tried = 0;
    for (;; at += quick() ? 1 + at / 8 : at < 200 ? 1 : at / 40) {
        uint64_t saved = 0, calls = mem_calls(), bytes = mem_bytes();
        unlink(folder->store);
        mem_fail_at(at);
        bool fine = use_store(folder->store, 0, &saved);
        mem_fail_at(0);
        assert_int_equal(mem_bytes(), bytes); /* nothing leaked */
        tried++;
        if (mem_calls() - calls < at) {
            assert_true(fine);
            break;
        }
        if (saved == 10) {
            check_holds(folder->store, 0, 3);
        }
    }
    print_message("failed %llu of %llu allocations\n", (unsigned long long)tried, (unsigned long long)at);
    assert_true(tried > (quick() ? 20 : 200));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    static const sqlite3_mem_methods ours = {sql_malloc,  mem_free, sql_realloc,  sql_size,
                                             sql_roundup, sql_init, sql_shutdown, NULL};
    const struct CMUnitTest tests[] = {
        TEST(killing_a_writer_loses_nothing_reported), TEST(killing_a_creator_leaves_a_store_or_none),
        TEST(a_kill_loses_at_most_the_last_second),    TEST(two_processes_share_a_store),
        TEST(a_held_lock_delays_but_does_not_lose),    TEST(a_full_disk_keeps_the_queue),
        TEST(a_refused_write_keeps_what_was_saved),    TEST(every_failed_allocation_is_survived),
    };
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) != SQLITE_OK) {
        return 1;
    }
    return cmocka_run_group_tests_name("store_crash", tests, NULL, NULL);
}

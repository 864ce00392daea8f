/* Any bytes as a message of another rank: no crash, no memory lost, and what is refused leaves nothing
 * behind. The first byte says which reader gets the rest. */
#include "backends/ranks/ranks_internal.h"
#include "base/alloc.h"
#include "search/evolution/evolve_ranks.h"
#include "search/persistence/solve_store.h"
#include "search/run/run_wire.h"
#include "search/session/solve_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char task_text[] = "{\"train\":[{\"input\":[[1,0],[0,2]],\"output\":[[0,1],[2,0]]},{\"input\":[["
                                "3,3],[0,0]],\"output\":[[3,3],"
                                "[0,0]]}],\"test\":[{\"input\":[[5,0],[0,0]],\"output\":[[0,5],[0,0]]}]}";

static void need(bool fine, const char *what) {
    if (!fine) {
        fprintf(stderr, "fuzz_ranks: %s\n", what);
        abort();
    }
}

static bool take_result(void *user, size_t unit, unsigned from, Wire *wire) {
    need(unit < 4 && from == 1, "a result of nothing");
    wire_get_u64(wire);
    return ranks_claim(user, unit, from) && !wire->bad;
}

static void free_letters(LetterList *list) {
    while (list->first != NULL) {
        Letter *letter = list->first;
        list->first = letter->next;
        mem_free(letter);
    }
}

/* Messages one after the other, each with its length in a byte before it, in the middle of a loop. */
static void messages(unsigned rank, const uint8_t *data, size_t size) {
    Peer peers[2] = {0};
    Ranks r = {.rank = rank, .size = 2, .peers = peers, .state = COMM_RUNNING};
    RanksLoop loop = {.units = 4, .threads = 2, .twice = true, .user = &r, .unpack = take_result};
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.changed, NULL);
    r.outbox.end = &r.outbox.first;
    r.inbox.end = &r.inbox.first;
    need(ranks_loop_begin(&r, &loop), "no memory for a loop");
    while (size > 0) {
        size_t n = data[0] < size - 1 ? data[0] : size - 1;
        ranks_take_message(&r, 1 - rank, data + 1, n);
        data += n + 1;
        size -= n + 1;
    }
    need(r.work_queue.n_done <= 4 && r.work_queue.next <= 4, "more units than there are");
    stop_request(&r.stopped);
    peers[1].left = true; /* nobody is waited for */
    ranks_loop_end(&r);
    free_letters(&r.outbox);
    free_letters(&r.inbox);
    pthread_cond_destroy(&r.changed);
    pthread_mutex_destroy(&r.lock);
}

static void results(uint8_t reader, const Task *task, Lang *lang, Wire wire) {
    SolveTask solved;
    RunTask run;
    RunSpec spec = {.tasks = &task, .n_tasks = 1};
    if (reader == 0 && solve_unpack(&solved, task, lang, &wire)) {
        Out again;
        out_init(&again);
        solve_pack(&again, &solved);
        solve_task_free(&solved);
        wire = wire_of(again.data, again.len);
        need(solve_unpack(&solved, task, lang, &wire), "a result that was taken is refused when sent on");
        out_free(&again);
        solve_task_free(&solved);
    }
    if (reader == 1 && run_unpack(&run, &spec, task, &wire)) {
        run_free(&run, 1);
    }
}

static void evolution(uint8_t reader, const Task *task, Lang *lang, Wire wire) {
    EvolveOptions options = EVOLVE_OPTIONS_DEFAULT;
    Evolve evolve;
    Differs differs;
    char why[300];
    options.jobs = 1;
    options.memories = 1 << 16;
    options.budget.bytes = 1 << 20;
    need(differs_open(&differs, true, NULL, 0, why, sizeof why) &&
             evolve_open(&evolve, &options, &task, 1, &differs),
         "no memory for evolution");
    if (reader == 2) {
        evolve_unpack_next(&evolve, &evolve.tasks[0], lang, &wire);
        for (uint32_t k = 0; k < evolve.tasks[0].next_count; k++) {
            evolve_drop(&evolve.tasks[0].next[k], 0);
        }
    } else if (reader == 3) {
        evolve_unpack_state(&evolve, NULL, &wire);
    } else {
        need(evolve_split(&evolve, NULL), "no memory for a split");
        evolve.owners[0] = 1; /* of a rank that is lost */
        need(!evolve_take_given(&evolve, &wire) || evolve.tasks[0].count <= options.population,
             "more members than there is room for");
    }
    evolve_close(&evolve);
    differs_close(&differs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t before = mem_bytes();
    TaskSet *set = task_load_bytes("task.json", task_text, sizeof task_text - 1, NULL);
    Lang *lang = lang_open();
    need(set != NULL && set->n_tasks == 1 && lang != NULL, "the task of the fuzzer");
    if (size > 0) {
        Wire wire = wire_of(data + 1, size - 1);
        uint8_t reader = data[0] % 7;
        if (reader < 2) {
            results(reader, &set->tasks[0], lang, wire);
        } else if (reader < 4 || reader == 6) {
            evolution(reader, &set->tasks[0], lang, wire);
        } else {
            messages(reader - 4, data + 1, size - 1);
        }
    }
    lang_close(lang);
    task_set_free(set);
    need(mem_bytes() == before, "memory was lost");
    return 0;
}

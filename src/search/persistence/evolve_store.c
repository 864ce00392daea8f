/* Saving generations, and resuming from them; see evolve_store.h. */
#include "search/persistence/evolve_store.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "data/store/collection.h"
#include "data/store/solver_file.h"
#include "engine/language/print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { SEEDS_A_TASK = 3, RUNS_LOOKED_AT = 64 };

static bool complain(EvolveStore *l) {
    snprintf(l->error, sizeof l->error, "%s", store_error(l->store));
    return false;
}

bool evolve_store_open(EvolveStore *l, const char *path, const char *settings, uint64_t data_hash,
                       const Stop *stop) {
    *l = (EvolveStore){0};
    out_init(&l->scratch);
    snprintf(l->settings, sizeof l->settings, "%s", settings);
    snprintf(l->data_hash, sizeof l->data_hash, "%016" PRIx64, data_hash);
    l->store = store_open_unless(path, STORE_WRITE | STORE_CREATE, stop, l->error);
    return l->store != NULL;
}

/* ---- out ---- */

static int32_t known_tests(const Task *task) {
    int32_t known = 0;
    for (int32_t k = 0; k < task->n_test; k++) {
        known += task->test[k].has_output;
    }
    return known;
}

/* Results are those of solvers. What a differ scores on a task is put on record, as in a differ_dir: over all
 * samples, under the hash as its name. */
static bool put_differ(EvolveStore *l, const EvolveTask *t, const EvolveMember *m) {
    char hex[STORE_KEY_HEX];
    StoreRecord record = {.task = t->task->id,
                          .program = store_key_of(m->program->hash),
                          .kind = STORE_DIFFER,
                          .score = m->score + m->test_score,
                          .speed = collection_speed((int64_t)m->time_ns),
                          .file = hex};
    store_key_write(&record.program, hex);
    return store_put_record(l->store, &record);
}

static bool put_result(EvolveStore *l, const EvolveTask *t, const EvolveMember *m) {
    StoreResult result = {.task = t->task->id,
                          .program = store_key_of(m->program->hash),
                          .run = l->run,
                          .score = m->score,
                          .train_exact = m->exact,
                          .train_total = t->task->n_train,
                          .test_exact = m->test_exact,
                          .test_total = known_tests(t->task),
                          .guard_passed = m->guard.passed,
                          .guard_total = m->guard.total,
                          .outputs = m->outputs,
                          .steps = (int64_t)m->steps,
                          .time_ns = (int64_t)m->time_ns};
    return store_put_result(l->store, &result);
}

/* The program is always stored, because resuming needs it; its score only if it counts as one. */
static bool put_member(EvolveStore *l, const EvolveTask *t, const EvolveMember *m, bool counts) {
    StoreLineage lineage = {
        .child = store_key_of(m->program->hash), .parents = m->n_parents, .mutation = m->mutation};
    for (int k = 0; k < m->n_parents; k++) {
        lineage.parent[k] = store_key_of(m->parents[k]);
    }
    return store_put_parsed(l->store, m->program, &l->scratch) &&
           (!counts || (t->cases != NULL ? put_differ(l, t, m) : put_result(l, t, m))) &&
           store_put_lineage(l->store, &lineage);
}

static bool of_evolution(unsigned statistic) {
    return strcmp(statistic_rows[statistic].group, "evolution") == 0;
}

static void write_state(Out *out, const Evolve *e) {
    const EvolveFigures *f = &e->figures;
    ASSERT(e->n_tasks > 0, "evolution without tasks");
    out_clear(out);
    out_fmt(out, "{\"generation\":%" PRIu64, f->generation);
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        if (of_evolution(k)) {
            out_fmt(out, ",\"%s\":%" PRIu64, statistic_rows[k].name, f->statistics.n[k]);
        }
    }
    out_str(out, ",\"tasks\":[");
    for (size_t k = 0; k < e->n_tasks; k++) {
        const EvolveTask *t = &e->tasks[k];
        out_str(out, k > 0 ? ",[" : "[");
        for (uint32_t x = 0; x < t->count; x++) {
            char hash[33];
            print_hash(hash, t->members[x].program->hash);
            out_fmt(out, "%s\"%s\",%" PRIu32 ",%" PRIu32, x > 0 ? "," : "", hash, t->members[x].picks,
                    t->members[x].born);
        }
        out_char(out, ']');
    }
    out_str(out, "],\"exchange\":["); /* indices of the tasks whose best program is on offer */
    bool any = false;
    for (uint32_t k = 0; k < e->n_exchange; k++) {
        for (size_t t = 0; t < e->n_tasks; t++) {
            if (e->tasks[t].count > 0 && e->tasks[t].members[0].program == e->exchange[k]) {
                out_fmt(out, "%s%zu", any ? "," : "", t);
                any = true;
            }
        }
    }
    out_str(out, "]}");
}

bool evolve_store_begin(EvolveStore *l, uint64_t seed) {
    if (!store_run_begin(l->store, l->settings, l->data_hash, seed, &l->run)) {
        return complain(l);
    }
    store_hold(l->store);
    l->saved_ns = clock_now_ns();
    return true;
}

bool evolve_store_save(EvolveStore *l, const Evolve *e, bool now) {
    for (size_t k = 0; k < e->n_tasks; k++) {
        const EvolveTask *t = &e->tasks[k];
        for (uint32_t x = 0; x < t->count; x++) {
            if (t->members[x].born + 1 == e->figures.generation &&
                !put_member(l, t, &t->members[x], !evolve_shadowed(t, x))) {
                return complain(l);
            }
        }
    }
    if (!now && clock_now_ns() - l->saved_ns < (uint64_t)STORE_COMMIT_MS * 1000000) {
        return true;
    }
    write_state(&l->scratch, e);
    bool good = !l->scratch.failed && store_run_progress(l->store, l->run, NULL, l->scratch.data) &&
                store_release(l->store);
    store_hold(l->store);
    l->saved_ns = clock_now_ns();
    return good || complain(l);
}

bool evolve_store_close(EvolveStore *l, const Evolve *e, const char *figures) {
    bool good = true;
    if (l->store != NULL && l->run != 0) {
        write_state(&l->scratch, e);
        good = !l->scratch.failed && store_run_finish(l->store, l->run, figures, l->scratch.data) &&
               store_release(l->store);
        good = good || complain(l);
    }
    char error[STORE_ERROR_MAX] = "";
    if (l->store != NULL && !store_close(l->store, error) && good) {
        memcpy(l->error, error, sizeof error);
        good = false;
    }
    l->store = NULL;
    out_free(&l->scratch);
    return good;
}

/* ---- in ---- */

typedef struct EvolveReader {
    EvolveStore *link;
    Lang *lang;
    Program *program; /* the one read last */
    json_t *state;
    int64_t run;
    /* for founders */
    ProgList *list;
    const Evolve *evolve;
    char task[STORE_TASK_MAX + 1]; /* whose differs are read, and how many more are wanted */
    int seeds;
} EvolveReader;

static bool read_program(void *context, const StoreProgram *stored) {
    EvolveReader *r = context;
    r->program = store_program_of(r->lang, stored);
    if (r->program != NULL && own_lacking_note(&r->link->lacking, r->program)) {
        prog_free(r->program);
        r->program = NULL;
    }
    return false;
}

static bool find_run(void *context, const StoreRun *run) {
    EvolveReader *r = context;
    if (run->state == NULL || strcmp(run->settings, r->link->settings) != 0 ||
        strcmp(run->data_hash, r->link->data_hash) != 0) {
        return true;
    }
    r->state = json_loads(run->state, 0, NULL);
    r->run = run->id;
    return false;
}

static uint64_t number(const json_t *object, const char *key) {
    json_int_t n = json_integer_value(json_object_get(object, key));
    return n > 0 ? (uint64_t)n : 0;
}

/* Restores all programs of the state to their tasks. False: `note` says what is missing. */
static bool fetch_programs(EvolveReader *r, Evolve *e, const json_t *tasks, char *note, size_t note_size) {
    if (json_array_size(tasks) != e->n_tasks) {
        snprintf(note, note_size, "the state of run %" PRId64 " is damaged", r->run);
        return false;
    }
    for (size_t k = 0; k < e->n_tasks; k++) {
        const json_t *members = json_array_get(tasks, k);
        for (size_t x = 0; x + 2 < json_array_size(members); x += 3) {
            const char *hash = json_string_value(json_array_get(members, x));
            StoreKey key;
            r->program = NULL;
            if (hash == NULL || !store_key_read(hash, &key) ||
                !store_get_program(r->link->store, &key, read_program, r) || r->program == NULL) {
                bool lacks = r->link->lacking.programs > 0;
                snprintf(note, note_size, "run %" PRId64 " had programs that %s%s", r->run,
                         lacks ? "this process cannot run without " : "the store no longer has",
                         lacks ? r->link->lacking.names : "");
                return false;
            }
            if (!evolve_restore_program(e, k, r->program)) {
                snprintf(note, note_size, MEM_NONE);
                return false;
            }
        }
    }
    return true;
}

static bool parse_hash(const char *text, ProgHash *hash) {
    return text != NULL && sscanf(text, "%16" SCNx64 "%16" SCNx64, &hash->hi, &hash->lo) == 2;
}

static bool put_back(Evolve *e, const json_t *state) {
    const json_t *tasks = json_object_get(state, "tasks"), *exchange = json_object_get(state, "exchange");
    for (size_t k = 0; k < e->n_tasks; k++) {
        const json_t *members = json_array_get(tasks, k);
        for (size_t x = 0; x + 2 < json_array_size(members); x += 3) {
            ProgHash hash;
            EvolveMember *m = parse_hash(json_string_value(json_array_get(members, x)), &hash)
                                  ? evolve_find(e, k, hash)
                                  : NULL;
            if (m == NULL) {
                return false;
            }
            m->picks = (uint32_t)json_integer_value(json_array_get(members, x + 1));
            m->born = (uint32_t)json_integer_value(json_array_get(members, x + 2));
        }
    }
    for (size_t k = 0; k < json_array_size(exchange); k++) {
        size_t task = (size_t)json_integer_value(json_array_get(exchange, k));
        if (task >= e->n_tasks || e->tasks[task].count == 0 ||
            !evolve_restore_exchange(e, task, e->tasks[task].members[0].program->hash)) {
            return false;
        }
    }
    return true;
}

bool evolve_store_resume(EvolveStore *l, Evolve *e, bool *found, char *note, size_t note_size) {
    EvolveReader r = {.link = l, .lang = store_lang_open(l->own)};
    *found = false;
    note[0] = '\0';
    bool good = r.lang != NULL && store_each_run(l->store, RUNS_LOOKED_AT, find_run, &r);
    if (!good) {
        snprintf(l->error, sizeof l->error, "%s", r.lang == NULL ? MEM_NONE : store_error(l->store));
    } else if (r.state != NULL && fetch_programs(&r, e, json_object_get(r.state, "tasks"), note, note_size)) {
        EvolveFigures figures = {.generation = number(r.state, "generation")};
        for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
            figures.statistics.n[k] = of_evolution(k) ? number(r.state, statistic_rows[k].name) : 0;
        }
        good = evolve_restore(e, &figures);
        snprintf(l->error, sizeof l->error, MEM_NONE);
        if (good && !put_back(e, r.state)) {
            snprintf(l->error, sizeof l->error, "the populations of run %" PRId64 " cannot be restored",
                     r.run);
            good = false;
        }
        if (good) {
            l->run = r.run;
            l->resumed = *found = true;
            store_hold(l->store);
            l->saved_ns = clock_now_ns();
        }
    }
    for (size_t k = 0; k < e->n_tasks; k++) { /* left over from a state that could not be read to its end */
        progs_free(&e->tasks[k].restored);
    }
    json_decref(r.state);
    lang_close(r.lang);
    return good;
}

static bool add_founder(void *context, const StoreRow *row) {
    EvolveReader *r = context;
    r->program = NULL;
    read_program(r, &row->program);
    return r->program == NULL || progs_add(r->list, r->program);
}

static bool is_task_of(const Evolve *e, const char *id) {
    for (size_t k = 0; k < e->n_tasks; k++) {
        if (strcmp(e->tasks[k].task->id, id) == 0) {
            return true;
        }
    }
    return false;
}

/* Records come kind by kind, task by task, best first. */
static bool add_differ(void *context, const StoreRecord *record, const StoreProgram *program) {
    EvolveReader *r = context;
    if (record->kind != STORE_DIFFER) {
        return true;
    }
    if (strcmp(r->task, record->task) != 0) {
        snprintf(r->task, sizeof r->task, "%s", record->task);
        r->seeds = is_task_of(r->evolve, record->task) ? SEEDS_A_TASK : 0;
    }
    if (r->seeds == 0) {
        return true;
    }
    char why[200];
    r->program = NULL;
    read_program(r, program);
    if (r->program != NULL && !differ_is_good(r->program, why, sizeof why)) {
        prog_free(r->program);
        return true;
    }
    r->seeds--;
    return r->program == NULL || progs_add(r->list, r->program);
}

bool evolve_store_founders(EvolveStore *l, Evolve *e, size_t *count) {
    ProgList list = {0};
    EvolveReader r = {.link = l, .lang = store_lang_open(l->own), .list = &list, .evolve = e};
    bool good = r.lang != NULL;
    for (size_t k = 0; k < e->n_tasks && good && e->cases == NULL; k++) {
        good = store_best(l->store, e->tasks[k].task->id, SEEDS_A_TASK, add_founder, &r);
    }
    good = good && (e->cases == NULL || store_each_record(l->store, NULL, add_differ, &r));
    if (!good) {
        snprintf(l->error, sizeof l->error, "%s", r.lang == NULL ? MEM_NONE : store_error(l->store));
    }
    *count = list.count;
    while (list.count > 0 && good) {
        good = evolve_add_founder(e, list.items[--list.count]);
    }
    progs_free(&list);
    lang_close(r.lang);
    return good;
}

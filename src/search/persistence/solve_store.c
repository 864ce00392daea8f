/* Saves searched tasks with their programs; a run with the same settings on the same tasks takes them from
 * the store. See solve_store.h. */
#include "search/persistence/solve_store.h"

#include "base/alloc.h"
#include "data/store/solver_file.h"
#include "search/learning/idioms.h"
#include "search/persistence/net_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t state_length(const SolveStore *keep) {
    return (keep->session->n_tasks + 3) / 4;
}

static bool is_done(const char *state, size_t item) {
    char c = state[item / 4];
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10) >> item % 4 & 1;
}

static void mark_done(char *state, size_t item) {
    unsigned digit = 1u << item % 4;
    char c = state[item / 4];
    digit |= (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
    state[item / 4] = "0123456789abcdef"[digit];
}

static void mark_open(char *state, size_t item) {
    char c = state[item / 4];
    unsigned digit = (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10) & ~(1u << item % 4);
    state[item / 4] = "0123456789abcdef"[digit];
}

/* ---- an earlier run ---- */

typedef struct Earlier {
    const SolveStore *keep;
    const char *settings, *hash;
    char *state;
    int64_t run;
} Earlier;

static bool look_at_run(void *context, const StoreRun *run) {
    Earlier *e = context;
    size_t n = state_length(e->keep);
    if (strcmp(run->settings, e->settings) != 0 || strcmp(run->data_hash, e->hash) != 0 ||
        run->state == NULL || strlen(run->state) != n || strspn(run->state, "0123456789abcdef") != n) {
        return true;
    }
    memcpy(e->state, run->state, n);
    e->run = run->id;
    return false;
}

/* The programs that the store has for one task: those of the run, and what other runs found since. */
typedef struct Kept {
    Store *store;
    Lang *lang;
    ProgList list;
    SearchEarlier earlier[32];
    uint32_t count;
    uint64_t time_ns; /* how long the search of the task took */
    OwnLacking lacking;
    bool good;
} Kept;

/* How a program was found is kept as its mutation, in these fields: `solve strategy=NAME cost=..`, .. with
 * bit sets in hexadecimal. */
enum { STRATEGY, COST, SUPPORT, UNSEEN, STRATEGIES, ARMS, TRIED, MISPREDICTED, FIELDS, FIELD_BYTES = 32 };
static const char *const field_names[FIELDS] = {"strategy",   "cost", "support", "unseen",
                                                "strategies", "arms", "tried",   "mispredicted"};

/* Older stores have values without names, and not all of them: the others are empty. */
static unsigned read_fields(const char *at, char values[FIELDS][FIELD_BYTES]) {
    unsigned n = 0;
    for (int used = 0; n < FIELDS; n++, at += used) {
        size_t length = strlen(field_names[n]);
        at += strspn(at, " ");
        at += strncmp(at, field_names[n], length) == 0 && at[length] == '=' ? length + 1 : 0;
        if (sscanf(at, "%31s%n", values[n], &used) != 1) {
            break;
        }
    }
    return n;
}

static bool read_lineage(void *context, const StoreLineage *lineage) {
    SearchEarlier *earlier = context;
    char values[FIELDS][FIELD_BYTES] = {{0}};
    if (strncmp(lineage->mutation, "solve ", 6) == 0 &&
        read_fields(lineage->mutation + 6, values) >= STRATEGIES) {
        earlier->cost = strtod(values[COST], NULL);
        earlier->backing = (Backing){.support = (uint32_t)strtoul(values[SUPPORT], NULL, 10),
                                     .unseen = (uint32_t)strtoul(values[UNSEEN], NULL, 10),
                                     .strategies = (uint32_t)strtoul(values[STRATEGIES], NULL, 16),
                                     .arms = strtoull(values[ARMS], NULL, 16),
                                     .tried = (uint32_t)strtoul(values[TRIED], NULL, 10),
                                     .mispredicted = (uint32_t)strtoul(values[MISPREDICTED], NULL, 10)};
        for (uint8_t p = 0; p < STRATEGY_COUNT; p++) {
            earlier->strategy = strcmp(values[STRATEGY], strategy_names[p]) == 0 ? p : earlier->strategy;
        }
    }
    return false;
}

static bool read_program(void *context, const StoreRow *row) {
    Kept *k = context;
    if (k->count == sizeof k->earlier / sizeof *k->earlier) {
        return false;
    }
    Source source = source_of("store", row->program.text, row->program.length);
    ParseOptions how = PARSE_OPTIONS_FILE;
    Diags diags;
    diags_init(&diags);
    size_t before = k->list.count;
    k->good = lang_parse(k->lang, &source, &how, &k->list, &diags);
    own_lacking_drop(&k->lacking, &k->list, before);
    if (k->good && k->list.count == before + 1) {
        SearchEarlier *earlier = &k->earlier[k->count++];
        k->time_ns = (uint64_t)row->result.time_ns > k->time_ns ? (uint64_t)row->result.time_ns : k->time_ns;
        *earlier = (SearchEarlier){.program = k->list.items[before],
                                   .cost = 30,
                                   .backing = {.support = 1},
                                   .steps = (uint64_t)row->result.steps};
        k->good = store_get_lineage(k->store, &row->program.key, read_lineage, earlier);
    }
    diags_free(&diags);
    return k->good;
}

/* A task is searched again if a program of its answers cannot run here: *whole is false then. */
static bool resume_task(SolveStore *keep, size_t item, Lang *lang, Ctx *ctx, bool *whole) {
    Kept kept = {.store = keep->store, .lang = lang, .good = true};
    StoreFilter filter = {.task = keep->session->tasks[item]->id, .mode = -1};
    bool good = store_list(keep->store, &filter, read_program, &kept) && kept.good;
    *whole = kept.lacking.programs == 0;
    if (good && *whole) {
        SearchLimits limits = {.earlier = kept.earlier,
                               .n_earlier = kept.count,
                               .no_strategies = true,
                               .idioms = keep->session->limits.idioms};
        SolveTask *r = &keep->session->results[item];
        good = solve_task(r, keep->session->tasks[item], ctx, &keep->session->checks[0], &limits);
        r->resumed = good;
        r->time_ns = kept.time_ns;
        keep->n_resumed += good;
    }
    progs_free(&kept.list);
    return good;
}

void solve_store_describe(SolveStore *keep, const char *path, Session *session, uint64_t data_hash,
                          bool own_vocabulary) {
    const SearchLimits *limits = &session->limits;
    char split[32] = "", own[32] = ""; /* as in stores from before subsearches, and primitives of one's own */
    if (session->split > 1) {
        snprintf(split, sizeof split, ", \"split\": %u", session->split);
    }
    if (limits->idioms != NULL && limits->idioms->own) {
        snprintf(own, sizeof own, ", \"own\": \"%016" PRIx64 "\"", idioms_own_hash(limits->idioms));
    }
    keep->path = path;
    keep->session = session;
    snprintf(keep->settings, sizeof keep->settings,
             "{\"command\": \"solve\", \"time_per_task_ns\": %" PRIu64 ", \"steps\": %" PRIu64
             ", \"without\": %u, \"vocabulary\": \"%s\", \"tunables\": \"%016" PRIx64 "\"%s%s%s}",
             limits->time_ns, limits->steps, limits->without, own_vocabulary ? "given" : "built in",
             tunables_hash(limits->tunables), split, own,
             limits->net.use == NET_USE_OFF    ? "" /* as in stores that knew no nets */
             : limits->net.use == NET_USE_AUTO ? ", \"net\": \"auto\""
                                               : ", \"net\": \"only\"");
    snprintf(keep->data_hash, sizeof keep->data_hash, "%016" PRIx64, data_hash);
}

bool solve_store_open(SolveStore *keep, Ctx *ctx) {
    keep->store = store_open_unless(keep->path, STORE_WRITE | STORE_CREATE, keep->stop, keep->error);
    if (keep->store == NULL) {
        return false;
    }
    size_t n = state_length(keep);
    char *before = mem_zalloc(n + 1, 1);
    keep->state = mem_zalloc(n + 1, 1);
    Lang *lang = store_lang_open(keep->own);
    Earlier earlier = {keep, keep->settings, keep->data_hash, before, 0};
    bool good = before != NULL && keep->state != NULL && lang != NULL;
    if (good) {
        memset(keep->state, '0', n);
        good = store_each_run(keep->store, 0, look_at_run, &earlier);
    }
    for (size_t k = 0; k < keep->session->n_tasks && good && earlier.run != 0; k++) {
        bool whole = true;
        good = !is_done(before, k) || resume_task(keep, k, lang, ctx, &whole);
        if (!whole) {
            mark_open(before, k);
        }
    }
    if (good && earlier.run != 0) {
        keep->run = earlier.run;
        memcpy(keep->state, before, n);
    } else if (good) {
        good = store_run_begin(keep->store, keep->settings, keep->data_hash, 0, &keep->run);
    }
    if (!good) {
        const char *why = store_error(keep->store);
        snprintf(keep->error, sizeof keep->error, "%s", why[0] ? why : MEM_NONE);
    }
    if (lang != NULL) {
        lang_close(lang);
    }
    mem_free(before);
    return good;
}

/* ---- the library ---- */

typedef struct Loading {
    Lang *lang;
    Library *library;
    Ctx *ctx;
    OwnLacking *lacking;
    bool good;
} Loading;

static bool load_program(void *context, const StoreProgram *program) {
    Loading *l = context;
    Source source = source_of("store", program->text, program->length);
    ParseOptions how = {PARSE_FILE, program->mode, -1};
    ProgList list = {0};
    Diags diags;
    diags_init(&diags);
    l->good = lang_parse(l->lang, &source, &how, &list, &diags);
    own_lacking_drop(l->lacking, &list, 0);
    for (size_t k = 0; k < list.count && l->good; k++) {
        l->good = library_add(l->library, l->ctx, list.items[k]);
    }
    progs_free(&list);
    diags_free(&diags);
    return l->good;
}

bool solve_store_load(SolveStore *keep, Library *library, Ctx *ctx) {
    Loading loading = {store_lang_open(keep->own), library, ctx, &keep->lacking, true};
    keep->lacking = (OwnLacking){0};
    bool good =
        loading.lang != NULL && store_each_program(keep->store, load_program, &loading) && loading.good;
    if (loading.lang != NULL) {
        lang_close(loading.lang);
    }
    if (!good) {
        snprintf(keep->error, sizeof keep->error, "%s: cannot load its programs", keep->path);
    }
    return good;
}

static bool pack_program(void *context, const StoreProgram *program) {
    wire_u8(context, (uint8_t)program->mode);
    wire_block(context, program->text, program->length);
    return !((Out *)context)->failed;
}

bool solve_store_pack(SolveStore *keep, Out *out) {
    if (!store_each_program(keep->store, pack_program, out) || out->failed) {
        snprintf(keep->error, sizeof keep->error, "%s: cannot load its programs", keep->path);
        return false;
    }
    return true;
}

bool solve_store_unpack(Wire *wire, Library *library, Ctx *ctx) {
    OwnLacking lacking = {0}; /* counted where the store was read */
    Loading loading = {store_lang_open(NULL), library, ctx, &lacking, true};
    bool good = loading.lang != NULL;
    while (good && wire->at < wire->end) {
        StoreProgram program = {.mode = wire_get_u8(wire)};
        const char *text = wire_get_block(wire, &program.length);
        char *copy = text != NULL && program.mode <= MODE_BATT ? mem_strndup(text, program.length) : NULL;
        program.text = copy;
        good = copy != NULL && load_program(&loading, &program);
        mem_free(copy);
    }
    if (loading.lang != NULL) {
        lang_close(loading.lang);
    }
    return good && !wire->bad;
}

/* ---- keeping ---- */

static int32_t tests_right(const SolveTask *r, uint32_t program, int32_t *known) {
    int32_t right = 0;
    *known = 0;
    for (int32_t x = 0; x < r->task->n_test; x++) {
        *known += r->task->test[x].has_output;
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            const SolveAnswer *answer = &r->answers[x][a];
            right += answer->image.h != 0 && answer->candidate == program && r->task->test[x].has_output &&
                     task_image_equal(answer->image, r->task->test[x].out);
        }
    }
    return right;
}

static bool keep_program(SolveStore *keep, const SolveTask *r, uint32_t k, Out *scratch) {
    const SolveProgram *p = &r->programs[k];
    StoreResult result = {.task = r->task->id,
                          .program = store_key_of(p->program->hash),
                          .run = keep->run,
                          .score = (int32_t)(1000 * p->right),
                          .train_exact = (int32_t)p->right,
                          .train_total = r->task->n_train,
                          .outputs = p->hash,
                          .steps = (int64_t)p->steps,
                          .time_ns = (int64_t)r->time_ns};
    char how[256];
    result.test_exact = tests_right(r, k, &result.test_total);
    snprintf(how, sizeof how,
             "solve strategy=%s cost=%.17g support=%" PRIu32 " unseen=%" PRIu32 " strategies=%" PRIx32
             " arms=%" PRIx64 " tried=%" PRIu32 " mispredicted=%" PRIu32,
             strategy_names[p->strategy], p->cost, p->backing.support, p->backing.unseen,
             p->backing.strategies, p->backing.arms, p->backing.tried, p->backing.mispredicted);
    StoreLineage lineage = {.child = result.program, .mutation = how};
    return store_put_parsed(keep->store, p->program, scratch) && store_put_result(keep->store, &result) &&
           store_put_lineage(keep->store, &lineage);
}

static void fail(SolveStore *keep) {
    const char *why = store_error(keep->store);
    keep->failed = true;
    snprintf(keep->error, sizeof keep->error, "%s", why[0] != '\0' ? why : MEM_NONE);
}

void solve_store_task(SolveStore *keep, size_t item) {
    if (keep->store == NULL || keep->failed) {
        return;
    }
    const SolveTask *r = &keep->session->results[item];
    if (r->resumed) {
        return;
    }
    Out scratch;
    out_init(&scratch);
    bool good = true;
    store_hold(keep->store);
    bool whole = true;
    for (uint32_t k = 0; k < r->n_programs && good; k++) {
        whole &= r->programs[k].program != NULL;
        good = r->programs[k].program == NULL || keep_program(keep, r, k, &scratch);
    }
    if (whole) { /* answers of nets are not kept, so a run that goes on has to find them again */
        mark_done(keep->state, item);
    }
    good = good && store_run_progress(keep->store, keep->run, NULL, keep->state);
    good = store_release(keep->store) && good;
    if (!good) {
        fail(keep);
    }
    out_free(&scratch);
}

bool solve_store_resume_net(SolveStore *keep, Net *net, const char *task, uint64_t seed) {
    return keep->store == NULL || keep->failed || net_store_load(keep->store, net, task, seed);
}

void solve_store_keep_net(SolveStore *keep, const Net *net, const char *task, uint64_t seed) {
    if (keep->store != NULL && !keep->failed && !net_store_save(keep->store, net, task, seed)) {
        fail(keep);
    }
}

bool solve_store_close(SolveStore *keep) {
    char why[STORE_ERROR_MAX];
    bool all = keep->state != NULL, good = !keep->failed;
    for (size_t k = 0; all && k < keep->session->n_tasks; k++) {
        all = is_done(keep->state, k);
    }
    if (good && all && keep->run != 0 && !store_run_finish(keep->store, keep->run, NULL, keep->state)) {
        snprintf(keep->error, sizeof keep->error, "%s", store_error(keep->store));
        good = false;
    }
    if (!store_close(keep->store, why) && good) {
        snprintf(keep->error, sizeof keep->error, "%s", why);
        good = false;
    }
    mem_free(keep->state);
    return good || keep->store == NULL;
}

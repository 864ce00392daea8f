/* batt bench search: how many tasks search solves in how much time, and what changed since a saved run.
 *
 * The time per task is that of `batt solve --time-per-task`, and time left over by easy tasks goes to the
 * others of the same set, as it does there; with --own-time it does not, which makes runs over different
 * choices of tasks comparable. The library strategy is always off: trying known programs is not search. */
#include "tools/bench/bench_search.h"

#include "base/alloc.h"
#include "build_commit.h"
#include "data/tasks/select.h"
#include "data/tasks/shard.h"
#include "engine/eval/pool.h"
#include "search/learning/idioms.h"
#include "tools/cli/data.h"
#include "tools/cli/strategies_option.h"
#include "tools/cli/tunables_option.h"
#include "tools/display/progress.h"
#include "tools/profiler/profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_BUDGETS = 32 };

typedef struct Chosen { /* of one set */
    Data data;
    const char *name;
    const Task **tasks;
    size_t n_tasks;
} Chosen;

typedef struct Bench {
    BenchRun *run;
    const BenchOptions *opt;
    Outcomes outcomes;
    Chosen *sets;
    size_t n_sets;
    uint64_t budgets[MAX_BUDGETS], solo;
    unsigned n_budgets;
    bool by_steps;
    uint32_t without;
    Tunables tunables;
    IdiomSet *idioms;
    /* of the current run */
    Session session;
    bool *cut;                /* tasks whose search was stopped */
    uint64_t reported, total; /* progress in this run: done, and in all */
    Progress progress;
    char unit[96];
} Bench;

/* ---- budgets ---- */

static bool parse_budget(const Cli *cli, const char *text, bool by_steps, uint64_t *to) {
    int64_t time;
    char *end;
    if (by_steps) {
        *to = strtoull(text, &end, 10);
        if (isdigit((unsigned char)text[0]) && *end == '\0' && *to > 0 && *to < UINT64_MAX / 4) {
            return true;
        }
        cli_error(cli, "a number of steps is expected, not `%s`", text);
        return false;
    }
    if (!cli_parse_time(text, &time) || time <= 0 || time > CLI_DAY) {
        cli_error(cli, "a time such as 300ms or 5s is expected, not `%s`", text);
        return false;
    }
    *to = (uint64_t)time;
    return true;
}

static bool parse_budgets(Bench *b) {
    const Cli *cli = b->run->cli;
    b->by_steps = b->opt->steps != NULL;
    const char *at = b->by_steps ? b->opt->steps : b->opt->budgets;
    for (bool more = true; more;) {
        char word[64];
        size_t length = strcspn(at, ",");
        if (b->n_budgets == MAX_BUDGETS || length >= sizeof word) {
            cli_error(cli, "too many budgets, or one that is too long: %s", at);
            return false;
        }
        memcpy(word, at, length);
        word[length] = '\0';
        if (!parse_budget(cli, word, b->by_steps, &b->budgets[b->n_budgets++])) {
            return false;
        }
        more = at[length] == ',';
        at += length + 1;
    }
    return b->opt->solo == NULL || parse_budget(cli, b->opt->solo, b->by_steps, &b->solo);
}

/* ---- choosing tasks ---- */

static bool take_shard(Bench *b, Chosen *c) {
    const Cli *cli = b->run->cli;
    char why[SHARD_WHY_BYTES];
    Shard shard;
    ShardCosts costs = {0};
    if (!shard_parse(b->opt->shard, &shard, why)) {
        cli_error(cli, "--shard: %s", why);
        return false;
    }
    if (b->opt->costs != NULL && !shard_costs_read(&costs, b->opt->costs, why)) {
        cli_error(cli, "%s", why);
        return false;
    }
    bool good = shard_take(&shard, &costs, c->tasks, &c->n_tasks);
    shard_costs_free(&costs);
    if (!good) {
        cli_no_memory(cli);
    }
    return good;
}

/* The half of the whole set, by id, that a task is in: 1 or 2. */
static uint8_t half_of(const Chosen *c, const Task *task) {
    const TaskSet *set = c->data.set;
    return (size_t)(task - set->tasks) < (set->n_tasks + 1) / 2 ? 1 : 2;
}

/* ids: those that are wanted, and a flag for each that is met; NULL: all are. */
typedef struct Wanted {
    SelectIds ids;
    bool *met;
} Wanted;

static bool is_wanted(const Wanted *w, const char *id) {
    bool found = w == NULL;
    for (size_t k = 0; w != NULL && k < w->ids.count; k++) {
        if (strcmp(w->ids.items[k], id) == 0) {
            w->met[k] = found = true;
        }
    }
    return found;
}

static const char *base_name(const char *path, char *copy, size_t room) {
    snprintf(copy, room, "%s", path);
    size_t length = strlen(copy);
    while (length > 1 && copy[length - 1] == '/') {
        copy[--length] = '\0';
    }
    if (length > 5 && strcmp(copy + length - 5, ".json") == 0) {
        copy[length - 5] = '\0';
    }
    const char *slash = strrchr(copy, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : copy;
}

static bool choose(Bench *b, Chosen *c, int n_paths, char **paths, const Wanted *wanted) {
    const Cli *cli = b->run->cli;
    DataOptions all = {0};
    char copy[512];
    if (data_load(cli, &all, b->opt->jobs, n_paths, paths, &c->data) != EXIT_DONE) {
        return false;
    }
    size_t n = c->data.n_tasks, known = 0;
    c->tasks = mem_array(n, sizeof *c->tasks);
    if (c->tasks == NULL) {
        cli_no_memory(cli);
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const Task *task = c->data.tasks[k];
        for (int32_t x = 0; x < task->n_test; x++) {
            known += task->test[x].has_output;
        }
        if (is_wanted(wanted, task->id) && (b->opt->half == 0 || b->opt->half == half_of(c, task))) {
            c->tasks[c->n_tasks++] = task;
        }
    }
    if (b->opt->sample > 0) {
        select_sample(c->tasks, &c->n_tasks, (size_t)b->opt->sample, (uint64_t)b->opt->seed);
    }
    if (b->opt->shard != NULL && !take_shard(b, c)) {
        return false;
    }
    const char *name = n_paths > 0 ? base_name(paths[0], copy, sizeof copy) : "examples";
    for (size_t k = 0; k < b->outcomes.n_sets; k++) {
        if (strcmp(b->outcomes.sets[k].name, name) == 0) {
            cli_error(cli, "two sets are named %s", name);
            return false;
        }
    }
    if (!outcomes_add_set(&b->outcomes, name, n, known)) {
        cli_no_memory(cli);
        return false;
    }
    c->name = b->outcomes.sets[b->outcomes.n_sets - 1].name;
    return true;
}

static bool read_wanted(const Cli *cli, const char *path, Wanted *wanted) {
    char why[SELECT_WHY_BYTES];
    if (!select_ids_read(&wanted->ids, path, why)) {
        cli_error(cli, "%s", why);
        return false;
    }
    wanted->met = mem_zalloc(wanted->ids.count, sizeof *wanted->met);
    return wanted->met != NULL || cli_no_memory(cli) == EXIT_DONE;
}

static bool choose_all(Bench *b) {
    const Cli *cli = b->run->cli;
    Wanted wanted = {0};
    bool listed = b->opt->ids != NULL, good = !listed || read_wanted(cli, b->opt->ids, &wanted);
    b->n_sets = b->run->n_names > 0 ? (size_t)b->run->n_names : 1;
    b->sets = mem_zalloc(b->n_sets, sizeof *b->sets);
    good = good && (b->sets != NULL || cli_no_memory(cli) == EXIT_DONE);
    for (size_t k = 0; k < b->n_sets && good; k++) {
        good =
            choose(b, &b->sets[k], b->run->n_names > 0 ? 1 : 0, b->run->names + k, listed ? &wanted : NULL);
    }
    for (size_t k = 0; k < wanted.ids.count && good; k++) {
        if (!wanted.met[k]) {
            cli_error(cli, "%s: no such task in the sets given: %s", b->opt->ids, wanted.ids.items[k]);
            good = false;
        }
    }
    select_ids_free(&wanted.ids);
    mem_free(wanted.met);
    return good;
}

/* ---- measuring ---- */

static void reported(Bench *b, uint64_t done) {
    done = done < b->total ? done : b->total;
    if (done > b->reported) {
        progress_add(&b->progress, done - b->reported);
        b->reported = done;
    }
}

static void finished(void *user, Ctx *ctx, size_t item, bool cut) {
    Bench *b = user;
    (void)ctx;
    b->cut[item] = cut;
    uint64_t done = 0;
    for (size_t k = 0; k < b->session.n_tasks; k++) {
        const SolveTask *r = &b->session.results[k];
        done += r->done ? (b->by_steps ? solve_steps(r) / 1000 : r->time_ns / 1000000) : 0;
    }
    reported(b, done);
}

static bool note_results(Bench *b, const Chosen *c, OutcomeRun *run) {
    bool good = true;
    for (size_t k = 0; k < c->n_tasks && good; k++) {
        run->cut |= !b->session.results[k].done || b->cut[k];
        if (b->session.results[k].done && !b->cut[k]) {
            good = outcomes_add_task(&b->outcomes, run, &b->session.results[k], half_of(c, c->tasks[k]));
        }
    }
    return good;
}

static bool save(const BenchRun *run, const Outcomes *outcomes) {
    Out out;
    char why[512];
    if (run->options->save == NULL) {
        return true;
    }
    out_init(&out);
    outcomes_write(&out, outcomes);
    bool good = out_save(&out, run->options->save, why, sizeof why);
    if (!good) {
        cli_error(run->cli, "%s", why);
    }
    out_free(&out);
    return good;
}

static bool measure(Bench *b, size_t set, uint64_t budget, int solo, unsigned repeat) {
    const Chosen *c = &b->sets[set];
    uint32_t only = solo >= 0 ? ~(1u << solo) : 0;
    b->session = (Session){
        .tasks = c->tasks,
        .n_tasks = c->n_tasks,
        .own_time = b->opt->own_time,
        .limits = {.steps = b->by_steps ? budget : 0,
                   .time_ns = b->by_steps ? 0 : budget,
                   .without = b->without | only | 1u << STRATEGY_LIBRARY,
                   .idioms = b->idioms,
                   .tunables = &b->tunables,
                   .backend = b->run->backend,
                   .net = {.use = (NetUse)b->opt->net},
                   .stop = b->run->cli->stop},
        .hooks = {.user = b, .finished = finished},
    };
    b->reported = 0;
    b->total = c->n_tasks * (b->by_steps ? budget / 1000 : budget / 1000000);
    b->cut = mem_zalloc(c->n_tasks, sizeof *b->cut);
    OutcomeRun *run = outcomes_add_run(&b->outcomes, (uint32_t)set, c->n_tasks);
    bool good = b->cut != NULL && run != NULL &&
                session_open(&b->session, (unsigned)b->opt->jobs, (uint64_t)b->opt->max_memory);
    if (good) {
        run->by_steps = b->by_steps;
        run->own_time = b->opt->own_time;
        run->budget = budget;
        run->solo = solo;
        run->repeat = repeat;
        session_run(&b->session);
        good = note_results(b, c, run);
    }
    session_close(&b->session);
    mem_free(b->cut);
    reported(b, b->total);
    if (backend_failure(b->run->backend) != NULL) { /* reported at the end */
        return false;
    }
    if (!good) {
        cli_error(b->run->cli, MEM_NONE);
        return false;
    }
    if (!b->opt->json && !cli_stopped(b->run->cli)) { /* for people who watch a long run */
        OutcomeScore s = outcomes_score(&b->outcomes, run, 0, (unsigned)b->opt->attempts);
        char text[64];
        fprintf(stderr, "%s%s, %s%s%s: %zu, %zu, %zu of %zu outputs right, %.0f s of work\n",
                b->progress.stream != NULL ? "\r\033[K" : "", c->name,
                bench_search_budget(run, text, sizeof text), solo >= 0 ? ", only " : "",
                solo >= 0 ? strategy_names[solo] : "", s.right[0], s.right[1], s.right[2], s.outputs,
                s.ms / 1000);
    }
    return save(b->run, &b->outcomes);
}

/* A net alone is what --net only does. */
static bool has_solo(const Bench *b, unsigned strategy) {
    return strategy != STRATEGY_LIBRARY && strategy != STRATEGY_NET && !(b->without >> strategy & 1);
}

static uint64_t all_work(const Bench *b) {
    uint64_t tasks = 0, each = 0, unit = b->by_steps ? 1000 : 1000000;
    for (size_t k = 0; k < b->n_sets; k++) {
        tasks += b->sets[k].n_tasks;
    }
    for (unsigned k = 0; k < b->n_budgets; k++) {
        each += b->budgets[k] / unit * (uint64_t)b->opt->repeat;
    }
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        each += has_solo(b, p) ? b->solo / unit : 0;
    }
    return tasks * each;
}

static bool measure_all(Bench *b) {
    const Cli *cli = b->run->cli;
    bool good = true;
    progress_start(&b->progress, b->opt->json ? NULL : stderr, "searching",
                   b->by_steps ? "thousand steps" : "ms", all_work(b));
    for (unsigned k = 0; k < b->n_budgets; k++) {
        for (unsigned repeat = 1; repeat <= b->opt->repeat; repeat++) {
            for (size_t set = 0; set < b->n_sets && good && !cli_stopped(cli); set++) {
                good = measure(b, set, b->budgets[k], -1, repeat);
            }
        }
    }
    for (unsigned p = 0; p < STRATEGY_COUNT && b->solo > 0; p++) {
        for (size_t set = 0; set < b->n_sets && good && !cli_stopped(cli); set++) {
            if (has_solo(b, p)) {
                good = measure(b, set, b->solo, (int)p, 1);
            }
        }
    }
    progress_end(&b->progress);
    return good;
}

static bool describe(Bench *b) {
    char text[256], processor[128], when[32];
    time_t now = time(NULL);
    struct tm utc;
    Outcomes *o = &b->outcomes;
    Out command;
    prof_processor_name(processor, sizeof processor);
    snprintf(text, sizeof text, "%s, %u processors", processor, pool_processors());
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    out_init(&command);
    out_str(&command, "batt bench search");
    if (b->by_steps) {
        out_fmt(&command, " --steps %s", b->opt->steps);
    } else {
        out_fmt(&command, " --budgets %s%s", b->opt->budgets, b->opt->own_time ? " --own-time" : "");
    }
    if (b->solo > 0) {
        out_fmt(&command, " --solo %s", b->opt->solo);
    }
    for (size_t k = 0; k < b->opt->without.count; k++) {
        out_fmt(&command, " --without %s", b->opt->without.items[k]);
    }
    if (b->opt->net != NET_USE_OFF) {
        out_fmt(&command, " --net %s", b->opt->net == NET_USE_AUTO ? "auto" : "only");
    }
    for (size_t k = 0; k < b->opt->set.count; k++) {
        out_fmt(&command, " --set %s", b->opt->set.items[k]);
    }
    if (b->opt->repeat > 1) {
        out_fmt(&command, " --repeat %" PRIi64, b->opt->repeat);
    }
    if (b->opt->half != 0) {
        out_fmt(&command, " --half %" PRIi64, b->opt->half);
    }
    if (b->opt->ids != NULL) {
        out_fmt(&command, " --ids %s", b->opt->ids);
    }
    if (b->opt->sample > 0) {
        out_fmt(&command, " --sample %" PRIi64 " --seed %" PRIi64, b->opt->sample, b->opt->seed);
    }
    if (b->opt->shard != NULL) {
        out_fmt(&command, " --shard %s", b->opt->shard);
    }
    for (size_t k = 0; k < o->n_sets; k++) {
        out_fmt(&command, " %s", o->sets[k].name);
    }
    bool good = outcomes_text(o, &o->version, BATT_VERSION_TEXT) &&
                outcomes_text(o, &o->commit, BATT_BUILD_COMMIT) && outcomes_text(o, &o->when, when) &&
                outcomes_text(o, &o->machine, text) && !command.failed &&
                outcomes_text(o, &o->command, command.data);
    out_free(&command);
    return good || cli_error(b->run->cli, MEM_NONE) == EXIT_DONE;
}

static void close_bench(Bench *b) {
    for (size_t k = 0; b->sets != NULL && k < b->n_sets; k++) {
        mem_free(b->sets[k].tasks);
        data_free(&b->sets[k].data);
    }
    mem_free(b->sets);
    if (b->idioms != NULL) {
        idioms_free(b->idioms);
    }
    outcomes_free(&b->outcomes);
}

static bool report_outcomes(BenchRun *run, const Outcomes *outcomes, const Outcomes *against) {
    return bench_search_text(run, outcomes, against) && bench_search_json(run, outcomes, against) &&
           bench_search_finders(run, outcomes, 1);
}

/* Measures, and reports. */
static bool measure_and_tell(BenchRun *run, const Outcomes *against) {
    Bench b = {.run = run, .opt = run->options};
    char why[512];
    outcomes_init(&b.outcomes);
    b.idioms = idioms_builtin(why, sizeof why);
    bool good = b.idioms != NULL || cli_error(run->cli, "%s", why) == EXIT_DONE;
    good = good && parse_budgets(&b) && strategies_without(run->cli, &run->options->without, &b.without) &&
           tunables_read(run->cli, &run->options->set, &b.tunables) && choose_all(&b) && describe(&b) &&
           measure_all(&b);
    good = good && report_outcomes(run, &b.outcomes, against);
    close_bench(&b);
    return good;
}

/* Reads saved files; *opened of them must be freed, also if one is bad. */
static bool open_files(BenchRun *run, Outcomes *files, size_t n, size_t *opened) {
    char why[512];
    bool good = true;
    for (*opened = 0; *opened < n && good; ++*opened) {
        good = outcomes_read(&files[*opened], run->names[*opened], why, sizeof why) ||
               cli_error(run->cli, "%s", why) == EXIT_DONE;
    }
    return good;
}

static void close_files(Outcomes *files, size_t opened) {
    for (size_t k = 0; k < opened; k++) {
        outcomes_free(&files[k]);
    }
    mem_free(files);
}

/* Reports on saved files. */
static bool tell_files(BenchRun *run, const Outcomes *against) {
    size_t n = run->n_names > 0 ? (size_t)run->n_names : 0, opened = 0;
    bool good = n > 0 || cli_error(run->cli, "--report needs files written by --save") == EXIT_DONE;
    Outcomes *files = mem_zalloc(n > 0 ? n : 1, sizeof *files);
    good = good && (files != NULL || cli_no_memory(run->cli) == EXIT_DONE);
    good = good && open_files(run, files, n, &opened);
    json_key(run->json, "files");
    json_begin_array(run->json);
    for (size_t k = 0; k < opened && good; k++) {
        json_begin_object(run->json);
        good = bench_search_text(run, &files[k], against) && bench_search_json(run, &files[k], against);
        json_end_object(run->json);
    }
    json_end_array(run->json);
    good = good && bench_search_finders(run, files, n);
    close_files(files, opened);
    return good;
}

/* Removes the shard from the recorded command line. */
static bool forget_shard(Outcomes *o) {
    char text[1024];
    const char *at = strstr(o->command, " --shard ");
    if (at == NULL) {
        return true;
    }
    size_t word = strcspn(at + 9, " ");
    snprintf(text, sizeof text, "%.*s%s", (int)(at - o->command), o->command, at + 9 + word);
    return outcomes_text(o, &o->command, text);
}

/* Merges files of shards. */
static bool merge_files(BenchRun *run, const Outcomes *against) {
    size_t n = run->n_names > 0 ? (size_t)run->n_names : 0;
    bool good = n > 0 || cli_error(run->cli, "--merge needs files written by --save") == EXIT_DONE;
    Outcomes *files = mem_zalloc(n > 0 ? n : 1, sizeof *files);
    good = good && (files != NULL || cli_no_memory(run->cli) == EXIT_DONE);
    size_t opened = 0;
    good = good && open_files(run, files, n, &opened);
    for (size_t k = 1; k < n && good; k++) {
        char why[512];
        good = outcomes_merge(files, &files[k], why, sizeof why);
        if (!good) {
            cli_error(run->cli, "%s cannot be combined with %s: %s", run->names[k], run->names[0], why);
        }
    }
    good = good && (forget_shard(files) || cli_no_memory(run->cli) == EXIT_DONE) && save(run, files) &&
           report_outcomes(run, files, against);
    close_files(files, opened);
    return good;
}

int bench_suite_search(BenchRun *run) {
    Outcomes against;
    const char *path = run->options->against;
    char why[512];
    bool good = true;
    if (path != NULL) {
        good = outcomes_read(&against, path, why, sizeof why) || cli_error(run->cli, "%s", why) == EXIT_DONE;
    }
    if (good) {
        const Outcomes *other = path != NULL ? &against : NULL;
        good = run->options->report  ? tell_files(run, other)
               : run->options->merge ? merge_files(run, other)
                                     : measure_and_tell(run, other);
    }
    if (path != NULL) {
        outcomes_free(&against);
    }
    return good ? EXIT_DONE : backend_failure(run->backend) != NULL ? EXIT_SHORT : EXIT_BAD;
}

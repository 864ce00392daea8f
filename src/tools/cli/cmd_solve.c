/* batt solve: searches for programs that solve tasks. */
#include "tools/cli/cmd_solve.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "search/learning/idioms.h"
#include "search/run/run.h"
#include "search/schedule/strategies.h"
#include "tools/cli/strategies_option.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef SolveOptions Options;

static const CliOption options[] = {
    CLI_TIME(Options, time, 't', "time", NULL, 100000000, 365 * CLI_DAY,
             "wall-clock limit for the whole run, including writing results, e.g. 11h"),
    CLI_TIME(Options, time_per_task, 0, "time-per-task", NULL, 1000000, CLI_DAY,
             "CPU time per task; default: 5s, or an equal share of --time; time left over by easy tasks goes "
             "to the others"),
    CLI_GROUP("the search"),
    CLI_INT(Options, steps, 0, "steps", "N", "0", 0, INT64_MAX / 4,
            "limit steps per task instead of time: the same answers on any machine; 0: limit time"),
    CLI_INT(Options, split, 0, "split", "N", "1", 1, SUBSEARCHES_MAX,
            "split the search of each task into N subsearches, which share its time or steps and can run in "
            "parallel, also on different ranks"),
    CLI_INT(Options, attempts, 0, "attempts", "N", "2", 1, SOLVE_ATTEMPTS, "answers per test input"),
    CLI_LIST(Options, without, 0, "without", "STRATEGY",
             "disable a strategy, see 'batt help strategies'; repeatable"),
    CLI_CHOICE(Options, net, 0, "net", NET_WORDS, "off", NET_HELP),
    TUNABLES_OPTION(Options, set),
    DATA_OPTIONS(Options),
    DATA_SEED_OPTION(Options),
    CLI_GROUP("resources"),
    CLI_INT(Options, jobs, 'j', "jobs", "N", "0", 0, 1024, "worker threads; 0: one per core"),
    CLI_SIZE(Options, max_memory, 0, "max-memory", "1G", 1 << 24, INT64_C(1) << 40, "memory per worker"),
    CLI_FILE(Options, store, 0, "store", "FILE", CLI_ROLE_GROW,
             "save programs to this store and try those in it first; resumes an interrupted run"),
    CLI_GROUP("known programs"),
    CLI_FILES(Options, solvers, 's', "solvers", "FILE", CLI_ROLE_READ,
              "programs to try first, instead of the built-in ones; repeatable"),
    CLI_FILE(Options, vocabulary, 0, "vocabulary", "FILE", CLI_ROLE_READ,
             "idioms for enumeration, as written by batt learn"),
    CLI_GROUP("output"),
    CLI_FILE(Options, submission, 0, "submission", "FILE", CLI_ROLE_WRITE, "write a Kaggle submission"),
    CLI_FILE(Options, found, 0, "found", "DIR", CLI_ROLE_FOLDER,
             "write the right programs as solver files, one per task, with an overview in TABLE.md"),
    CLI_FLAG(Options, explain, 'e', "explain",
             "print the programs, the strategies that found them, and why they rank first"),
    CLI_CHOICE(Options, progress, 0, "progress", PROGRESS_MODES, "auto", PROGRESS_HELP),
    CLI_FLAG(Options, quiet, 'q', "quiet", "only the summary, no line per task"),
    DEVICE_OPTION(Options),
    PROFILE_OPTIONS(Options, profile),
    STATISTICS_OPTION(Options),
    CLI_FLAG(Options, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt solve --time-per-task 100ms --count 4", "the first built-in tasks", false},
    {"batt solve --explain --id 00d62c1b data/training", "one task, with the programs", true},
    {"batt solve --without library data/training", "only what search finds", true},
    {"batt solve --store found.batt --found solvers/found data/training",
     "collect programs for batt run --solvers", true},
    {"batt solve --steps 100000 --set stamps_deep_depth=2 --count 2", "with a tunable changed", false},
    {"mpirun -n 4 batt solve --split 8 --time-per-task 10m --id 00d62c1b data/training",
     "one task on four machines, see docs/cluster.md", true},
    {"batt solve --device auto data/training", "use a GPU where it is faster, see docs/devices.md", true},
    {"batt solve --time 11h --submission submission.json challenges.json", "for Kaggle", true},
    {0}};

/* ---- searching ---- */

static bool is_solved(const SolveTask *r) {
    for (int32_t x = 0; x < r->task->n_test; x++) {
        if (!solve_is_right(r, (uint32_t)x, SOLVE_ATTEMPTS - 1)) {
            return false;
        }
    }
    return r->done;
}

static void round_begins(void *user, unsigned round, size_t tasks) {
    SolveJob *job = user;
    job->n_solved = job->n_known = 0;
    snprintf(job->unit, sizeof job->unit, "tasks");
    job->n_answered = job->n_fitting = 0;
    pthread_mutex_lock(&job->session.lock);
    progress_begin(&job->progress, cli_err(job->cli), (ProgressMode)job->options->progress,
                   round == 1 ? "solving" : "searching deeper", job->unit, tasks);
    job->progress.deadline_ns = (int64_t)job->watch.deadline_ns;
    job->watch.shown = true;
    pthread_mutex_unlock(&job->session.lock);
}

static void round_over(void *user) {
    SolveJob *job = user;
    pthread_mutex_lock(&job->session.lock);
    job->watch.shown = false;
    progress_end(&job->progress);
    pthread_mutex_unlock(&job->session.lock);
}

static void finished(void *user, Ctx *ctx, size_t item, bool cut) {
    SolveJob *job = user;
    const SolveTask *r = &job->session.results[item];
    Scope was = ctx != NULL ? scope_enter(ctx, SCOPE_STORE) : SCOPE_STORE;
    job->n_known += r->task->n_test > 0 && r->task->test[0].has_output;
    job->n_solved += is_solved(r);
    if (!cut) {
        solve_store_task(&job->keep, item);
    }
    job->n_answered += r->n_programs > 0;
    job->n_fitting += r->fitting > 0;
    if (job->options->submission != NULL) {
        (void)solve_drafts_take(job, item); /* without memory the older answers stay */
    }
    int length = snprintf(job->unit, sizeof job->unit, "tasks, %zu answered, %zu fitting", job->n_answered,
                          job->n_fitting);
    if (job->n_known > 0 && length > 0 && (size_t)length < sizeof job->unit) {
        snprintf(job->unit + length, sizeof job->unit - (size_t)length, ", %zu solved", job->n_solved);
    }
    progress_add(&job->progress, 1);
    if (ctx != NULL) {
        scope_back(ctx, was);
    }
}

static int search_all(Cli *cli, SolveJob *job) {
    phase_enter(&job->phases, PHASE_EXECUTE);
    if (job->options->submission != NULL) {
        if (!submission_draft_open(&job->drafts.submission, job->data->tasks, job->data->n_tasks)) {
            return cli_no_memory(cli);
        }
        solve_drafts_save(job);
    }
    if (!solve_watch_start(job)) {
        return cli_error(cli, "cannot start a thread");
    }
    session_run(&job->session);
    solve_watch_end(job);
    phase_enter(&job->phases, PHASE_REPORT);
    Statistics counted = {0};
    session_count(&job->session, &counted);
    if (!profile_gather(&job->recorder, &job->phases, job->ids, &job->ranks, &counted)) {
        return cli_no_memory(cli);
    }
    if (!ranks_is_root(cli->ranks)) {
        return EXIT_DONE; /* rank 0 reports */
    }
    Out out;
    out_init(&out);
    int reported =
        job->options->json ? solve_write_json(&out, job) : solve_write_text(&out, &cli->style, job);
    bool good = cli_print(cli, &out) && reported == EXIT_DONE;
    out_free(&out);
    good &= job->options->submission == NULL || solve_write_submission(cli, job);
    good &= job->options->found == NULL || solve_write_found(cli, job);
    return !good                  ? EXIT_SHORT
           : cli_stopped(cli)     ? EXIT_INTERRUPTED
           : solve_all_right(job) ? EXIT_DONE
                                  : EXIT_SHORT;
}

/* ---- setting up ---- */

/* The programs to try first: files or built-in ones, and those of the store. */
static int load_library(const Cli *cli, SolveJob *job, Library *library, Ctx *ctx) {
    Solvers solvers;
    int code = solvers_load(cli, &job->options->solvers, PARSE_MODE_AUTO, job->options->jobs, &solvers);
    for (size_t k = 0; code == EXIT_DONE && k < solvers.list.count; k++) {
        code = library_add(library, ctx, solvers.list.items[k]) ? EXIT_DONE : cli_no_memory(cli);
    }
    solvers_free(&solvers);
    if (code == EXIT_DONE && job->keep.store != NULL && cli->ranks == NULL &&
        !solve_store_load(&job->keep, library, ctx)) {
        code = cli_error(cli, "%s", job->keep.error);
    }
    cli_report_lacking(cli, &job->keep.lacking, " skipped");
    job->session.limits.library = library;
    return code;
}

/* ---- with other ranks ---- */

static void write_limit(char *text, size_t room, int64_t ns) {
    if (ns == CLI_UNSET) {
        snprintf(text, room, "not given");
    } else {
        snprintf(text, room, "%.9g s", (double)ns / (double)CLI_SECOND);
    }
}

/* What all ranks must have in common; the time per task that follows from the options is rank 0's. */
static void write_fingerprint(const SolveJob *job, const Library *library, char *fingerprint, size_t room) {
    const SearchLimits *limits = &job->session.limits;
    const SolveOptions *o = job->options;
    char time[32], per_task[32];
    write_limit(time, sizeof time, o->time);
    write_limit(per_task, sizeof per_task, o->time_per_task);
    snprintf(fingerprint, room,
             "batt " BATT_VERSION_TEXT " solve, data %016" PRIx64 ", steps %" PRIu64
             ", time %s, %s per task, split %u, without %x, net %d, tunables %016" PRIx64 ", %zu programs",
             job->data->hash, limits->steps, time, per_task, job->session.split, limits->without, o->net,
             tunables_hash(limits->tunables), library_count(library));
}

/* Rank 0 gives the others the time per task and the programs of the store, which only rank 0 opens. */
static int agree(const Cli *cli, SolveJob *job, Library *library, Ctx *ctx) {
    char fingerprint[512], why[RANKS_WHY_BYTES];
    Out payload;
    int code = EXIT_DONE;
    out_init(&payload);
    write_fingerprint(job, library, fingerprint, sizeof fingerprint);
    bool shared = job->keep.store != NULL && !(job->session.limits.without >> STRATEGY_LIBRARY & 1);
    if (ranks_is_root(cli->ranks)) {
        wire_u64(&payload, job->session.limits.time_ns);
        if (shared && !solve_store_pack(&job->keep, &payload)) {
            code = cli_error(cli, "%s", job->keep.error);
        }
    }
    if (code == EXIT_DONE && !ranks_agree(cli->ranks, fingerprint, &payload, why)) {
        code = cli_error(cli, "%s", why);
    }
    Wire wire = wire_of(payload.data, payload.len);
    job->session.limits.time_ns = wire_get_u64(&wire);
    if (code == EXIT_DONE && !solve_store_unpack(&wire, library, ctx)) {
        code = cli_error(cli, "the programs of the store arrived incomplete, or memory ran out");
    }
    out_free(&payload);
    return code;
}

/* Names for the profile: of tasks, or of their subsearches. */
static bool name_units(SolveJob *job) {
    const Subsearches *subsearches = &job->session.subsearches;
    size_t units = subsearches_units(subsearches);
    job->ids = mem_array(units > 0 ? units : 1, sizeof *job->ids);
    job->names = mem_array(units > 0 ? units : 1, sizeof *job->names);
    for (size_t k = 0; job->ids != NULL && job->names != NULL && k < units; k++) {
        const char *id = job->data->tasks[subsearches_task(subsearches, k)]->id;
        snprintf(job->names[k], sizeof job->names[k], "%s/%u", id, subsearches_index(subsearches, k) + 1);
        job->ids[k] = subsearches->count > 1 ? job->names[k] : id;
    }
    return job->ids != NULL && job->names != NULL;
}

static int with_session(Cli *cli, SolveJob *job, bool opened) {
    Pool *pool = &job->session.pool;
    int code = EXIT_DONE;
    Library *library = library_open();
    if (!opened) {
        code = cli_no_workers(cli, job->options->jobs, job->options->max_memory);
    } else if (!name_units(job) || library == NULL) {
        code = cli_no_memory(cli);
    } else if (job->options->store != NULL && ranks_is_root(cli->ranks)) {
        phase_enter(&job->phases, PHASE_STORE);
        solve_store_describe(&job->keep, job->options->store, &job->session, job->data->hash,
                             job->options->vocabulary != NULL);
        job->keep.stop = cli_stop(cli);
        job->keep.own = cli->own;
        code = solve_store_open(&job->keep, &pool->workers[0].ctx) ? EXIT_DONE
                                                                   : cli_error(cli, "%s", job->keep.error);
    }
    phase_enter(&job->phases, PHASE_PARSE);
    if (code == EXIT_DONE && !(job->session.limits.without >> STRATEGY_LIBRARY & 1)) {
        code = load_library(cli, job, library, &pool->workers[0].ctx);
    }
    if (code == EXIT_DONE && cli->ranks != NULL) {
        code = agree(cli, job, library, &pool->workers[0].ctx);
    }
    if (code == EXIT_DONE && !profile_attach(&job->recorder, cli, &job->options->profile, pool)) {
        code = EXIT_BAD;
    }
    if (code == EXIT_DONE) {
        for (unsigned k = 0; k < pool->count; k++) {
            prof_add_ctx(&job->recorder.profiler, k, &job->session.checks[k]);
        }
        code = search_all(cli, job);
    }
    profile_detach(&job->recorder);
    if (!solve_store_close(&job->keep)) {
        code = cli_error(cli, "%s", job->keep.error);
    }
    library_close(library);
    mem_free(job->ids);
    mem_free(job->names);
    return code;
}

static int32_t max_cells(const Task *task) {
    int32_t max = 0;
    for (uint32_t k = 0; k < (uint32_t)(task->n_train + task->n_test); k++) {
        const TaskPair *pair = run_pair(task, k);
        int32_t in = pair->in.h * pair->in.w, out = pair->out.h * pair->out.w;
        max = in > max ? in : max;
        max = k < (uint32_t)task->n_train && out > max ? out : max;
    }
    return max;
}

static size_t tasks_above(const Data *data, uint32_t cells) {
    size_t count = 0;
    for (size_t k = 0; k < data->n_tasks; k++) {
        count += max_cells(data->tasks[k]) > (int32_t)cells;
    }
    return count;
}

/* Says which strategies leave tasks out: those limited to grids not much larger than ARC's would otherwise
 * silently find nothing. */
static void tell_left_out(const SolveJob *job) {
    uint32_t reported = job->session.limits.without;
    for (unsigned strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        uint32_t bound = strategy_table[strategy].max_cells;
        size_t count = bound > 0 && !(reported >> strategy & 1) ? tasks_above(job->data, bound) : 0;
        if (count == 0) {
            continue;
        }
        fprintf(cli_err(job->cli),
                "batt solve: %zu of %zu tasks have grids of more than %u cells; strategies that skip them:",
                count, job->data->n_tasks, bound);
        for (unsigned other = strategy; other < STRATEGY_COUNT; other++) {
            if (!(reported >> other & 1) && strategy_table[other].max_cells == bound) {
                fprintf(cli_err(job->cli), " %s", strategy_names[other]);
                reported |= 1u << other;
            }
        }
        fputc('\n', cli_err(job->cli));
    }
}

/* How much of the wall-clock time to reserve for writing the results. */
static uint64_t margin(uint64_t ns) {
    const uint64_t min = UINT64_C(50000000), max = UINT64_C(30000000000);
    return ns / 20 < min ? min : ns / 20 < max ? ns / 20 : max;
}

/* The working time per task if all tasks share the wall-clock time that is left. */
static uint64_t share_of(const SolveJob *job) {
    const uint64_t min = 1000000;
    uint64_t now = clock_now_ns(), left = job->watch.deadline_ns > now ? job->watch.deadline_ns - now : 0;
    double each =
        (double)left * job->session.cpu_slots * ranks_size(job->session.ranks) / (double)job->data->n_tasks;
    return each > (double)min ? (uint64_t)each : min;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    Data data = {0};
    SolveOptions follower = *opt; /* only rank 0 writes */
    if (!ranks_is_root(cli->ranks)) {
        follower.submission = follower.found = NULL;
        follower.progress = PROGRESS_OFF;
        opt = &follower;
    }
    SolveJob job = {.cli = cli, .options = opt, .data = &data};
    char why[512];
    phase_start(&job.phases, PHASE_LOAD);
    SearchLimits *limits = &job.session.limits;
    *limits = (SearchLimits){.steps = (uint64_t)opt->steps,
                             .time_ns = opt->steps                        ? 0
                                        : opt->time_per_task != CLI_UNSET ? (uint64_t)opt->time_per_task
                                                                          : 5 * (uint64_t)CLI_SECOND,
                             .net = {.use = (NetUse)opt->net},
                             .stop = &job.watch.stop};
    job.watch.asked = cli_stop(cli);
    job.session.ranks = cli->ranks;
    job.session.split = (uint32_t)opt->split;
    if (opt->split > 1 && opt->net != NET_USE_OFF) {
        return cli_error(cli, "--split cannot be combined with --net: a net cannot be split");
    }
    if (opt->time != CLI_UNSET && opt->steps != 0) {
        return cli_error(cli, "--time cannot be combined with --steps");
    }
    if (opt->time != CLI_UNSET) {
        job.watch.deadline_ns = clock_now_ns() + (uint64_t)opt->time - margin((uint64_t)opt->time);
    }
    job.session.hooks = (SessionHooks){&job, round_begins, finished, round_over};
    solve_nets_open(cli, &job);
    if (!strategies_without(cli, &opt->without, &limits->without) ||
        !tunables_read(cli, &opt->set, &job.tunables)) {
        return EXIT_BAD;
    }
    limits->tunables = &job.tunables;
    IdiomSet *idioms =
        opt->vocabulary ? idioms_read(opt->vocabulary, why, sizeof why) : idioms_builtin(why, sizeof why);
    if (idioms == NULL) {
        return cli_error(cli, "%s", why);
    }
    limits->idioms = idioms;
    int code = device_attach(cli, opt->device, &job.backend);
    limits->backend = job.backend;
    backend_set_stop(job.backend, &job.watch.stop);
    if (code == EXIT_DONE) {
        code = data_load(cli, &opt->data, opt->jobs, argc, argv, &data);
    }
    if (code == EXIT_DONE) {
        job.session.tasks = data.tasks;
        job.session.n_tasks = data.n_tasks;
        if (ranks_is_root(cli->ranks)) {
            tell_left_out(&job);
        }
        bool opened = session_open(&job.session, (unsigned)opt->jobs, (uint64_t)opt->max_memory);
        if (opened && opt->time != CLI_UNSET && opt->time_per_task == CLI_UNSET) {
            limits->time_ns = share_of(&job);
            job.session.deadline_ns = job.watch.deadline_ns;
        }
        code = with_session(cli, &job, opened);
        session_close(&job.session);
    }
    code = device_detach(cli, job.backend, code);
    submission_draft_close(&job.drafts.submission);
    solve_nets_close(&job);
    rank_summaries_free(&job.ranks);
    data_free(&data);
    idioms_free(idioms);
    return code;
}

const CliCommand cmd_solve = {
    .arguments = "[TASKS...]",
    .max_args = -1,
    .details = "Searches for programs that turn a task's training inputs into its outputs, and answers the "
               "tests with them. Known test outputs are used only to score the answers.\nGrids can be up to "
               "255x255, but most strategies skip grids of more than 1024 cells (stamps: 1800); a message at "
               "the start lists what is skipped.\nNets (--net, see 'batt net') give answers without "
               "programs, so --found writes none for them. With --store, nets are saved too (some megabytes "
               "each; not with several ranks), and later runs and 'batt net --store' continue them.",
    .options = options,
    .size = sizeof(Options),
    .main = "time time-per-task id store submission",
    .examples = examples,
    .interruptible = true,
    .ranked = true,
    .run = run};

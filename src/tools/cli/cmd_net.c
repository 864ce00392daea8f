/* batt net: trains a small network on each task, by compression, and answers the tests with it. */
#include "base/alloc.h"
#include "base/clock.h"
#include "search/net/net_scopes.h"
#include "tools/cli/net_on_device.h"

#include <string.h>

typedef NetCommand Options;

static const CliOption options[] = {
    CLI_INT(Options, steps, 0, "steps", "N", "1500", 1, 1000000, "training steps per seed"),
    CLI_TIME(Options, time, 't', "time", NULL, 1000000, 365 * CLI_DAY,
             "wall-clock limit per run, even if fewer steps were done"),
    CLI_INT(Options, seed, 0, "seed", "N", "1", 0, INT64_MAX, "seed of the random numbers"),
    CLI_INT(Options, seeds, 0, "seeds", "N", "1", 1, 1000, "train from N seeds and pool their answers"),
    DATA_OPTIONS(Options),
    CLI_GROUP("resources"),
    CLI_INT(Options, jobs, 'j', "jobs", "N", "0", 0, 1024,
            "threads; 0: one per core. Several nets train in parallel; a single net uses all threads"),
    NET_DEVICE_OPTION(Options),
    CLI_SIZE(Options, max_memory, 0, "max-memory", "1G", 1 << 20, INT64_C(1) << 40, "memory per net"),
    CLI_FILE(Options, store, 0, "store", "FILE", CLI_ROLE_GROW,
             "keep nets in this store, and continue those it holds"),
    CLI_GROUP("output"),
    CLI_FILE(Options, html, 0, "html", "FILE", CLI_ROLE_WRITE,
             "write a page (HTML) with the loss curve and the answers as they form"),
    CLI_FLAG(Options, layers, 0, "layers", "show the time of a step by layer"),
    CLI_CHOICE(Options, palette, 0, "palette", "classic|arcprize|colorblind", "classic",
               "colors of the grids"),
    CLI_CHOICE(Options, progress, 0, "progress", PROGRESS_MODES, "auto", PROGRESS_HELP),
    CLI_FLAG(Options, quiet, 'q', "quiet", "only the summary, no answers"),
    PROFILE_OPTIONS(Options, profile),
    CLI_FLAG(Options, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt net --steps 20 8be6661a", "a built-in task, a few steps", false},
    {"batt net 978a5e93 --steps 60 --html net.html", "the same as a page", false},
    {"batt net data/training/00d62c1b.json", "a task file", true},
    {"batt net --seeds 4 --store nets.batt 00d62c1b data/training", "four nets, which a later run continues",
     true},
    {"batt net --steps 500 --json --filter 'h<=12,w<=12' data/training", "many tasks in parallel", true},
    {"batt net --device opencl:0 --steps 500 --store nets.batt data/training",
     "on a device, many nets per batch", true},
    {0}};

const Image *net_right_answers(const Task *task, Image *room) {
    for (int32_t k = 0; k < task->n_test; k++) {
        if (!task->test[k].has_output) {
            return NULL;
        }
        room[k] = task->test[k].out;
    }
    return task->n_test > 0 ? room : NULL;
}

/* ---- one run ---- */

static void sum_meters(const Net *net, NetMeter *to) {
    for (unsigned k = 0; net->meters != NULL && k < net->team.threads; k++) {
        for (unsigned layer = 0; layer < NET_LAYERS; layer++) {
            to->ns[layer] += net->meters[k].ns[layer];
        }
    }
}

static void train(NetJob *job, Worker *worker, Net *net, NetRunResult *r, const Task *task) {
    const NetCommand *opt = job->options;
    uint64_t start = clock_now_ns();
    Image *room = mem_array((size_t)task->n_test, sizeof *room);
    const Image *right = room != NULL ? net_right_answers(task, room) : NULL;
    Scope was = net_scopes_attach(net, &worker->ctx);
    r->resumed = net->step;
    while (net->step < (size_t)opt->steps && !cli_stopped(job->cli) &&
           (opt->time == CLI_UNSET || clock_now_ns() - start < (uint64_t)opt->time) && net_step(net)) {
        net_curve_note(&r->curve, net, right);
        if (job->live != NULL) {
            net_live_step(job->live, net, &r->curve);
        }
    }
    net_scopes_leave(net, &worker->ctx, was);
    mem_free(room);
    r->time_ns = clock_now_ns() - start;
    r->steps = net->step;
    r->restarts = net->restarts;
    r->loss = net->loss;
    sum_meters(net, &r->meter);
}

void net_refuse(NetTaskResult *t, const char *why) {
    snprintf(t->why, sizeof t->why, "%s", why);
}

void net_tell_unusable(const NetJob *job, const char *task) {
    fprintf(cli_err(job->cli),
            "batt net: the saved net of %s is damaged or belongs to another task; training starts over\n",
            task);
}

void net_keep_run(NetJob *job, NetTaskResult *t, NetRunResult *r, Net *net, bool sound) {
    if (sound && job->store != NULL && net->step > r->resumed &&
        !net_store_save(job->store, net, t->task->id, r->seed)) {
        net_refuse(t, store_error(job->store));
        return;
    }
    if (net->failed != NULL) {
        net_refuse(t, net->failed);
    }
    r->answers = net->answers; /* of the same shape as the task's own plan */
    r->answers.shape = &t->mem.shape;
    net->answers = (NetAnswers){0};
    r->done = true;
}

/* Counts the answers of all seeds together, in the order of seeds, so that it does not matter which run ended
 * first. */
static void pool_answers(NetTaskResult *t, int64_t seeds) {
    for (int64_t k = 0; k < seeds; k++) {
        if (t->runs[k].done) {
            net_answers_pool(&t->answers, &t->runs[k].answers);
        }
    }
    t->n_best = net_answers_best(&t->answers, t->best, NET_TOLD);
    Image *room = mem_array((size_t)t->task->n_test, sizeof *room);
    const Image *right = room != NULL ? net_right_answers(t->task, room) : NULL;
    t->known = right != NULL;
    t->right = right != NULL ? net_answers_find(&t->answers, right) : UINT32_MAX;
    mem_free(room);
}

static void run_one(Worker *worker, size_t item) {
    NetJob *job = worker->shared;
    const NetCommand *opt = job->options;
    NetTaskResult *t = &job->tasks[item / (size_t)opt->seeds];
    NetRunResult *r = &t->runs[item % (size_t)opt->seeds];
    Net net;
    const char *why;
    NetOptions how = {.seed = (uint64_t)opt->seed + item % (size_t)opt->seeds,
                      .threads = job->threads,
                      .memory = (uint64_t)opt->max_memory,
                      .measured = opt->layers || worker->ctx.scope != NULL};
    r->seed = how.seed;
    bool good = net_open(&net, t->task, &how, &why);
    if (good) {
        if (job->store != NULL) {
            pthread_mutex_lock(&job->lock);
            if (!net_store_load(job->store, &net, t->task->id, how.seed)) {
                net_tell_unusable(job, t->task->id);
            }
            pthread_mutex_unlock(&job->lock);
        }
        train(job, worker, &net, r, t->task);
    }
    pthread_mutex_lock(&job->lock);
    if (good) {
        t->bytes = net_bytes(&net.mem, net.team.threads);
        net_keep_run(job, t, r, &net, true);
    } else {
        net_refuse(t, why);
    }
    progress_add(&job->progress, 1);
    pthread_mutex_unlock(&job->lock);
    net_close(&net);
}

/* ---- all of them ---- */

static bool open_tasks(NetJob *job) {
    size_t seeds = (size_t)job->options->seeds;
    job->tasks = mem_zalloc(job->data.n_tasks, sizeof *job->tasks);
    job->ids = mem_array(job->data.n_tasks * seeds, sizeof *job->ids);
    bool good = job->tasks != NULL && job->ids != NULL;
    for (size_t k = 0; good && k < job->data.n_tasks; k++) {
        NetTaskResult *t = &job->tasks[k];
        const char *why = "";
        t->task = job->data.tasks[k];
        t->right = UINT32_MAX;
        t->runs = mem_zalloc(seeds, sizeof *t->runs);
        good = t->runs != NULL;
        for (size_t s = 0; s < seeds; s++) {
            job->ids[k * seeds + s] = t->task->id;
        }
        if (good && !net_memory_open(&t->mem, t->task, &why)) {
            net_refuse(t, why);
        } else if (good) {
            good = net_answers_open(&t->answers, &t->mem.shape);
        }
    }
    return good;
}

static void close_tasks(NetJob *job) {
    for (size_t k = 0; job->tasks != NULL && k < job->data.n_tasks; k++) {
        NetTaskResult *t = &job->tasks[k];
        for (int64_t s = 0; t->runs != NULL && s < job->options->seeds; s++) {
            net_answers_close(&t->runs[s].answers);
        }
        mem_free(t->runs);
        net_answers_close(&t->answers);
        net_memory_close(&t->mem);
    }
    mem_free(job->tasks);
    mem_free(job->ids);
}

/* Right within the attempts, for all tasks whose outputs are known. */
static bool all_right(const NetJob *job) {
    for (size_t k = 0; k < job->data.n_tasks; k++) {
        const NetTaskResult *t = &job->tasks[k];
        if (t->why[0] != '\0' || (t->known && (t->right == UINT32_MAX ||
                                               net_answers_place(&t->answers, t->right) > NET_ATTEMPTS))) {
            return false;
        }
    }
    return true;
}

static int report(NetJob *job) {
    const NetCommand *opt = job->options;
    Out out;
    out_init(&out);
    int code = opt->json ? net_write_json(&out, job) : net_write_text(&out, job);
    bool good = cli_print(job->cli, &out) && code == EXIT_DONE;
    if (opt->html != NULL) {
        out_clear(&out);
        net_write_page(&out, job);
        good = cli_save(job->cli, &out, opt->html) && good;
    }
    out_free(&out);
    return !good                   ? EXIT_SHORT
           : cli_stopped(job->cli) ? EXIT_INTERRUPTED
           : all_right(job)        ? EXIT_DONE
                                   : EXIT_SHORT;
}

static int train_all(NetJob *job) {
    const NetCommand *opt = job->options;
    size_t items = job->data.n_tasks * (size_t)opt->seeds;
    unsigned jobs = opt->jobs != 0 ? (unsigned)opt->jobs : pool_processors();
    unsigned workers = items < jobs ? (unsigned)items : jobs;
    job->threads = jobs / workers;
    Budget small = {.steps = 1, .bytes = 1 << 16, .depth = 1};
    if (!open_tasks(job) || !pool_open(&job->pool, workers, &small)) {
        return cli_no_memory(job->cli);
    }
    if (!profile_attach(&job->recorder, job->cli, &opt->profile, &job->pool)) {
        return EXIT_BAD;
    }
    phase_enter(&job->phases, PHASE_EXECUTE);
    job->live = items == 1 && !opt->json && opt->progress == PROGRESS_AUTO ? net_live_open(job) : NULL;
    progress_begin(&job->progress, cli_err(job->cli),
                   job->live != NULL ? PROGRESS_OFF : (ProgressMode)opt->progress, "training", "nets", items);
    int code = EXIT_DONE;
    if (net_on_device(job)) {
        code = net_on_device_train(job);
    } else {
        pool_run(&job->pool, items, run_one, job, job->cli->stop);
    }
    progress_end(&job->progress);
    if (job->live != NULL) {
        net_live_close(job->live);
    }
    phase_enter(&job->phases, PHASE_REPORT);
    for (size_t k = 0; k < job->data.n_tasks; k++) {
        if (job->tasks[k].answers.shape != NULL) {
            pool_answers(&job->tasks[k], opt->seeds);
        }
    }
    int reported = report(job);
    return reported == EXIT_DONE ? code : reported;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    NetJob job = {.cli = cli, .options = opt, .lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER};
    char why[STORE_ERROR_MAX];
    phase_start(&job.phases, PHASE_LOAD);
    cli->term_options.palette = palette_at(opt->palette);
    cli_restyle(cli);
    DataOptions which = opt->data;
    bool all = argc > 0 || which.ids.count > 0 || which.filter != NULL || which.count > 0;
    which.count = all ? which.count : 1; /* without a choice the first example */
    int code = data_load_named(cli, &which, opt->jobs, argc, argv, &job.data);
    if (code == EXIT_DONE && opt->store != NULL) {
        job.store = store_open_unless(opt->store, STORE_WRITE | STORE_CREATE, cli->stop, why);
        code = job.store != NULL ? EXIT_DONE : cli_error(cli, "%s", why);
    }
    if (code == EXIT_DONE) {
        code = net_on_device_open(&job);
    }
    if (code == EXIT_DONE) {
        code = train_all(&job);
    }
    net_on_device_close(&job);
    if (job.store != NULL && !store_close(job.store, why)) {
        code = cli_error(cli, "%s", why);
    }
    profile_detach(&job.recorder);
    pool_close(&job.pool);
    close_tasks(&job);
    data_free(&job.data);
    return code;
}

const CliCommand cmd_net = {
    .arguments = "[TASK|ID]...",
    .max_args = -1,
    .details =
        "Trains a small network from scratch on one task alone (CompressARC): it learns to reproduce the "
        "task's grids from a code that is as short as possible, and fills in the missing outputs on the way. "
        "Nothing is pretrained, so more steps give better answers: few tasks are solved before 200 steps, "
        "and little is gained after 1500.\nOn a terminal a single net shows its losses and its answers as "
        "they form; Ctrl-C ends the run and keeps the answers so far. The loss is KL, the length of the code "
        "in nats, plus ten times the reconstruction error of the grids, also in nats.\nA net gives answers "
        "but no program. The same seed gives the same answers with any number of threads. With --device, "
        "nets are trained in batches with the same random numbers. Rounding differs between CPU and device, "
        "so answers may differ; each can continue nets that the other saved in a store.\nExit code 1: "
        "neither of the two answers is right, where the output is known, or a task was rejected.",
    .options = options,
    .size = sizeof(Options),
    .main = "steps time seeds id html",
    .examples = examples,
    .interruptible = true,
    .run = run};

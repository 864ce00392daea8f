/* The state of batt net, shared by its files: cmd_net.c trains, net_live.c draws progress, net_report.c
 * reports. */
#ifndef BATT_TOOLS_CLI_CMD_NET_H
#define BATT_TOOLS_CLI_CMD_NET_H

#include "engine/eval/pool.h"
#include "search/net/curve.h"
#include "search/persistence/net_store.h"
#include "tools/cli/data.h"
#include "tools/cli/profile_option.h"
#include "tools/display/progress.h"
#include "tools/profiler/phase.h"

#include <pthread.h>

enum { NET_TOLD = 10, NET_ATTEMPTS = 2 }; /* answers that are told; those that count */

typedef struct NetCommand {
    DataOptions data;
    int64_t steps, time, seed, seeds, jobs, max_memory;
    const char *html, *store, *device;
    bool json, layers, quiet;
    int progress, palette;
    ProfileChoice profile;
} NetCommand;

typedef struct NetRunResult { /* one task from one seed */
    bool done;                /* it ran, perhaps not to the end */
    uint64_t seed, time_ns;
    size_t steps, resumed; /* steps in all; of which an earlier run did so many */
    uint32_t restarts;
    NetLoss loss;
    NetAnswers answers;
    NetCurve curve;
    NetMeter meter; /* sums of all threads */
} NetRunResult;

typedef struct NetTaskResult {
    const Task *task;
    char why[100]; /* there is no net for it; empty: there is */
    NetMemory mem;
    uint64_t bytes;
    NetRunResult *runs; /* by seed */
    NetAnswers answers; /* of all seeds together */
    uint32_t best[NET_TOLD], n_best;
    uint32_t right; /* number of the right answers; UINT32_MAX: not given, or not known */
    bool known;
    uint32_t left; /* runs that are not over */
} NetTaskResult;

typedef struct NetJob {
    Cli *cli;
    const NetCommand *options;
    Data data;
    NetTaskResult *tasks;
    const char **ids; /* of the task of every run, for profiles */
    unsigned threads; /* of one net */
    Pool pool;
    ProfileRecorder recorder;
    Phases phases;
    Store *store;
    Progress progress;
    pthread_mutex_t lock;
    struct NetOnDevice *device; /* NULL: the processor was asked for */
    struct NetLive *live;       /* NULL: nothing is shown on the way */
} NetJob;

/* The right answers of a task (one per test); NULL: they are not all known. */
const Image *net_right_answers(const Task *task, Image *room);

/* There is no net for this task. */
void net_refuse(NetTaskResult *task, const char *why);
/* Takes over the answers of a run that has ended, and with `sound` keeps its state in the store. Locked. */
void net_keep_run(NetJob *job, NetTaskResult *task, NetRunResult *run, Net *net, bool sound);
/* What the store has for this task cannot be resumed from; says so. */
void net_tell_unusable(const NetJob *job, const char *task);
/* Whether nets are trained on a device: net_on_device.h. */
bool net_on_device(const NetJob *job);

/* ---- net_live.c ---- */
/* How a single net learns, in the terminal. */
struct NetLive *net_live_open(NetJob *job); /* NULL: not a terminal, or no memory */
void net_live_step(struct NetLive *live, const Net *net, const NetCurve *curve);
void net_live_close(struct NetLive *live);

/* ---- net_report.c ---- */
int net_write_text(Out *out, NetJob *job);
int net_write_json(Out *out, NetJob *job);
void net_write_page(Out *out, NetJob *job);

#endif

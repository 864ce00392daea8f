/* What run, solve and evolve share: progress, stopping, profiles. */
#include "base/alloc.h"
#include "tools/api/results.h"
#include "tools/profiler/file.h"

#include <string.h>

_Static_assert(sizeof(int) == sizeof(Stop), "a stop flag of batt.h is laid out like a Stop");

bool job_options(batt_context *c, const batt_tasks *tasks, const void *options, void *to, size_t size) {
    /* `size` is the first member of all options */
    size_t given = options != NULL ? *(const size_t *)options : size;
    if (tasks == NULL || given == 0) {
        api_fault(c, BATT_BAD_ARGUMENT, tasks == NULL ? "the tasks are NULL" : "the options have no size");
        return false;
    }
    if (options != NULL) {
        memcpy(to, options, given < size ? given : size);
    }
    return true;
}

bool watch_begin(Watch *w, batt_context *c, const batt_job *job, const batt_tasks *tasks) {
    memset(w, 0, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    if (job != NULL) {
        memcpy(&w->job, job, job->size < sizeof w->job ? job->size : sizeof w->job);
    }
    if (job != NULL &&
        (job->size == 0 || w->job.profile < PROF_OFF || w->job.profile > PROF_TRACE || w->job.jobs > 1024)) {
        api_fault(c, BATT_BAD_ARGUMENT,
                  job->size == 0
                      ? "the job has no size"
                      : "the job asks for an unknown level of profile, or for more than 1024 workers");
        return false;
    }
    w->context = c;
    w->tasks = tasks;
    w->total = batt_tasks_count(tasks);
    w->ids = mem_array(w->total, sizeof *w->ids);
    for (size_t k = 0; w->ids != NULL && k < w->total; k++) {
        w->ids[k] = batt_task_id(tasks, k);
    }
    if (w->ids == NULL) {
        api_no_memory(c);
        return false;
    }
    phase_start(&w->phases, PHASE_GENERATE);
    return true;
}

bool watch_pool(Watch *w, batt_context *c, Pool *pool) {
    enum { NODES = 1 << 18, EVENTS = 4 << 20 };
    if (w->job.profile == PROF_OFF) {
        return true;
    }
    if (!prof_attach(&w->profiler, pool, (ProfLevel)w->job.profile, NODES, EVENTS)) {
        api_no_memory(c);
        return false;
    }
    w->profiler.everything = w->job.profile == PROF_TRACE;
    w->attached = true;
    return true;
}

void watch_tick(Watch *w) {
    pthread_mutex_lock(&w->lock); /* the caller is called by one thread at a time, in order */
    w->done++;
    if (w->job.progress != NULL) {
        w->job.progress(w->job.user, w->done, w->total);
    }
    pthread_mutex_unlock(&w->lock);
}

void watch_found(Watch *w, const char *command, unsigned attempts, size_t k,
                 bool (*fill)(void *user, size_t k, ResultTask *item), void *user) {
    if (w->job.found == NULL) {
        return;
    }
    pthread_mutex_lock(&w->lock); /* the context, too, is used by one thread at a time */
    batt_tasks *one = batt_tasks_at(w->context, w->tasks, &k, 1);
    batt_results *r = one != NULL ? results_new(w->context, command, one, attempts) : NULL;
    r = results_or_none(r, r != NULL && fill(user, k, &r->items[0]));
    if (r != NULL) {
        r->wall_ns = phase_total_ns(&w->phases);
        w->job.found(w->job.user, k, r);
    }
    batt_tasks_free(one);
    pthread_mutex_unlock(&w->lock);
}

bool api_device_open(batt_context *c, const char *device, Backend **backend) {
    BackendChoice choice;
    DeviceError error;
    char why[300];
    const char *name = device != NULL ? device : "cpu";
    *backend = NULL;
    if (!backend_parse_choice(name, &choice, why, sizeof why)) {
        api_fault(c, BATT_BAD_ARGUMENT, "device: %s", why);
        return false;
    }
    if (choice.mode != BACKEND_CPU && (*backend = backend_open(&choice, &error)) == NULL) {
        api_fault(c, BATT_BAD_ARGUMENT, "device %.100s: %s", name, error.text);
        return false;
    }
    return true;
}

bool api_device_close(batt_context *c, Backend *backend, bool good) {
    const char *failure = backend_failure(backend);
    if (good && failure != NULL) {
        api_fault(c, BATT_BAD_ARGUMENT, "%s", failure);
        good = false;
    }
    backend_close(backend);
    return good;
}

const Stop *watch_stop(const Watch *w) {
    return (const Stop *)w->job.stop;
}

bool watch_stopped(const Watch *w) {
    return stop_is_requested(watch_stop(w));
}

static bool write_profile(Watch *w, batt_results *r) {
    Profile profile = {0};
    Out out;
    char command[32];
    snprintf(command, sizeof command, "batt %s", r->command);
    out_init(&out);
    bool good = profile_begin(&profile, command, (ProfLevel)w->job.profile, w->profiler.pool->count, 1);
    profile_set_phases(&profile, &w->phases);
    good = good && profile_from_run(&profile, &w->profiler, w->ids);
    if (good) {
        profile_write_json(&out, &profile);
        r->profile = out.failed ? NULL : mem_strndup(out.data, out.len);
    }
    out_free(&out);
    profile_free(&profile);
    return r->profile != NULL;
}

bool watch_end(Watch *w, batt_context *c, batt_results *r) {
    bool good = true;
    if (r != NULL) {
        r->wall_ns = phase_total_ns(&w->phases);
        r->stopped = watch_stopped(w);
    }
    if (w->attached) {
        good = r == NULL || write_profile(w, r);
        prof_detach(&w->profiler);
    }
    mem_free(w->ids);
    w->ids = NULL;
    w->attached = false;
    if (!good) {
        api_no_memory(c);
    }
    return good;
}

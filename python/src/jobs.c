/* run, solve and evolve: a job is a thread of the library that works without the GIL. Python starts it, waits
 * for it, asks how far it is and stops it (batt/_jobs.py); the job keeps what it was given alive. */
#include "batt_python.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct ResultsObject {
    PyObject_HEAD
    batt_results *results;
} ResultsObject;

static PyTypeObject *results_type, *job_type;

static batt_results *results_in(PyObject *self) {
    return ((ResultsObject *)self)->results;
}

static PyObject *results_object(batt_results *results) { /* takes ownership; NULL with an exception */
    ResultsObject *o = PyObject_New(ResultsObject, results_type);
    if (o != NULL) {
        o->results = results;
    } else {
        batt_results_free(results);
    }
    return (PyObject *)o;
}

/* ---- the thread that does the work ---- */

typedef struct Found { /* the result of one task, not yet fetched */
    struct Found *next;
    size_t position;
    batt_results *result;
} Found;

typedef struct Job Job;
struct Job {
    batt_results *(*work)(Job *job);
    batt_context *context;
    batt_job how;
    const batt_tasks *tasks;
    const batt_programs *programs;
    batt_run_options run;
    batt_solve_options solve;
    batt_evolve_options evolve;
    const char **words; /* of a command */
    size_t n_words;
    batt_results *results;
    char *text, *messages; /* what a command printed, */
    int status;            /* and its exit code */
    volatile int stop;
    _Atomic size_t done, total;
    pthread_t thread;
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t ended;
    int over;
    Found *first, **last;
};

typedef struct JobObject {
    PyObject_HEAD
    Job *job;
    PyObject *given; /* the arguments, which the work reads */
    int joined;
} JobObject;

static batt_results *do_run(Job *j) {
    return batt_run_tasks(j->context, j->programs, j->tasks, &j->run, &j->how);
}

static batt_results *do_solve(Job *j) {
    return batt_solve(j->context, j->tasks, &j->solve, &j->how);
}

static batt_results *do_evolve(Job *j) {
    return batt_evolve(j->context, j->tasks, &j->evolve, &j->how);
}

static batt_results *do_command(Job *j) {
    j->text = batt_command(j->context, j->words, j->n_words, &j->stop, &j->messages, &j->status);
    return NULL;
}

static void note_progress(void *user, size_t done, size_t total) {
    Job *j = user;
    atomic_store(&j->done, done);
    atomic_store(&j->total, total);
}

static void note_found(void *user, size_t position, batt_results *result) {
    Job *j = user;
    Found *found = malloc(sizeof *found); /* without the GIL */
    if (found == NULL) {
        batt_results_free(result); /* the results of the whole job have it, too */
        return;
    }
    *found = (Found){.position = position, .result = result};
    pthread_mutex_lock(&j->lock);
    *j->last = found;
    j->last = &found->next;
    pthread_mutex_unlock(&j->lock);
}

static void *work(void *user) {
    Job *j = user;
    j->results = j->work(j);
    pthread_mutex_lock(&j->lock);
    j->over = 1;
    pthread_cond_broadcast(&j->ended);
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

static int start_thread(Job *j) { /* 0: it cannot be started */
    pthread_condattr_t attributes;
    pthread_attr_t large;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&j->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&j->lock, NULL);
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, 16 << 20);
    int started = pthread_create(&j->thread, &large, work, j) == 0;
    pthread_attr_destroy(&large);
    return started;
}

/* Starts a job, which takes over *made; NULL with an exception. */
static PyObject *start(const Job *made, PyObject *given) {
    JobObject *o = PyObject_New(JobObject, job_type);
    if (o == NULL) {
        return NULL;
    }
    o->given = given;
    o->joined = 1;
    Py_INCREF(given);
    Job *j = o->job = malloc(sizeof *j);
    if (j == NULL) {
        free(made->words);
        Py_DECREF(o);
        return PyErr_NoMemory();
    }
    *j = *made;
    j->last = &j->first;
    j->how.size = sizeof j->how;
    j->how.stop = &j->stop;
    j->how.progress = note_progress;
    j->how.found = note_found;
    j->how.user = j;
    atomic_store(&j->total, j->work == do_run || j->work == do_solve ? batt_tasks_count(j->tasks) : 0);
    j->context = context_take();
    if (j->context == NULL || !start_thread(j)) {
        if (j->context != NULL) {
            PyErr_SetString(PyExc_RuntimeError, "cannot start a thread");
        }
        Py_DECREF(o);
        return NULL;
    }
    o->joined = 0;
    return (PyObject *)o;
}

static void request_stop(Job *j) {
    __atomic_store_n(&j->stop, 1, __ATOMIC_RELAXED);
}

static void join(JobObject *o) {
    if (!o->joined) {
        o->joined = 1;
        Py_BEGIN_ALLOW_THREADS pthread_join(o->job->thread, NULL);
        Py_END_ALLOW_THREADS
    }
}

static void job_dealloc(PyObject *self) { /* a job that nobody can ask any more is ended */
    JobObject *o = (JobObject *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (o->job != NULL) {
        request_stop(o->job);
        join(o);
        for (Found *f = o->job->first, *next; f != NULL; f = next) {
            next = f->next;
            batt_results_free(f->result);
            free(f);
        }
        batt_results_free(o->job->results);
        batt_text_free(o->job->text);
        batt_text_free(o->job->messages);
        free(o->job->words);
        context_give(o->job->context);
        free(o->job);
    }
    Py_DECREF(o->given);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- methods of a job ---- */

/* Waits for at most so many seconds; whether it is over. */
static PyObject *job_wait(PyObject *self, PyObject *arguments) {
    Job *j = ((JobObject *)self)->job;
    double seconds;
    struct timespec until;
    int over;
    if (!PyArg_ParseTuple(arguments, "d", &seconds)) {
        return NULL;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    seconds = seconds > 0 ? seconds < 3600 ? seconds : 3600 : 0;
    int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&j->lock);
    for (int late = 0; !j->over && !late;) {
        late = pthread_cond_timedwait(&j->ended, &j->lock, &until) != 0;
    }
    over = j->over;
    pthread_mutex_unlock(&j->lock);
    Py_END_ALLOW_THREADS return PyBool_FromLong(over);
}

static PyObject *job_stop(PyObject *self, PyObject *nothing) {
    (void)nothing;
    request_stop(((JobObject *)self)->job);
    Py_RETURN_NONE;
}

static PyObject *job_progress(PyObject *self, PyObject *nothing) {
    Job *j = ((JobObject *)self)->job;
    (void)nothing;
    return Py_BuildValue("(nn)", (Py_ssize_t)atomic_load(&j->done), (Py_ssize_t)atomic_load(&j->total));
}

/* What was found since the last call: [(position, results of that task), ..]. */
static PyObject *job_found(PyObject *self, PyObject *nothing) {
    Job *j = ((JobObject *)self)->job;
    PyObject *list = PyList_New(0);
    (void)nothing;
    pthread_mutex_lock(&j->lock);
    Found *f = j->first;
    j->first = NULL;
    j->last = &j->first;
    pthread_mutex_unlock(&j->lock);
    for (Found *next; f != NULL; f = next) {
        next = f->next;
        PyObject *result = results_object(f->result);
        PyObject *item = result != NULL ? Py_BuildValue("(nN)", (Py_ssize_t)f->position, result) : NULL;
        if (list != NULL && (item == NULL || PyList_Append(list, item) < 0)) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
        free(f);
    }
    return list;
}

/* Waits for the end; the results, which the job gives away, or its error as an exception. */
static PyObject *job_results(PyObject *self, PyObject *nothing) {
    JobObject *o = (JobObject *)self;
    (void)nothing;
    join(o);
    batt_results *results = o->job->results;
    o->job->results = NULL;
    return results != NULL ? results_object(results) : raise_fault(o->job->context);
}

/* Waits for the end of a command: (what it printed, what it said, its exit code), or its error as an
 * exception. */
static PyObject *job_printed(PyObject *self, PyObject *nothing) {
    JobObject *o = (JobObject *)self;
    const Job *j = o->job;
    (void)nothing;
    join(o);
    return j->text != NULL ? Py_BuildValue("(ssi)", j->text, j->messages, j->status)
                           : raise_fault(j->context);
}

/* ---- what Python calls ---- */

/* Converters for PyArg_ParseTuple's "O&": straight into the options. */

static int to_number(PyObject *object, void *to) {
    unsigned long long number = PyLong_AsUnsignedLongLong(object);
    *(uint64_t *)to = number;
    return PyErr_Occurred() == NULL;
}

static int to_tasks(PyObject *object, void *to) {
    return (*(const batt_tasks **)to = tasks_of(object)) != NULL;
}

static int to_programs(PyObject *object, void *to) {
    return (*(const batt_programs **)to = programs_of(object)) != NULL;
}

static int to_programs_or_none(PyObject *object, void *to) {
    return object == Py_None || to_programs(object, to);
}

static PyObject *run(PyObject *module, PyObject *arguments) {
    Job j = {.work = do_run, .run = {.size = sizeof j.run}};
    (void)module;
    return PyArg_ParseTuple(arguments, "O&O&IO&O&O&ppiz", to_programs, &j.programs, to_tasks, &j.tasks,
                            &j.how.jobs, to_number, &j.run.steps, to_number, &j.run.bytes, to_number,
                            &j.run.nanoseconds, &j.run.all, &j.run.safe, &j.how.profile, &j.run.device)
               ? start(&j, arguments)
               : NULL;
}

static PyObject *solve(PyObject *module, PyObject *arguments) {
    Job j = {.work = do_solve, .solve = {.size = sizeof j.solve}};
    (void)module;
    return PyArg_ParseTuple(arguments, "O&IO&O&O&IO&pziO&Izzzp", to_tasks, &j.tasks, &j.how.jobs, to_number,
                            &j.solve.nanoseconds, to_number, &j.solve.steps, to_number, &j.solve.bytes,
                            &j.solve.attempts, to_programs_or_none, &j.solve.known, &j.solve.without_library,
                            &j.solve.store, &j.how.profile, to_number, &j.solve.total_nanoseconds,
                            &j.solve.split, &j.solve.without, &j.solve.set, &j.solve.device,
                            &j.solve.without_own)
               ? start(&j, arguments)
               : NULL;
}

static PyObject *evolve(PyObject *module, PyObject *arguments) {
    Job j = {.work = do_evolve, .evolve = {.size = sizeof j.evolve}};
    (void)module;
    return PyArg_ParseTuple(arguments, "O&IO&O&O&IIO&ziIO&ziO&", to_tasks, &j.tasks, &j.how.jobs, to_number,
                            &j.evolve.nanoseconds, to_number, &j.evolve.generations, to_number,
                            &j.evolve.seed, &j.evolve.children, &j.evolve.population, to_programs_or_none,
                            &j.evolve.founders, &j.evolve.store, &j.how.profile, &j.evolve.max_calls,
                            to_number, &j.evolve.max_steps, &j.evolve.device, &j.evolve.mode,
                            to_programs_or_none, &j.evolve.differs)
               ? start(&j, arguments)
               : NULL;
}

/* A command of the command line and its arguments: a tuple of strings. */
static PyObject *command(PyObject *module, PyObject *arguments) {
    Py_ssize_t n = PyTuple_Size(arguments);
    Job j = {.work = do_command, .words = calloc((size_t)n + 1, sizeof *j.words), .n_words = (size_t)n};
    (void)module;
    if (j.words == NULL) {
        return PyErr_NoMemory();
    }
    for (Py_ssize_t k = 0; k < n; k++) {
        PyObject *word = PyTuple_GetItem(arguments, k);
        if (!PyUnicode_Check(word)) {
            PyErr_SetString(PyExc_TypeError, "the words of a command are strings");
        }
        j.words[k] = PyErr_Occurred() == NULL ? PyUnicode_AsUTF8AndSize(word, NULL) : NULL;
        if (j.words[k] == NULL) {
            free(j.words);
            return NULL;
        }
    }
    return start(&j, arguments);
}

static PyObject *given_text(batt_context *context, char *text) {
    PyObject *result = text != NULL ? PyUnicode_FromString(text) : raise_fault(context);
    batt_text_free(text);
    context_give(context);
    return result;
}

/* JSON of stores, by what is asked: (path, "stats" | "best" | "lineage", task or program, k) */
static PyObject *store(PyObject *module, PyObject *arguments) {
    const char *path, *what, *name;
    Py_ssize_t k;
    char *text = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sszn", &path, &what, &name, &k)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context != NULL) {
        Py_BEGIN_ALLOW_THREADS text = *what == 's' ? batt_store_stats(context, path)
                                      : *what == 'b'
                                          ? batt_store_best(context, path, name, (size_t)(k > 0 ? k : 0))
                                          : batt_store_lineage(context, path, name);
        Py_END_ALLOW_THREADS
    }
    return context != NULL ? given_text(context, text) : NULL;
}

static PyObject *devices(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    batt_context *context = context_take();
    return context != NULL ? given_text(context, batt_devices(context)) : NULL;
}

static PyObject *profile_export(PyObject *module, PyObject *arguments) {
    const char *text, *name;
    Py_ssize_t length;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s#s", &text, &length, &name)) {
        return NULL;
    }
    batt_context *context = context_take();
    return context != NULL ? given_text(context, batt_profile_export(context, text, (size_t)length, name))
                           : NULL;
}

static PyObject *score(PyObject *module, PyObject *arguments) {
    const char *text;
    Py_ssize_t length;
    PyObject *tasks;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s#O", &text, &length, &tasks) || tasks_of(tasks) == NULL) {
        return NULL;
    }
    batt_context *context = context_take();
    return context != NULL ? given_text(context, batt_score(context, text, (size_t)length, tasks_of(tasks)))
                           : NULL;
}

/* ---- results ---- */

static void results_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    batt_results_free(results_in(self));
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *results_json(PyObject *self, PyObject *nothing) {
    (void)nothing;
    batt_context *context = context_take();
    return context != NULL ? given_text(context, batt_results_json(context, results_in(self))) : NULL;
}

static PyObject *results_profile(PyObject *self, PyObject *nothing) {
    (void)nothing;
    batt_context *context = context_take();
    return context != NULL ? given_text(context, batt_results_profile(context, results_in(self))) : NULL;
}

static PyObject *results_submission(PyObject *self, PyObject *arguments) {
    const char *path;
    if (!PyArg_ParseTuple(arguments, "z", &path)) {
        return NULL;
    }
    batt_context *context = context_take();
    return context != NULL ? given_text(context, batt_results_submission(context, results_in(self), path))
                           : NULL;
}

static PyObject *results_summary(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const batt_results *r = results_in(self);
    Py_ssize_t n = (Py_ssize_t)batt_results_count(r), solved = 0;
    for (Py_ssize_t k = 0; k < n; k++) {
        solved += batt_results_solved(r, (size_t)k);
    }
    return Py_BuildValue("(nnid)", n, solved, batt_results_stopped(r), batt_results_seconds(r));
}

static PyMethodDef job_methods[] = {{"wait", job_wait, METH_VARARGS, NULL},
                                    {"stop", job_stop, METH_NOARGS, NULL},
                                    {"progress", job_progress, METH_NOARGS, NULL},
                                    {"found", job_found, METH_NOARGS, NULL},
                                    {"results", job_results, METH_NOARGS, NULL},
                                    {"printed", job_printed, METH_NOARGS, NULL},
                                    {0}};
static PyType_Slot job_slots[] = {{Py_tp_dealloc, job_dealloc}, {Py_tp_methods, job_methods}, {0, NULL}};
static PyMethodDef results_methods[] = {{"summary", results_summary, METH_NOARGS, NULL},
                                        {"json", results_json, METH_NOARGS, NULL},
                                        {"profile", results_profile, METH_NOARGS, NULL},
                                        {"submission", results_submission, METH_VARARGS, NULL},
                                        {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, results_dealloc}, {Py_tp_methods, results_methods}, {0, NULL}};
static PyMethodDef functions[] = {{"run", run, METH_VARARGS, NULL},
                                  {"solve", solve, METH_VARARGS, NULL},
                                  {"evolve", evolve, METH_VARARGS, NULL},
                                  {"command", command, METH_VARARGS, NULL},
                                  {"score", score, METH_VARARGS, NULL},
                                  {"store", store, METH_VARARGS, NULL},
                                  {"devices", devices, METH_NOARGS, NULL},
                                  {"profile_export", profile_export, METH_VARARGS, NULL},
                                  {0}};

int job_types(PyObject *module) {
    PyType_Spec spec = {"batt._batt.Results", sizeof(ResultsObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    PyType_Spec job = {"batt._batt.Job", sizeof(JobObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, job_slots};
    results_type = (PyTypeObject *)PyType_FromSpec(&spec);
    job_type = (PyTypeObject *)PyType_FromSpec(&job);
    return results_type != NULL && job_type != NULL ? PyModule_AddFunctions(module, functions) : -1;
}

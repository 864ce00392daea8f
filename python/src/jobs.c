/* run, solve and evolve: the work is done by threads of the library, without the GIL. The calling thread
 * wakes up several times a second, checks for signals and reports progress; Ctrl-C ends the work, and the
 * results so far are returned. */
#include "batt_python.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

typedef struct ResultsObject {
    PyObject_HEAD
    batt_results *results;
} ResultsObject;

static PyTypeObject *results_type;

static batt_results *results_in(PyObject *self) {
    return ((ResultsObject *)self)->results;
}

/* ---- the thread that does the work ---- */

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
    batt_results *results;
    volatile int stop;
    _Atomic size_t done, total;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int over;
};

static batt_results *do_run(Job *j) {
    return batt_run_tasks(j->context, j->programs, j->tasks, &j->run, &j->how);
}

static batt_results *do_solve(Job *j) {
    return batt_solve(j->context, j->tasks, &j->solve, &j->how);
}

static batt_results *do_evolve(Job *j) {
    return batt_evolve(j->context, j->tasks, &j->evolve, &j->how);
}

static void note_progress(void *user, size_t done, size_t total) {
    Job *j = user;
    atomic_store(&j->done, done);
    atomic_store(&j->total, total);
}

static void *work(void *user) {
    Job *j = user;
    j->results = j->work(j);
    pthread_mutex_lock(&j->lock);
    j->over = 1;
    pthread_cond_signal(&j->ended);
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* Waits for the end of the work for at most a twentieth of a second; 1: it is over. */
static int wait_a_little(Job *j) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 50000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&j->lock);
    if (!j->over) {
        pthread_cond_timedwait(&j->ended, &j->lock, &until);
    }
    int over = j->over;
    pthread_mutex_unlock(&j->lock);
    return over;
}

static int report_progress(Job *j, PyObject *progress, size_t *reported) {
    size_t done = atomic_load(&j->done);
    if (progress == Py_None || done == *reported) {
        return 0;
    }
    *reported = done;
    PyObject *result =
        PyObject_CallFunction(progress, "nn", (Py_ssize_t)done, (Py_ssize_t)atomic_load(&j->total));
    Py_XDECREF(result);
    return result != NULL ? 0 : -1;
}

/* Runs the job; NULL with an exception. After Ctrl-C the results so far are returned, and *interrupted is
 * set. An exception in `progress` also ends the work, and is raised. */
static PyObject *execute(Job *j, PyObject *progress) {
    pthread_condattr_t attributes;
    pthread_t thread;
    size_t reported = 0;
    int over = 0;
    j->context = context_take();
    if (j->context == NULL) {
        return NULL;
    }
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&j->ended, &attributes);
    pthread_mutex_init(&j->lock, NULL);
    j->how.size = sizeof j->how;
    j->how.stop = &j->stop;
    j->how.progress = note_progress;
    j->how.user = j;
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, 16 << 20);
    if (pthread_create(&thread, &large, work, j) != 0) {
        PyErr_SetString(PyExc_RuntimeError, "cannot start a thread");
        context_give(j->context);
        return NULL;
    }
    PyObject *kind = NULL, *value = NULL, *trace = NULL; /* the exception that ended the work */
    while (!over) {
        Py_BEGIN_ALLOW_THREADS over = wait_a_little(j);
        Py_END_ALLOW_THREADS if (!j->stop &&
                                 (PyErr_CheckSignals() < 0 || report_progress(j, progress, &reported) < 0)) {
            PyErr_Fetch(&kind, &value, &trace);
            __atomic_store_n(&j->stop, 1, __ATOMIC_RELAXED);
        }
    }
    pthread_join(thread, NULL);
    pthread_attr_destroy(&large);
    pthread_condattr_destroy(&attributes);
    pthread_cond_destroy(&j->ended);
    pthread_mutex_destroy(&j->lock);
    ResultsObject *o = NULL;
    if (kind != NULL && !PyErr_GivenExceptionMatches(kind, PyExc_KeyboardInterrupt)) {
        PyErr_Restore(kind, value, trace);
        batt_results_free(j->results);
    } else {
        Py_XDECREF(kind);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        o = j->results != NULL ? PyObject_New(ResultsObject, results_type) : (void *)raise_fault(j->context);
        if (o != NULL) {
            o->results = j->results;
        } else {
            batt_results_free(j->results);
        }
    }
    context_give(j->context);
    return (PyObject *)o;
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
    PyObject *progress;
    Job j = {.work = do_run, .run = {.size = sizeof j.run}};
    (void)module;
    return PyArg_ParseTuple(arguments, "O&O&IO&O&O&ppiO", to_programs, &j.programs, to_tasks, &j.tasks,
                            &j.how.jobs, to_number, &j.run.steps, to_number, &j.run.bytes, to_number,
                            &j.run.nanoseconds, &j.run.all, &j.run.safe, &j.how.profile, &progress)
               ? execute(&j, progress)
               : NULL;
}

static PyObject *solve(PyObject *module, PyObject *arguments) {
    PyObject *progress;
    Job j = {.work = do_solve, .solve = {.size = sizeof j.solve}};
    (void)module;
    return PyArg_ParseTuple(arguments, "O&IO&O&O&IO&pziO", to_tasks, &j.tasks, &j.how.jobs, to_number,
                            &j.solve.nanoseconds, to_number, &j.solve.steps, to_number, &j.solve.bytes,
                            &j.solve.attempts, to_programs_or_none, &j.solve.known, &j.solve.without_library,
                            &j.solve.store, &j.how.profile, &progress)
               ? execute(&j, progress)
               : NULL;
}

static PyObject *evolve(PyObject *module, PyObject *arguments) {
    PyObject *progress;
    Job j = {.work = do_evolve, .evolve = {.size = sizeof j.evolve}};
    (void)module;
    return PyArg_ParseTuple(arguments, "O&IO&O&O&IIO&ziO", to_tasks, &j.tasks, &j.how.jobs, to_number,
                            &j.evolve.nanoseconds, to_number, &j.evolve.generations, to_number,
                            &j.evolve.seed, &j.evolve.children, &j.evolve.population, to_programs_or_none,
                            &j.evolve.founders, &j.evolve.store, &j.how.profile, &progress)
               ? execute(&j, progress)
               : NULL;
}

static PyObject *given_text(batt_context *context, char *text) {
    PyObject *result = text != NULL ? PyUnicode_FromString(text) : raise_fault(context);
    batt_text_free(text);
    context_give(context);
    return result;
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

static PyMethodDef results_methods[] = {{"summary", results_summary, METH_NOARGS, NULL},
                                        {"json", results_json, METH_NOARGS, NULL},
                                        {"profile", results_profile, METH_NOARGS, NULL},
                                        {"submission", results_submission, METH_VARARGS, NULL},
                                        {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, results_dealloc}, {Py_tp_methods, results_methods}, {0, NULL}};
static PyMethodDef functions[] = {{"run", run, METH_VARARGS, NULL},
                                  {"solve", solve, METH_VARARGS, NULL},
                                  {"evolve", evolve, METH_VARARGS, NULL},
                                  {"score", score, METH_VARARGS, NULL},
                                  {0}};

int job_types(PyObject *module) {
    PyType_Spec spec = {"batt._batt.Results", sizeof(ResultsObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    results_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return results_type != NULL ? PyModule_AddFunctions(module, functions) : -1;
}

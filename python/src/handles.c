/* Programs and tasks as Python objects. The public classes (batt/_tasks.py, batt/_programs.py) are built on
 * these. */
#include "batt_python.h"

#include <string.h>

typedef struct ProgramsObject {
    PyObject_HEAD
    batt_programs *programs;
} ProgramsObject;

typedef struct TasksObject {
    PyObject_HEAD
    batt_tasks *tasks;
} TasksObject;

static PyTypeObject *programs_type, *tasks_type;

static batt_programs *programs_in(PyObject *self) {
    return ((ProgramsObject *)self)->programs;
}

static batt_tasks *tasks_in(PyObject *self) {
    return ((TasksObject *)self)->tasks;
}

batt_programs *programs_of(PyObject *object) {
    if (Py_TYPE(object) != programs_type) {
        PyErr_SetString(PyExc_TypeError, "expected programs");
        return NULL;
    }
    return programs_in(object);
}

batt_tasks *tasks_of(PyObject *object) {
    if (Py_TYPE(object) != tasks_type) {
        PyErr_SetString(PyExc_TypeError, "expected tasks");
        return NULL;
    }
    return tasks_in(object);
}

/* ---- texts ---- */

/* The texts of a sequence of str, borrowed from it. NULL with an exception. Free the array with PyMem_Free.
 */
static const char **texts_of(PyObject *sequence, Py_ssize_t *n) {
    *n = PySequence_Size(sequence);
    const char **texts = *n >= 0 ? PyMem_Calloc((size_t)*n + 1, sizeof *texts) : NULL;
    for (Py_ssize_t k = 0; texts != NULL && k < *n; k++) {
        PyObject *item = PyTuple_Check(sequence) ? PyTuple_GetItem(sequence, k) : NULL;
        Py_ssize_t length;
        texts[k] = item != NULL ? PyUnicode_AsUTF8AndSize(item, &length) : NULL;
        if (texts[k] != NULL && strlen(texts[k]) != (size_t)length) {
            PyErr_SetString(PyExc_ValueError, "embedded null character");
            texts[k] = NULL;
        }
        if (texts[k] == NULL) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_TypeError, "expected a tuple of str");
            }
            PyMem_Free(texts);
            texts = NULL;
        }
    }
    return texts;
}

static PyObject *text_given(batt_context *context, char *text) { /* releases both */
    PyObject *result = text != NULL ? PyUnicode_FromString(text) : raise_fault(context);
    batt_text_free(text);
    context_give(context);
    return result;
}

static PyObject *fault_tuple(const batt_fault *f) {
    return Py_BuildValue("(isiis)", f->code, f->file, (int)f->line, (int)f->column, f->text);
}

/* ---- programs ---- */

static PyObject *programs_object(batt_context *context,
                                 batt_programs *programs) { /* gives the context back */
    ProgramsObject *o =
        programs != NULL ? PyObject_New(ProgramsObject, programs_type) : (void *)raise_fault(context);
    context_give(context);
    if (o != NULL) {
        o->programs = programs;
    } else {
        batt_programs_free(programs);
    }
    return (PyObject *)o;
}

static void programs_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    batt_programs_free(programs_in(self));
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *parse(PyObject *type, PyObject *arguments) {
    const char *text;
    Py_ssize_t length;
    int mode;
    (void)type;
    if (!PyArg_ParseTuple(arguments, "s#i", &text, &length, &mode)) {
        return NULL;
    }
    batt_context *context = context_take();
    return context != NULL ? programs_object(context, batt_parse(context, text, (size_t)length, mode)) : NULL;
}

static PyObject *parse_paths(PyObject *type, PyObject *arguments) {
    PyObject *paths;
    Py_ssize_t n;
    int mode;
    (void)type;
    if (!PyArg_ParseTuple(arguments, "O!i", &PyTuple_Type, &paths, &mode)) {
        return NULL;
    }
    const char **texts = texts_of(paths, &n);
    batt_context *context = texts != NULL ? context_take() : NULL;
    batt_programs *programs = NULL;
    if (context != NULL) {
        Py_BEGIN_ALLOW_THREADS programs = batt_parse_paths(context, texts, (size_t)n, mode);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(texts);
    return context != NULL ? programs_object(context, programs) : NULL;
}

static Py_ssize_t programs_length(PyObject *self) {
    return (Py_ssize_t)batt_programs_count(programs_in(self));
}

static PyObject *programs_about(PyObject *self, PyObject *index) {
    size_t k = PyLong_AsSize_t(index);
    const batt_programs *p = programs_in(self);
    if (k == (size_t)-1 && PyErr_Occurred()) {
        return NULL;
    }
    return Py_BuildValue("(sissn)", batt_programs_name(p, k), batt_programs_mode(p, k),
                         batt_programs_text(p, k), batt_programs_hash(p, k),
                         (Py_ssize_t)batt_programs_calls(p, k));
}

static PyObject *programs_errors(PyObject *self, PyObject *nothing) {
    (void)nothing;
    PyObject *list = PyList_New(0);
    const batt_fault *fault;
    for (size_t k = 0; list != NULL && (fault = batt_programs_fault(programs_in(self), k)) != NULL; k++) {
        PyObject *item = fault_tuple(fault);
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *programs_lint(PyObject *self, PyObject *nothing) {
    (void)nothing;
    batt_context *context = context_take();
    return context != NULL ? text_given(context, batt_programs_lint(context, programs_in(self))) : NULL;
}

/* Whether one of them uses primitives of one's own. */
static PyObject *programs_own(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const batt_programs *p = programs_in(self);
    int own = 0;
    for (size_t k = 0; k < batt_programs_count(p) && !own; k++) {
        own = batt_programs_own(p, k);
    }
    return PyBool_FromLong(own);
}

static PyObject *programs_report(PyObject *self, PyObject *nothing) {
    (void)nothing;
    return PyUnicode_FromString(batt_programs_errors(programs_in(self)));
}

typedef struct Given { /* parameters of a run, one reference each */
    batt_value *grid, *samples, *candidate;
} Given;

static int take_given(batt_context *context, PyObject *grid, PyObject *samples, PyObject *candidate,
                      Given *given) {
    *given = (Given){.grid = grid_of(context, grid)};
    int good = given->grid != NULL;
    if (good && samples != Py_None) {
        good = (given->samples = value_of(context, samples, BATT_MODE_BATT)) != NULL;
    }
    if (good && candidate != Py_None) {
        good = (given->candidate = value_of(context, candidate, BATT_MODE_BATT)) != NULL;
    }
    return good;
}

static void give_given(Given *given) {
    batt_release(given->grid);
    batt_release(given->samples);
    batt_release(given->candidate);
}

static PyObject *programs_run(PyObject *self, PyObject *arguments) {
    Py_ssize_t index;
    PyObject *grid, *samples, *candidate;
    unsigned long long steps, bytes, nanoseconds;
    int safe;
    Given given;
    if (!PyArg_ParseTuple(arguments, "nOOOKKKp", &index, &grid, &samples, &candidate, &steps, &bytes,
                          &nanoseconds, &safe)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    PyObject *result = NULL;
    int mode = batt_programs_mode(programs_in(self), (size_t)index);
    if (take_given(context, grid, samples, candidate, &given)) {
        batt_value *v;
        batt_set_budget(context, steps, bytes, nanoseconds);
        batt_set_safe(context, safe);
        Py_BEGIN_ALLOW_THREADS v = batt_run_value(context, programs_in(self), (size_t)index, given.grid,
                                                  given.samples, given.candidate);
        Py_END_ALLOW_THREADS if (v != NULL && batt_value_kind(v) == BATT_FAILED && !PyErr_Occurred()) {
            raise_failure(v, batt_explain_run(context, programs_in(self), (size_t)index, given.grid,
                                              given.samples, given.candidate, v));
            batt_release(v);
        }
        else {
            result = object_of(context, v, mode);
        }
        batt_set_safe(context, 0);
        batt_set_budget(context, 0, 0, 0);
    }
    give_given(&given);
    context_give(context);
    return result;
}

static PyObject *trace_line(const batt_trace *trace, size_t k, int mode) {
    batt_value *v = batt_trace_value(trace, k);
    int failed = batt_value_kind(v) == BATT_FAILED;
    PyObject *reason = Py_BuildValue("(ss)", batt_value_reason(v), batt_value_where(v));
    PyObject *value = Py_None;
    if (failed) {
        Py_INCREF(value);
        batt_release(v);
    } else {
        value = object_of(NULL, v, mode);
    }
    PyObject *line = value != NULL && reason != NULL
                         ? Py_BuildValue("(ssiOO)", batt_trace_name(trace, k), batt_trace_call(trace, k),
                                         batt_trace_line(trace, k), value, failed ? reason : Py_None)
                         : NULL;
    Py_XDECREF(value);
    Py_XDECREF(reason);
    return line;
}

static PyObject *programs_trace(PyObject *self, PyObject *arguments) {
    Py_ssize_t index;
    PyObject *grid, *samples, *candidate;
    Given given;
    if (!PyArg_ParseTuple(arguments, "nOOO", &index, &grid, &samples, &candidate)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    PyObject *list = NULL;
    if (take_given(context, grid, samples, candidate, &given)) {
        batt_trace *trace = batt_run_trace(context, programs_in(self), (size_t)index, given.grid,
                                           given.samples, given.candidate);
        list = trace != NULL ? PyList_New(0) : raise_fault(context);
        for (size_t k = 0; list != NULL && k < batt_trace_count(trace); k++) {
            PyObject *line = trace_line(trace, k, batt_programs_mode(programs_in(self), (size_t)index));
            if (line == NULL || PyList_Append(list, line) < 0) {
                Py_CLEAR(list);
            }
            Py_XDECREF(line);
        }
        batt_trace_free(trace);
    }
    give_given(&given);
    context_give(context);
    return list;
}

/* ---- tasks ---- */

static PyObject *tasks_object(batt_context *context, batt_tasks *tasks) { /* gives the context back */
    TasksObject *o = tasks != NULL ? PyObject_New(TasksObject, tasks_type) : (void *)raise_fault(context);
    context_give(context);
    if (o != NULL) {
        o->tasks = tasks;
    } else {
        batt_tasks_free(tasks);
    }
    return (PyObject *)o;
}

static void tasks_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    batt_tasks_free(tasks_in(self));
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *load(PyObject *type, PyObject *paths) {
    Py_ssize_t n;
    (void)type;
    const char **texts = texts_of(paths, &n);
    batt_context *context = texts != NULL ? context_take() : NULL;
    batt_tasks *tasks = NULL;
    if (context != NULL) {
        Py_BEGIN_ALLOW_THREADS tasks = batt_tasks_load(context, texts, (size_t)n);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(texts);
    return context != NULL ? tasks_object(context, tasks) : NULL;
}

static PyObject *read_bytes(PyObject *type, PyObject *arguments) {
    const char *name, *bytes;
    Py_ssize_t length;
    (void)type;
    if (!PyArg_ParseTuple(arguments, "sy#", &name, &bytes, &length)) {
        return NULL;
    }
    batt_context *context = context_take();
    return context != NULL ? tasks_object(context, batt_tasks_read(context, name, bytes, (size_t)length))
                           : NULL;
}

/* (families or None, count, pairs, tests, seed): the tasks, and the text of their programs */
static PyObject *synth(PyObject *type, PyObject *arguments) {
    batt_synth_options options = {.size = sizeof options};
    unsigned long long count, seed;
    char *programs = NULL;
    (void)type;
    if (!PyArg_ParseTuple(arguments, "zKIiK", &options.families, &count, &options.pairs, &options.tests,
                          &seed)) {
        return NULL;
    }
    options.count = count;
    options.seed = seed;
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_tasks *tasks;
    Py_BEGIN_ALLOW_THREADS tasks = batt_tasks_synth(context, &options, &programs);
    Py_END_ALLOW_THREADS PyObject *made = tasks_object(context, tasks);
    PyObject *result = made != NULL ? Py_BuildValue("(Ns)", made, programs) : NULL;
    batt_text_free(programs);
    return result;
}

static PyObject *tasks_select(PyObject *self, PyObject *arguments) {
    PyObject *ids;
    const char *filter;
    Py_ssize_t start, count, n;
    if (!PyArg_ParseTuple(arguments, "O!znn", &PyTuple_Type, &ids, &filter, &start, &count)) {
        return NULL;
    }
    if (start < 0 || count < 0) {
        PyErr_SetString(PyExc_ValueError, "start and count must not be negative");
        return NULL;
    }
    const char **texts = texts_of(ids, &n);
    batt_context *context = texts != NULL ? context_take() : NULL;
    batt_tasks *tasks = context != NULL ? batt_tasks_select(context, tasks_in(self), texts, (size_t)n, filter,
                                                            (size_t)start, (size_t)count)
                                        : NULL;
    PyMem_Free(texts);
    return context != NULL ? tasks_object(context, tasks) : NULL;
}

static PyObject *tasks_at(PyObject *self, PyObject *positions) {
    Py_ssize_t n = PyTuple_Check(positions) ? PyTuple_Size(positions) : -1;
    size_t *at = n >= 0 ? PyMem_Calloc((size_t)n + 1, sizeof *at) : NULL;
    for (Py_ssize_t k = 0; at != NULL && k < n; k++) {
        at[k] = PyLong_AsSize_t(PyTuple_GetItem(positions, k));
    }
    batt_context *context = at != NULL && !PyErr_Occurred() ? context_take() : NULL;
    batt_tasks *tasks = context != NULL ? batt_tasks_at(context, tasks_in(self), at, (size_t)n) : NULL;
    PyMem_Free(at);
    if (context == NULL && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "expected a tuple of positions");
    }
    return context != NULL ? tasks_object(context, tasks) : NULL;
}

static PyObject *tasks_join(PyObject *type, PyObject *sets) {
    Py_ssize_t n = PyTuple_Check(sets) ? PyTuple_Size(sets) : -1;
    const batt_tasks **all = n >= 0 ? PyMem_Calloc((size_t)n + 1, sizeof *all) : NULL;
    (void)type;
    for (Py_ssize_t k = 0; all != NULL && k < n; k++) {
        if ((all[k] = tasks_of(PyTuple_GetItem(sets, k))) == NULL) {
            PyMem_Free(all);
            return NULL;
        }
    }
    batt_context *context = all != NULL ? context_take() : NULL;
    batt_tasks *tasks = context != NULL ? batt_tasks_join(context, all, (size_t)n) : NULL;
    PyMem_Free(all);
    if (context == NULL && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "expected a tuple of tasks");
    }
    return context != NULL ? tasks_object(context, tasks) : NULL;
}

static Py_ssize_t tasks_length(PyObject *self) {
    return (Py_ssize_t)batt_tasks_count(tasks_in(self));
}

static PyObject *tasks_about(PyObject *self, PyObject *index) {
    size_t k = PyLong_AsSize_t(index);
    const batt_tasks *t = tasks_in(self);
    if (k == (size_t)-1 && PyErr_Occurred()) {
        return NULL;
    }
    return Py_BuildValue("(ssnn)", batt_task_id(t, k), batt_task_source(t, k),
                         (Py_ssize_t)batt_task_pairs(t, k, BATT_TRAIN),
                         (Py_ssize_t)batt_task_pairs(t, k, BATT_TEST));
}

static PyObject *tasks_grid(PyObject *self, PyObject *arguments) {
    Py_ssize_t k, pair;
    int which, side, rows, columns;
    if (!PyArg_ParseTuple(arguments, "nini", &k, &which, &pair, &side)) {
        return NULL;
    }
    const int8_t *cells =
        batt_task_grid(tasks_in(self), (size_t)k, which, (size_t)pair, side, &rows, &columns);
    if (cells == NULL) {
        Py_RETURN_NONE;
    }
    batt_context *context = context_take();
    PyObject *result =
        context != NULL ? object_of(context, batt_grid(context, cells, rows, columns), BATT_MODE_CORE) : NULL;
    context_give(context);
    return result;
}

static PyObject *tasks_samples(PyObject *self, PyObject *index) {
    size_t k = PyLong_AsSize_t(index);
    batt_context *context = k == (size_t)-1 && PyErr_Occurred() ? NULL : context_take();
    if (context == NULL) {
        return NULL;
    }
    PyObject *result = object_of(context, batt_task_samples(context, tasks_in(self), k), BATT_MODE_BATT);
    context_give(context);
    return result;
}

static PyObject *tasks_judge(PyObject *self, PyObject *arguments) {
    Py_ssize_t k, pair;
    int which;
    PyObject *answer;
    if (!PyArg_ParseTuple(arguments, "ninO", &k, &which, &pair, &answer)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_value *v = value_of(context, answer, BATT_MODE_CORE);
    int verdict = v != NULL ? batt_judge(context, tasks_in(self), (size_t)k, which, (size_t)pair, v) : -1;
    PyObject *result = verdict >= 0 ? PyUnicode_FromString(batt_verdict_name(verdict)) : raise_fault(context);
    batt_release(v);
    context_give(context);
    return result;
}

static PyObject *tasks_svg(PyObject *self, PyObject *arguments) {
    Py_ssize_t k;
    const char *palette;
    if (!PyArg_ParseTuple(arguments, "nz", &k, &palette)) {
        return NULL;
    }
    batt_context *context = context_take();
    return context != NULL ? text_given(context, batt_task_svg(context, tasks_in(self), (size_t)k, palette))
                           : NULL;
}

static PyObject *tasks_drawing(PyObject *self, PyObject *arguments) {
    Py_ssize_t k, columns;
    const char *palette;
    int colors;
    if (!PyArg_ParseTuple(arguments, "nzni", &k, &palette, &columns, &colors)) {
        return NULL;
    }
    batt_context *context = context_take();
    return context != NULL
               ? text_given(context, batt_task_drawing(context, tasks_in(self), (size_t)k, palette,
                                                       (size_t)(columns > 0 ? columns : 0), colors))
               : NULL;
}

static PyObject *tasks_png(PyObject *self, PyObject *arguments) {
    Py_ssize_t k;
    const char *palette;
    size_t length;
    if (!PyArg_ParseTuple(arguments, "nz", &k, &palette)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    char *bytes = batt_task_png(context, tasks_in(self), (size_t)k, palette, &length);
    PyObject *result =
        bytes != NULL ? PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length) : raise_fault(context);
    batt_text_free(bytes);
    context_give(context);
    return result;
}

static PyObject *tasks_errors(PyObject *self, PyObject *nothing) {
    (void)nothing;
    PyObject *list = PyList_New(0);
    const batt_fault *fault;
    for (size_t k = 0; list != NULL && (fault = batt_tasks_fault(tasks_in(self), k)) != NULL; k++) {
        PyObject *item = fault_tuple(fault);
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *tasks_hash(PyObject *self, PyObject *nothing) {
    (void)nothing;
    return PyLong_FromUnsignedLongLong(batt_tasks_hash(tasks_in(self)));
}

static PyObject *drawing(PyObject *module, PyObject *arguments) { /* of a grid */
    PyObject *grid;
    const char *palette;
    Py_ssize_t columns;
    int colors;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Ozni", &grid, &palette, &columns, &colors)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_value *v = grid_of(context, grid);
    char *text = v != NULL
                     ? batt_grid_drawing(context, v, palette, (size_t)(columns > 0 ? columns : 0), colors)
                     : NULL;
    batt_release(v);
    return text_given(context, text);
}

static PyObject *difference(PyObject *module, PyObject *arguments) {
    PyObject *expected, *got;
    const char *palette;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOz", &expected, &got, &palette)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_value *a = grid_of(context, expected), *b = a != NULL ? grid_of(context, got) : NULL;
    char *text = b != NULL ? batt_difference_svg(context, a, b, palette) : NULL;
    batt_release(a);
    batt_release(b);
    return text_given(context, text);
}

/* A picture as str (SVG) or bytes (PNG), or None where there is none; frees it and gives the context back. */
static PyObject *picture_given(batt_context *context, char *picture, int png, size_t length) {
    PyObject *result;
    if (picture == NULL) {
        result = raise_fault(context);
    } else if (*picture == '\0') {
        result = Py_None;
        Py_INCREF(result);
    } else {
        result = png ? PyBytes_FromStringAndSize(picture, (Py_ssize_t)length) : PyUnicode_FromString(picture);
    }
    batt_text_free(picture);
    context_give(context);
    return result;
}

static PyObject *value_picture(PyObject *module, PyObject *arguments) { /* (value, over, palette, png) */
    PyObject *value, *over;
    const char *palette;
    int png;
    size_t length = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOzp", &value, &over, &palette, &png)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_value *v = value_of(context, value, BATT_MODE_CORE);
    batt_value *under = v != NULL && over != Py_None ? grid_of(context, over) : NULL;
    char *picture = NULL;
    if (v != NULL && (over == Py_None || under != NULL)) {
        picture = png ? batt_value_png(context, v, under, palette, &length)
                      : batt_value_svg(context, v, under, palette);
    }
    batt_release(v);
    batt_release(under);
    return picture_given(context, picture, png, length);
}

static PyObject *pair_picture(PyObject *module, PyObject *arguments) { /* (input, output, palette, png) */
    PyObject *input, *output;
    const char *palette;
    int png;
    size_t length = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOzp", &input, &output, &palette, &png)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_value *a = grid_of(context, input);
    batt_value *b = a != NULL && output != Py_None ? grid_of(context, output) : NULL;
    char *picture = NULL;
    if (a != NULL && (output == Py_None || b != NULL)) {
        picture =
            png ? batt_pair_png(context, a, b, palette, &length) : batt_pair_svg(context, a, b, palette);
    }
    batt_release(a);
    batt_release(b);
    return picture_given(context, picture, png, length);
}

/* ---- types ---- */

static PyMethodDef programs_methods[] = {{"parse", parse, METH_VARARGS | METH_STATIC, NULL},
                                         {"parse_paths", parse_paths, METH_VARARGS | METH_STATIC, NULL},
                                         {"about", programs_about, METH_O, NULL},
                                         {"errors", programs_errors, METH_NOARGS, NULL},
                                         {"report", programs_report, METH_NOARGS, NULL},
                                         {"lint", programs_lint, METH_NOARGS, NULL},
                                         {"own", programs_own, METH_NOARGS, NULL},
                                         {"run", programs_run, METH_VARARGS, NULL},
                                         {"trace", programs_trace, METH_VARARGS, NULL},
                                         {0}};
static PyMethodDef tasks_methods[] = {{"load", load, METH_O | METH_STATIC, NULL},
                                      {"read", read_bytes, METH_VARARGS | METH_STATIC, NULL},
                                      {"synth", synth, METH_VARARGS | METH_STATIC, NULL},
                                      {"at", tasks_at, METH_O, NULL},
                                      {"join", tasks_join, METH_O | METH_STATIC, NULL},
                                      {"select", tasks_select, METH_VARARGS, NULL},
                                      {"about", tasks_about, METH_O, NULL},
                                      {"grid", tasks_grid, METH_VARARGS, NULL},
                                      {"samples", tasks_samples, METH_O, NULL},
                                      {"judge", tasks_judge, METH_VARARGS, NULL},
                                      {"svg", tasks_svg, METH_VARARGS, NULL},
                                      {"drawing", tasks_drawing, METH_VARARGS, NULL},
                                      {"png", tasks_png, METH_VARARGS, NULL},
                                      {"errors", tasks_errors, METH_NOARGS, NULL},
                                      {"hash", tasks_hash, METH_NOARGS, NULL},
                                      {0}};
static PyType_Slot programs_slots[] = {{Py_tp_dealloc, programs_dealloc},
                                       {Py_sq_length, programs_length},
                                       {Py_tp_methods, programs_methods},
                                       {0, NULL}};
static PyType_Slot tasks_slots[] = {
    {Py_tp_dealloc, tasks_dealloc}, {Py_sq_length, tasks_length}, {Py_tp_methods, tasks_methods}, {0, NULL}};

static PyMethodDef functions[] = {{"drawing", drawing, METH_VARARGS, NULL},
                                  {"difference", difference, METH_VARARGS, NULL},
                                  {"value_picture", value_picture, METH_VARARGS, NULL},
                                  {"pair_picture", pair_picture, METH_VARARGS, NULL},
                                  {0}};

int handle_types(PyObject *module) {
    enum { FLAGS = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION };
    PyType_Spec programs = {"batt._batt.Programs", sizeof(ProgramsObject), 0, FLAGS, programs_slots};
    PyType_Spec tasks = {"batt._batt.Tasks", sizeof(TasksObject), 0, FLAGS, tasks_slots};
    programs_type = (PyTypeObject *)PyType_FromSpec(&programs);
    tasks_type = (PyTypeObject *)PyType_FromSpec(&tasks);
    if (programs_type == NULL || tasks_type == NULL ||
        PyModule_AddObjectRef(module, "Programs", (PyObject *)programs_type) < 0 ||
        PyModule_AddObjectRef(module, "Tasks", (PyObject *)tasks_type) < 0) {
        return -1;
    }
    return PyModule_AddFunctions(module, functions);
}

/* Shared by the files of the extension, which uses only batt.h and Python's stable ABI (3.11). */
#ifndef BATT_PYTHON_H
#define BATT_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <patchlevel.h>
#if PY_VERSION_HEX >= 0x030b0000 /* before, the stable ABI had no buffers */
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>
#include <batt.h>

/* ---- module.c ---- */

/* A context that is not in use; NULL with an exception. A call made during another one, by a Python function
 * or from another thread, gets another context. */
batt_context *context_take(void);
void context_give(batt_context *context);
/* Raises the context's fault as an exception; always returns NULL. */
PyObject *raise_fault(batt_context *context);
PyObject *raise_fault_data(const batt_fault *fault, const char *whole);
/* `detail` is freed; NULL and "": nothing to add. */
PyObject *raise_failure(const batt_value *failed, char *detail);

/* ---- value.c ---- */

typedef struct ValueObject {
    PyObject_HEAD
    batt_value *value;
    Py_hash_t hash; /* -1: not known yet */
    int mode;       /* of a function: BATT_MODE_CORE or BATT_MODE_BATT */
} ValueObject;

extern PyTypeObject *value_type, *tuple_type, *set_type, *function_type;
int value_types(PyObject *module);
int is_value(PyObject *object);
Py_hash_t value_hash(const batt_value *value); /* as Python hashes the same tuple, set or number */
int value_hash_ready(void);

/* ---- convert.c ---- */

/* The value of a Python object, a new reference; NULL with an exception. */
batt_value *value_of(batt_context *context, PyObject *object, int mode);
/* The same for an argument of a primitive, where strings are words for numbers. */
batt_value *argument_of(batt_context *context, PyObject *object, int mode, size_t primitive, size_t argument);
/* A grid; NULL with an exception for anything else. */
batt_value *grid_of(batt_context *context, PyObject *object);
/* The Python object for a value, of which it takes ownership (NULL: raises the context's fault): int, None,
 * float or a Value; a failed value is raised as an exception. */
PyObject *object_of(batt_context *context, batt_value *value, int mode);
/* Tuples, frozensets and numbers all the way down. */
PyObject *plain_of(const batt_value *value, int mode);
int convert_ready(void);

/* ---- primitive.c ---- */

PyObject *primitives(PyObject *module, PyObject *arguments);
PyObject *constants(PyObject *module, PyObject *arguments);
PyObject *symbols(PyObject *module, PyObject *nothing);
int primitive_types(PyObject *module);
const batt_value *primitive_value(PyObject *object); /* borrowed; NULL: not a primitive */

/* ---- own.c ---- */

/* Registers what a context does not know yet; *told is how much it knows. 0: no memory. */
int own_tell(batt_context *context, size_t *told);
PyObject *own_register(PyObject *module, PyObject *arguments);

/* ---- handles.c ---- */

int handle_types(PyObject *module);
batt_programs *programs_of(PyObject *object); /* borrowed; NULL with an exception */
batt_tasks *tasks_of(PyObject *object);

/* ---- jobs.c ---- */

int job_types(PyObject *module);

#endif

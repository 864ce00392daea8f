/* batt.Value and its kinds: objects that behave like a tuple, a frozenset or a function, but stay in C until
 * Python code reads them. */
#include "batt_python.h"

#include <string.h>

PyTypeObject *value_type, *tuple_type, *set_type, *function_type;

int is_value(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    return type == tuple_type || type == set_type || type == function_type;
}

static batt_value *inside(PyObject *self) {
    return ((ValueObject *)self)->value;
}

static PyObject *plain_self(PyObject *self) {
    return plain_of(inside(self), ((ValueObject *)self)->mode);
}

static PyObject *plain_any(PyObject *object) { /* a new reference */
    if (is_value(object)) {
        return plain_self(object);
    }
    Py_INCREF(object);
    return object;
}

/* ---- all kinds ---- */

static void value_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    batt_release(inside(self));
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *value_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    PyObject *object;
    (void)type;
    if (keywords != NULL && PyDict_Size(keywords) != 0) {
        PyErr_SetString(PyExc_TypeError, "Value() takes no keywords");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "O", &object)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_value *v = value_of(context, object, BATT_MODE_CORE);
    PyObject *result = v != NULL ? object_of(context, v, BATT_MODE_CORE) : NULL;
    context_give(context);
    return result;
}

static Py_hash_t hash_slot(PyObject *self) {
    ValueObject *v = (ValueObject *)self;
    if (v->hash == -1) {
        v->hash = value_hash(v->value);
    }
    return v->hash;
}

static PyObject *compare(PyObject *a, PyObject *b, int op) {
    if ((op == Py_EQ || op == Py_NE) && is_value(a) && is_value(b)) {
        int equal = batt_value_equal(inside(a), inside(b));
        return PyBool_FromLong(op == Py_EQ ? equal : !equal);
    }
    if (Py_TYPE(a) == function_type || (!is_value(b) && !PyTuple_Check(b) && !PyAnySet_Check(b))) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *x = plain_any(a), *y = x != NULL ? plain_any(b) : NULL;
    PyObject *result = y != NULL ? PyObject_RichCompare(x, y, op) : NULL;
    Py_XDECREF(x);
    Py_XDECREF(y);
    return result;
}

static PyObject *repr(PyObject *self) {
    PyObject *plain = plain_self(self), *text = plain != NULL ? PyObject_Repr(plain) : NULL;
    Py_XDECREF(plain);
    return text;
}

/* batt's own text form, in which sets are sorted; also used for pickling. */
static PyObject *value_text(PyObject *self) {
    size_t length = batt_value_text(inside(self), NULL, 0);
    char *text = PyMem_Malloc(length + 1);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    batt_value_text(inside(self), text, length + 1);
    PyObject *result = PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
    PyMem_Free(text);
    return result;
}

static PyObject *method_text(PyObject *self, PyObject *nothing) {
    (void)nothing;
    return value_text(self);
}

static PyObject *method_plain(PyObject *self, PyObject *nothing) {
    (void)nothing;
    return plain_self(self);
}

static PyObject *method_reduce(PyObject *self, PyObject *nothing) {
    (void)nothing;
    PyObject *module = PyImport_ImportModule("batt._batt"), *text = value_text(self);
    /* a function is made again by evaluating its text, in which one of Python's is function() */
    int made = Py_TYPE(self) == function_type;
    const char *written = text != NULL ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (made && written != NULL && strstr(written, "function()") != NULL) {
        PyErr_Format(PyExc_TypeError, "%U cannot be pickled: a Python function is part of it", text);
        Py_XDECREF(module);
        Py_DECREF(text);
        return NULL;
    }
    PyObject *function =
        module != NULL ? PyObject_GetAttrString(module, made ? "evaluate" : "from_text") : NULL;
    PyObject *result = function != NULL && text != NULL
                           ? made ? Py_BuildValue("(O(Oi))", function, text, ((ValueObject *)self)->mode)
                                  : Py_BuildValue("(O(O))", function, text)
                           : NULL;
    Py_XDECREF(module);
    Py_XDECREF(text);
    Py_XDECREF(function);
    return result;
}

/* ---- pictures ---- */

/* A picture by the function of the module that makes it; None: there is none. */
static PyObject *picture(PyObject *self, PyObject *over, PyObject *palette, int png) {
    PyObject *module = PyImport_ImportModule("batt._batt");
    PyObject *result = module != NULL
                           ? PyObject_CallMethod(module, "value_picture", "OOOi", self, over, palette, png)
                           : NULL;
    Py_XDECREF(module);
    return result;
}

static PyObject *svg_or_none(PyObject *self, PyObject *nothing) {
    (void)nothing;
    return picture(self, Py_None, Py_None, 0);
}

static PyObject *html_or_none(PyObject *self, PyObject *nothing) {
    PyObject *svg = svg_or_none(self, nothing);
    if (svg == NULL || svg == Py_None) {
        return svg;
    }
    PyObject *module = PyImport_ImportModule("batt._tasks");
    PyObject *html = module != NULL ? PyObject_CallMethod(module, "picture_html", "O", svg) : NULL;
    Py_XDECREF(module);
    Py_DECREF(svg);
    return html;
}

static PyObject *picture_or_error(PyObject *self, PyObject *arguments, PyObject *keywords, int png) {
    static char *names[] = {"palette", "over", NULL};
    PyObject *palette = Py_None, *over = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, png ? "|OO:png" : "|OO:svg", names, &palette,
                                     &over)) {
        return NULL;
    }
    PyObject *result = picture(self, over, palette, png);
    if (result == Py_None) {
        Py_CLEAR(result);
        PyErr_SetString(PyExc_ValueError,
                        "this value has no picture: grids, patches and containers of them have");
    }
    return result;
}

static PyObject *method_svg(PyObject *self, PyObject *arguments, PyObject *keywords) {
    return picture_or_error(self, arguments, keywords, 0);
}

static PyObject *method_png(PyObject *self, PyObject *arguments, PyObject *keywords) {
    return picture_or_error(self, arguments, keywords, 1);
}

/* ---- lists ---- */

static PyObject *list_of(PyObject *object) { /* tuples become lists, all the way down; steals the reference */
    PyObject *list =
        object != NULL && (PyTuple_Check(object) || PyAnySet_Check(object)) ? PySequence_List(object) : NULL;
    if (list == NULL) {
        return object;
    }
    Py_DECREF(object);
    for (Py_ssize_t k = 0; k < PyList_Size(list); k++) {
        PyObject *item = PyList_GetItem(list, k);
        Py_INCREF(item);
        item = list_of(item);
        if (item == NULL || PyList_SetItem(list, k, item) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *method_tolist(PyObject *self, PyObject *nothing) {
    (void)nothing;
    PyObject *whole = PySequence_List(self); /* a set in its canonical order */
    for (Py_ssize_t k = 0; whole != NULL && k < PyList_Size(whole); k++) {
        PyObject *item = list_of(plain_any(PyList_GetItem(whole, k)));
        if (item == NULL || PyList_SetItem(whole, k, item) < 0) {
            Py_CLEAR(whole);
        }
    }
    return whole;
}

/* ---- tuples and sets ---- */

static Py_ssize_t length(PyObject *self) {
    return (Py_ssize_t)batt_value_size(inside(self));
}

static PyObject *item(PyObject *self, Py_ssize_t k) {
    if (k < 0 || k >= length(self)) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return NULL;
    }
    batt_value *element = batt_value_at(inside(self), (size_t)k);
    return element != NULL ? object_of(NULL, element, ((ValueObject *)self)->mode) : PyErr_NoMemory();
}

static PyObject *subscript(PyObject *self, PyObject *key) {
    if (PyIndex_Check(key)) {
        Py_ssize_t k = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (k == -1 && PyErr_Occurred()) {
            return NULL;
        }
        return item(self, k < 0 ? k + length(self) : k);
    }
    PyObject *plain = plain_self(self), *result = plain != NULL ? PyObject_GetItem(plain, key) : NULL;
    Py_XDECREF(plain);
    return result;
}

static int contains(PyObject *self, PyObject *object) {
    batt_context *context = context_take();
    if (context == NULL) {
        return -1;
    }
    batt_value *x = value_of(context, object, BATT_MODE_CORE);
    int found = x != NULL && batt_value_contains(inside(self), x);
    batt_release(x);
    context_give(context);
    if (x == NULL &&
        !PyErr_ExceptionMatches(PyExc_MemoryError)) { /* what cannot be a value is in no container */
        PyErr_Clear();
    }
    return PyErr_Occurred() ? -1 : found;
}

/* Leaves operators, and methods such as union or index, to Python's own types. */
static PyObject *by_plain(PyObject *a, PyObject *b, PyObject *(*operation)(PyObject *, PyObject *)) {
    if ((!is_value(a) && !PyTuple_Check(a) && !PyAnySet_Check(a) && !PyLong_Check(a)) ||
        (!is_value(b) && !PyTuple_Check(b) && !PyAnySet_Check(b) && !PyLong_Check(b))) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *x = plain_any(a), *y = x != NULL ? plain_any(b) : NULL;
    PyObject *result = y != NULL ? operation(x, y) : NULL;
    Py_XDECREF(x);
    Py_XDECREF(y);
    return result;
}
#define BY_PLAIN(name, operation)                     \
    static PyObject *name(PyObject *a, PyObject *b) { \
        return by_plain(a, b, operation);             \
    }
BY_PLAIN(op_add, PyNumber_Add)
BY_PLAIN(op_multiply, PyNumber_Multiply)
BY_PLAIN(op_subtract, PyNumber_Subtract)
BY_PLAIN(op_and, PyNumber_And)
BY_PLAIN(op_or, PyNumber_Or)
BY_PLAIN(op_xor, PyNumber_Xor)

static PyObject *attribute(PyObject *self, PyObject *name) {
    PyObject *found = PyObject_GenericGetAttr(self, name);
    const char *text;
    if (found != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError) ||
        (text = PyUnicode_AsUTF8AndSize(name, NULL)) == NULL || text[0] == '_') {
        return found;
    }
    PyErr_Clear();
    PyObject *plain = plain_self(self);
    found = plain != NULL ? PyObject_GetAttr(plain, name) : NULL;
    Py_XDECREF(plain);
    return found;
}

static PyObject *iterate(PyObject *self) {
    return PySeqIter_New(self);
}

/* ---- the buffer of a grid ---- */

typedef struct Shape {
    Py_ssize_t shape[2], strides[2];
} Shape;

static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    int rows, columns;
    view->obj = NULL;
    if (!batt_value_grid(inside(self), &rows, &columns)) {
        PyErr_SetString(PyExc_BufferError, "only grids of small integers have a buffer");
        return -1;
    }
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "values do not change");
        return -1;
    }
    Shape *s = PyMem_Malloc(sizeof *s);
    if (s == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *s = (Shape){{rows, columns}, {columns, 1}};
    *view = (Py_buffer){.buf = (void *)batt_value_cells_in_place(inside(self)),
                        .obj = self,
                        .len = (Py_ssize_t)rows * columns,
                        .itemsize = 1,
                        .readonly = 1,
                        .ndim = flags & PyBUF_ND ? 2 : 1,
                        .format = flags & PyBUF_FORMAT ? "b" : NULL,
                        .shape = flags & PyBUF_ND ? s->shape : NULL,
                        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? s->strides : NULL,
                        .internal = s};
    Py_INCREF(self);
    return 0;
}

static void release_buffer(PyObject *self, Py_buffer *view) {
    (void)self;
    PyMem_Free(view->internal);
}

static PyObject *shape(PyObject *self, void *nothing) {
    (void)nothing;
    int rows, columns;
    if (!batt_value_grid(inside(self), &rows, &columns)) {
        PyErr_SetString(PyExc_AttributeError, "only grids of small integers have a shape");
        return NULL;
    }
    return Py_BuildValue("(ii)", rows, columns);
}

/* ---- functions ---- */

static PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords) {
    enum { MAX_ARGS = 8 };
    if (keywords != NULL && PyDict_Size(keywords) != 0) {
        PyErr_SetString(PyExc_TypeError, "functions of batt take no keywords");
        return NULL;
    }
    Py_ssize_t n = PyTuple_Size(arguments), taken = 0;
    if (n > MAX_ARGS) {
        PyErr_SetString(PyExc_TypeError, "functions of batt take at most 4 arguments");
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    int mode = ((ValueObject *)self)->mode;
    batt_value *values[MAX_ARGS] = {0};
    PyObject *result = NULL;
    while (taken < n &&
           (values[taken] = value_of(context, PyTuple_GetItem(arguments, taken), mode)) != NULL) {
        taken++;
    }
    if (taken == n) {
        batt_set_safe(context, mode == BATT_MODE_BATT);
        batt_value *v = batt_call(context, inside(self), (const batt_value *const *)values, (size_t)n, mode);
        batt_set_safe(context, 0);
        result = object_of(context, v, mode);
    }
    for (Py_ssize_t k = 0; k < taken; k++) {
        batt_release(values[k]);
    }
    context_give(context);
    return result;
}

static PyObject *function_repr(PyObject *self) {
    PyObject *text = value_text(self);
    PyObject *result = text != NULL ? PyUnicode_FromFormat("<batt function %U>", text) : NULL;
    Py_XDECREF(text);
    return result;
}

/* ---- types ---- */

static PyMethodDef common[] = {
    {"plain", method_plain, METH_NOARGS, "As tuples, frozensets and numbers of Python."},
    {"text", method_text, METH_NOARGS, "In batt's own form, which batt.from_text() reads."},
    {"__reduce__", method_reduce, METH_NOARGS, NULL},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, "Tuple[int] in annotations."},
    {0}};
#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS
static PyMethodDef container_methods[] = {
    {"_repr_html_", html_or_none, METH_NOARGS, "The same as an image of HTML."},
    {"_repr_svg_", svg_or_none, METH_NOARGS, "The picture for Jupyter; None: there is none."},
    {"svg", WITH_KEYWORDS(method_svg),
     "svg($self, palette=None, over=None)\n--\n\nThe picture of a grid, a patch, or several, as text; "
     "patches lie "
     "over the grid `over`."},
    {"png", WITH_KEYWORDS(method_png),
     "png($self, palette=None, over=None)\n--\n\nThe picture as the bytes of a PNG file."},
    {"tolist", method_tolist, METH_NOARGS, "As lists of lists of integers."},
    {0}};
static PyGetSetDef tuple_members[] = {{"shape", shape, NULL, "Rows and columns of a grid.", NULL}, {0}};

static PyType_Slot value_slots[] = {
    {Py_tp_doc,
     "What the primitives work on: tuples, sets and functions that stay in C until Python code reads "
     "them.\n\n"
     "Value(x) makes one of tuples, lists, sets, arrays and functions; numbers and None stay what they are."},
    {Py_tp_new, value_new},
    {Py_tp_dealloc, value_dealloc},
    {Py_tp_hash, hash_slot},
    {Py_tp_richcompare, compare},
    {Py_tp_repr, repr},
    {Py_tp_methods, common},
    {0, NULL}};
static PyType_Slot tuple_slots[] = {
    {Py_tp_doc, "A value that behaves as a tuple. A grid has a buffer: numpy.asarray(v)."},
    {Py_sq_length, length},
    {Py_sq_item, item},
    {Py_mp_length, length},
    {Py_mp_subscript, subscript},
    {Py_sq_contains, contains},
    {Py_tp_iter, iterate},
    {Py_tp_getattro, attribute},
    {Py_nb_add, op_add},
    {Py_nb_multiply, op_multiply},
    {Py_tp_methods, container_methods},
    {Py_tp_getset, tuple_members},
    {Py_bf_getbuffer, get_buffer},
    {Py_bf_releasebuffer, release_buffer},
    {0, NULL}};
static PyType_Slot set_slots[] = {
    {Py_tp_doc, "A value that behaves as a frozenset, and iterates in canonical order."},
    {Py_sq_length, length},
    {Py_sq_contains, contains},
    {Py_tp_iter, NULL}, /* set below */
    {Py_tp_methods, container_methods},
    {Py_tp_getattro, attribute},
    {Py_nb_subtract, op_subtract},
    {Py_nb_and, op_and},
    {Py_nb_or, op_or},
    {Py_nb_xor, op_xor},
    {0, NULL}};
static PyType_Slot function_slots[] = {
    {Py_tp_doc, "A function that a primitive made, such as compose(f, g)."},
    {Py_tp_call, call},
    {Py_tp_repr, function_repr},
    {0, NULL}};

/* A set has no sq_item, so it needs an iterator of its own. */
typedef struct SetIterator {
    PyObject_HEAD
    PyObject *set;
    Py_ssize_t at;
} SetIterator;
static PyTypeObject *iterator_type;

static void iterator_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((SetIterator *)self)->set);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *iterator_next(PyObject *self) {
    SetIterator *i = (SetIterator *)self;
    return i->at < length(i->set) ? item(i->set, i->at++) : NULL;
}

static PyObject *iterate_set(PyObject *self) {
    SetIterator *i = PyObject_New(SetIterator, iterator_type);
    if (i != NULL) {
        Py_INCREF(self);
        i->set = self;
        i->at = 0;
    }
    return (PyObject *)i;
}

static PyType_Slot iterator_slots[] = {{Py_tp_dealloc, iterator_dealloc},
                                       {Py_tp_iter, PyObject_SelfIter},
                                       {Py_tp_iternext, iterator_next},
                                       {0, NULL}};

static PyTypeObject *make_type(PyObject *module, const char *name, PyType_Slot *slots, size_t size,
                               unsigned flags, PyTypeObject *base) {
    PyType_Spec spec = {name, (int)size, 0, (unsigned)Py_TPFLAGS_DEFAULT | flags, slots};
    PyObject *type = PyType_FromSpecWithBases(&spec, (PyObject *)base);
    const char *last = strrchr(name, '.') + 1;
    if (type != NULL && module != NULL && PyModule_AddObjectRef(module, last, type) < 0) {
        Py_CLEAR(type);
    }
    return (PyTypeObject *)type;
}

int value_types(PyObject *module) {
    for (PyType_Slot *s = set_slots; s->slot != 0; s++) {
        if (s->slot == Py_tp_iter) {
            s->pfunc = iterate_set;
        }
    }
    enum { SIZE = sizeof(ValueObject) };
    value_type = make_type(module, "batt.Value", value_slots, SIZE, (unsigned)Py_TPFLAGS_BASETYPE, NULL);
    tuple_type = value_type ? make_type(module, "batt.Tuple", tuple_slots, SIZE, 0, value_type) : NULL;
    set_type = tuple_type ? make_type(module, "batt.Set", set_slots, SIZE, 0, value_type) : NULL;
    function_type = set_type ? make_type(module, "batt.Function", function_slots, SIZE, 0, value_type) : NULL;
    iterator_type = function_type ? make_type(NULL, "batt.SetIterator", iterator_slots, sizeof(SetIterator),
                                              (unsigned)Py_TPFLAGS_DISALLOW_INSTANTIATION, NULL)
                                  : NULL;
    return iterator_type != NULL ? 0 : -1;
}

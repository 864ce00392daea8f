/* Cards as Python modules; see card_python.h. */
#include "search/evolution/card_python.h"

#include "base/alloc.h"
#include "base/mix.h"
#include "engine/language/names.h"
#include "engine/language/print.h"
#include "search/evolution/card_pick.h"
#include "search/evolution/dialect_names.h"
#include "search/run/match_programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Append { /* to o or s, behind the steps that are there by then */
    uint32_t after;
    Ref value;
    const CardEntry *entry; /* whose answer it is, or is about; NULL: the expected output */
    const Program *differ;  /* NULL: an answer */
} Append;

typedef struct PythonMaker {
    const CardOptions *options;
    Builder builder;
    HashMap known; /* steps, by the hashes of their calls */
    Append *appends;
    size_t n_appends, appends_room;
    Types *types;
    CardPython *figures;
    bool no_memory;
} PythonMaker;

/* ---- steps ---- */

/* The step that makes this call; a new one only if there is none yet. */
static Ref step(PythonMaker *m, OpKind kind, uint32_t prim, const Ref *args, uint32_t n) {
    Builder *b = &m->builder;
    uint64_t hash = ((uint64_t)kind << 16 | prim) * MIX_FACTOR + n;
    for (uint32_t k = 0; k < n; k++) {
        hash = (hash ^ hash >> 29 ^ args[k]) * MIX_FACTOR;
    }
    hash ^= hash >> 32;
    if (!map_reserve(&m->known, 1, 1024)) {
        m->no_memory = true;
        return REF_OP;
    }
    hash <<= 32;
    uint32_t at = map_start(&m->known, hash);
    for (uint32_t k; (k = map_next(&m->known, hash, &at)) != MAP_NONE;) {
        const Op *op = &b->ops[k];
        if (op->kind == kind && op->prim == prim && op->nargs == n &&
            (n == 0 || memcmp(b->args + op->first, args, n * sizeof *args) == 0)) {
            return REF_OP | k;
        }
    }
    Ref made = build_op(b, kind, prim, args, n, 0, "", 0);
    if (!b->failed) {
        map_put(&m->known, hash, at, REF_INDEX(made));
    }
    return made;
}

static Ref two(PythonMaker *m, PrimId prim, Ref a, Ref b) {
    return step(m, OP_PRIM, prim, (Ref[]){a, b}, 2);
}

static Ref number(PythonMaker *m, int64_t value) {
    return build_const(&m->builder, val_int(value));
}

/* A tuple of values, by calls: repeat, astuple, combine. */
static Ref tuple_of(PythonMaker *m, const Ref *items, uint32_t n) {
    uint32_t equal = 1;
    while (equal < n && items[equal] == items[0]) {
        equal++;
    }
    if (n == 0) {
        return two(m, P_repeat, number(m, 1), number(m, 0));
    }
    if (n == 1 || (equal == n && n > 2)) {
        return two(m, P_repeat, items[0], number(m, n));
    }
    if (n == 2) {
        return two(m, P_astuple, items[0], items[1]);
    }
    Ref left = tuple_of(m, items, n / 2), right = tuple_of(m, items + n / 2, n - n / 2);
    return two(m, P_combine, left, right);
}

static Ref set_of(PythonMaker *m, const Ref *items, uint32_t n) {
    Ref set = step(m, OP_PRIM, P_initset, n > 0 ? items : (Ref[]){number(m, 1)}, 1);
    if (n == 0) {
        return two(m, P_remove, number(m, 1), set);
    }
    for (uint32_t k = 1; k < n; k++) {
        set = two(m, P_insert, items[k], set);
    }
    return set;
}

static bool has_name(Val v) {
    for (int id = CONSTANT_DOWN; id <= CONSTANT_THREE_BY_THREE; id++) {
        if (val_eq(lang_constants[id].value, v)) {
            return true;
        }
    }
    return false;
}

/* A constant: by its name, as a number, or made by calls. */
static Ref constant(PythonMaker *m, Val v) {
    if (!val_is_container(v) || (v.kind == VAL_PAIR && has_name(v))) {
        return build_const(&m->builder, v);
    }
    uint32_t n = val_len(v);
    Ref *items = mem_array(n + 1, sizeof *items);
    if (items == NULL) {
        m->no_memory = true;
        return REF_CONST;
    }
    for (uint32_t k = 0; k < n; k++) {
        items[k] = constant(m, val_at(v, k));
    }
    Ref made = val_is_set(v) ? set_of(m, items, n) : tuple_of(m, items, n);
    mem_free(items);
    return made;
}

/* The steps of a program with these parameters S, I, C; returns its result. */
static Ref inline_program(PythonMaker *m, const Program *p, const Ref *params) {
    uint32_t first = prog_op_slot(p, 0);
    Ref *refs = mem_array(prog_slots(p), sizeof *refs), args[BUILD_MAX_ARGS];
    if (refs == NULL) {
        m->no_memory = true;
        return REF_CONST;
    }
    for (uint32_t k = 0; k < p->nparams; k++) {
        refs[k] = params[p->nparams == 1 ? PARAM_I : k];
    }
    for (uint32_t k = 0; k < p->nconsts; k++) {
        refs[p->nparams + k] = constant(m, p->consts[k]);
    }
    for (uint32_t k = 0; k < p->nops && !m->no_memory; k++) {
        const Op *op = &p->ops[k];
        for (uint32_t a = 0; a < op->nargs; a++) {
            args[a] = refs[p->args[op->first + a]];
        }
        refs[first + k] = op->kind == OP_TUPLE ? tuple_of(m, args, op->nargs)
                          : op->kind == OP_SET ? set_of(m, args, op->nargs)
                                               : step(m, (OpKind)op->kind, op->prim, args, op->nargs);
    }
    Ref result = m->no_memory ? REF_CONST : refs[p->result];
    mem_free(refs);
    return result;
}

/* ---- programs and differs ---- */

static void append(PythonMaker *m, Ref value, const CardEntry *entry, const Program *differ) {
    if (!MEM_ROOM(m->appends, m->n_appends, m->appends_room, 256)) {
        m->no_memory = true;
        return;
    }
    m->appends[m->n_appends++] = (Append){m->builder.nops, value, entry, differ};
}

/* Differs get the expected output as I and the answer as C. The pipeline expects a pair of numbers from them.
 */
static void add_scores(PythonMaker *m, const CardEntry *entry, Ref answer) {
    const ProgList *differs = m->options->differs;
    for (size_t k = 0; differs != NULL && k < differs->count && !m->no_memory; k++) {
        Ref params[] = {REF_PARAM | PARAM_S, REF_PARAM | PARAM_C, answer};
        Ref value = inline_program(m, differs->items[k], params);
        if (k < m->options->n_own_differs) {
            value = two(m, P_astuple, value, number(m, 0));
        }
        append(m, value, entry, differs->items[k]);
        m->figures->scores++;
    }
}

static void add_program(PythonMaker *m, const CardEntry *entry) {
    static const Ref params[] = {REF_PARAM | PARAM_S, REF_PARAM | PARAM_I, REF_PARAM | PARAM_C};
    Program *p = prog_strip(entry->child != NULL ? entry->child : entry->origin);
    if (p == NULL) {
        m->no_memory = true;
        return;
    }
    int missing;
    if (dialect_names(m->types, p, &missing)) {
        Ref value = inline_program(m, p, params);
        if (REF_KIND(value) != REF_OP) { /* a step that has a number */
            value = step(m, OP_PRIM, P_identity, &value, 1);
        }
        append(m, value, entry, NULL);
        add_scores(m, entry, value);
        m->figures->programs++;
        m->figures->arcdsl += p->nparams == 1;
    } else {
        m->figures->left_out++;
        m->figures->missing = m->figures->missing < 0 ? missing : m->figures->missing;
        m->no_memory |= missing < 0;
    }
    prog_free(p);
}

/* ---- text ---- */

static const char *solver_id(const CardEntry *entry) {
    const char *id = entry != NULL ? match_id(entry->origin) : NULL;
    return entry == NULL                    ? "None"
           : id != NULL                     ? id
           : entry->origin->name[0] != '\0' ? entry->origin->name
                                            : "program";
}

static void write_append(Out *out, const Append *a) {
    uint32_t number = REF_INDEX(a->value) + 1;
    if (a->differ == NULL) {
        out_fmt(out, "    o.append((%" PRIu32 ", %s, '%s', t%" PRIu32 "))\n", number,
                a->entry->mutation != NULL ? "True" : "False", solver_id(a->entry), number);
    } else {
        out_fmt(out, "    s.append((%" PRIu32 ", '%s', '%s', t%" PRIu32 "))\n", number, solver_id(a->entry),
                a->differ->name, number);
    }
}

/* "f(a, b)" is "f, a, b" in the module of calls: no argument has brackets. */
static void write_call(Out *calls, uint32_t number, const char *text) {
    size_t name = strcspn(text, "("), length = strlen(text);
    out_fmt(calls, "%s%" PRIu32 ": '%.*s", number > 1 ? ", " : "", number, (int)name, text);
    if (length > name + 2) {
        out_fmt(calls, ", %.*s", (int)(length - name - 2), text + name + 1);
    }
    out_char(calls, '\'');
}

static void write_module(Out *module, Out *calls, const PythonMaker *m, const Program *p) {
    Out call;
    out_init(&call);
    size_t next = 0;
    out_str(module,
            "# " OUT_MARK " card --python\nfrom dsl import *\nfrom safe_dsl import _get_safe_default\n"
            "\n\ndef batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n");
    out_str(calls, "# " OUT_MARK " card --python\nt_call = {");
    for (uint32_t k = 0; k <= p->nops; k++) {
        for (; next < m->n_appends && m->appends[next].after == k; next++) {
            write_append(module, &m->appends[next]);
        }
        if (k < p->nops) {
            out_clear(&call);
            print_call(&call, p, k);
            out_fmt(module,
                    "    try:\n        t%" PRIu32 " = %s\n"
                    "    except (TypeError, AttributeError, ValueError):\n"
                    "        t%" PRIu32 " = _get_safe_default(%.*s)\n",
                    k + 1, call.data, k + 1, (int)strcspn(call.data, "("), call.data);
            write_call(calls, k + 1, call.data);
        }
    }
    out_str(module, "    return o, s\n");
    out_str(calls, "}\n");
    module->failed |= call.failed;
    out_free(&call);
}

/* Gives the steps their names and writes them. */
static bool write_steps(Out *module, Out *calls, PythonMaker *m) {
    enum { NAME_ROOM = 12 };
    uint32_t n = m->builder.nops;
    char *names = mem_array(n + 1, NAME_ROOM);
    for (uint32_t k = 0; names != NULL && k < n; k++) {
        char *name = names + (size_t)k * NAME_ROOM;
        int length = snprintf(name, NAME_ROOM, "t%" PRIu32, k + 1);
        build_name(&m->builder, REF_OP | k, name, (size_t)length);
    }
    Ref result = n > 0 ? REF_OP | (n - 1) : REF_PARAM | PARAM_I;
    Program *p = names != NULL ? build_finish(&m->builder, "batt", 4, MODE_BATT, 3, result) : NULL;
    if (p != NULL) {
        p->own_names = true;
        write_module(module, calls, m, p);
    }
    bool good = p != NULL && !module->failed && !calls->failed;
    m->figures->steps = n;
    prog_free(p);
    mem_free(names);
    return good;
}

bool card_write_python(Out *module, Out *calls, const CardOptions *options, const Program *const *programs,
                       size_t n_programs, CardPython *figures) {
    uint32_t count =
        options->count == 0 || options->count > n_programs ? (uint32_t)n_programs : options->count;
    PythonMaker m = {.options = options, .figures = figures, .types = types_open()};
    *figures = (CardPython){.missing = -1};
    CardEntry *picked = card_pick(options, programs, n_programs, count);
    build_init(&m.builder);
    build_start(&m.builder);
    m.no_memory = picked == NULL || m.types == NULL;
    if (!m.no_memory) {
        add_scores(&m, NULL, REF_PARAM | PARAM_C);
    }
    for (uint32_t k = 0; k < count && !m.no_memory; k++) {
        if (picked[k].form != CARD_FORMS) {
            types_tidy(m.types);
            add_program(&m, &picked[k]);
        }
    }
    bool good = !m.no_memory && !m.builder.failed && write_steps(module, calls, &m);
    types_close(m.types);
    map_free(&m.known);
    mem_free(m.appends);
    build_free(&m.builder);
    card_drop(picked, count);
    return good;
}

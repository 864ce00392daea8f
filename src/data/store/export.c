/* Writing a store as a solver file; see solver_file.h. */
#define XXH_INLINE_ALL
#include "base/alloc.h"
#include "base/hash_map.h"
#include "data/store/solver_file.h"
#include "data/store/store_internal.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* ---- keys ---- */

void store_key_write(const StoreKey *key, char text[STORE_KEY_HEX]) {
    for (size_t i = 0; i < sizeof key->bytes; i++) {
        sprintf(text + 2 * i, "%02x", key->bytes[i]);
    }
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool store_key_read(const char *text, StoreKey *key) {
    for (size_t i = 0; i < sizeof key->bytes; i++) {
        int high = hex_digit(text[2 * i]), low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);
        if (low < 0) {
            return false;
        }
        key->bytes[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

/* Most significant byte first, so that the digits of a key read like the number. */
StoreKey store_key_of(ProgHash hash) {
    StoreKey key;
    for (int i = 0; i < 8; i++) {
        key.bytes[i] = (unsigned char)(hash.hi >> (56 - 8 * i));
        key.bytes[i + 8] = (unsigned char)(hash.lo >> (56 - 8 * i));
    }
    return key;
}

/* ---- function names: unique within a file ---- */

/* -1: out of memory, 0: already taken, 1: taken now. Only hashes are kept: two names with the same one count
 * as one, which only costs a suffix. */
static int take_name(HashMap *taken, const char *name) {
    uint64_t hash = XXH3_64bits(name, strlen(name));
    if (!map_reserve(taken, 1, 1024)) {
        return -1;
    }
    uint32_t at = map_start(taken, hash), rest = (uint32_t)hash >> 1;
    for (uint32_t other; (other = map_next(taken, hash, &at)) != MAP_NONE;) {
        if (other == rest) {
            return 0;
        }
    }
    map_put(taken, hash, at, rest);
    return 1;
}

enum { NAME_ROOM = STORE_TASK_MAX + 80 };

/* solve_LABEL as an identifier, with digits of the key appended if that name is taken. */
static bool choose_name(HashMap *taken, const char *label, int32_t place_of, const StoreKey *key,
                        char name[NAME_ROOM]) {
    char hex[STORE_KEY_HEX];
    int length = snprintf(name, NAME_ROOM, "solve_%.*s", STORE_TASK_MAX, label);
    for (char *c = name; *c; c++) {
        bool fits = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        *c = fits ? *c : '_';
    }
    if (place_of > 1) {
        length += snprintf(name + length, NAME_ROOM - (size_t)length, "_%d", (int)place_of);
    }
    int state = take_name(taken, name);
    store_key_write(key, hex);
    for (int digits = 8; state == 0 && digits <= 32; digits *= 2) {
        snprintf(name + length, NAME_ROOM - (size_t)length, "_%.*s", digits, hex);
        state = take_name(taken, name);
    }
    return state > 0;
}

/* ---- functions and comments ---- */

static void write_escaped(Out *out, const char *text, bool blanks) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == 127 || c == '%' || (c == ' ' && !blanks)) {
            out_fmt(out, "%%%02X", c);
        } else {
            out_char(out, (char)c);
        }
    }
}

bool store_write_function(Out *out, const char *name, const StoreProgram *program) {
    const char *parameters = strchr(program->text, '(');
    if (strncmp(program->text, "def ", 4) != 0 || parameters == NULL) {
        return false;
    }
    out_fmt(out, "def %s%s", name, parameters);
    if (program->text[program->length - 1] != '\n') {
        out_char(out, '\n');
    }
    return true;
}

static void store_write_result(Out *out, const StoreResult *r) {
    out_str(out, "# result: task=");
    write_escaped(out, r->task, false);
    out_fmt(out, " score=%d train=%d/%d test=%d/%d guard=%d/%d steps=%lld time_ns=%lld outputs=%016llx\n",
            r->score, r->train_exact, r->train_total, r->test_exact, r->test_total, r->guard_passed,
            r->guard_total, (long long)r->steps, (long long)r->time_ns, (unsigned long long)r->outputs);
}

void store_write_lineage(Out *out, const StoreLineage *lineage) {
    char hex[STORE_KEY_HEX];
    out_str(out, "# lineage: parents=");
    for (int i = 0; i < lineage->parents; i++) {
        store_key_write(&lineage->parent[i], hex);
        out_fmt(out, "%s%s", i ? "," : "", hex);
    }
    out_str(out, " mutation=");
    write_escaped(out, lineage->mutation, true);
    out_char(out, '\n');
}

/* ---- the file ---- */

static bool record_comment(void *context, const StoreRecord *record, const StoreProgram *program) {
    Out *out = context;
    (void)program;
    out_str(out, "# record: task=");
    write_escaped(out, record->task, false);
    out_fmt(out, " kind=%s score=%d speed=%d file=", record->kind == STORE_DIFFER ? "differ" : "solver",
            record->score, record->speed);
    write_escaped(out, record->file, false);
    out_char(out, '\n');
    return true;
}

typedef struct ExportWriter {
    Store *store;
    StoreExport *wanted;
    Out *out;
    Lang *lang;
    HashMap taken;                 /* names, by their hashes */
    char task[STORE_TASK_MAX + 1]; /* whose results are being written */
    int32_t of_task;
    bool failed;
} ExportWriter;

static bool lineage_comment(void *context, const StoreLineage *lineage) {
    store_write_lineage(context, lineage);
    return true;
}

/* The primitives of one's own that a program calls, which an importing process may not have. */
static void primitives_comment(ExportWriter *w, const StoreProgram *stored) {
    const char *names[OWN_NAMES];
    Program *program = store_program_of(w->lang, stored);
    uint32_t n = program != NULL ? own_names(program, false, names) : 0;
    if (n > 0) {
        out_str(w->out, "# primitives:");
        for (uint32_t k = 0; k < n; k++) {
            out_fmt(w->out, " %s", names[k]);
        }
        out_char(w->out, '\n');
        own_lacking_note(&w->wanted->lacking, program);
    }
    prog_free(program);
}

static bool write_entry(ExportWriter *w, const char *label, int32_t place_of, const StoreProgram *program,
                        const StoreResult *result, const char *named) {
    char name[NAME_ROOM];
    if (w->wanted->mode >= 0 && program->mode != w->wanted->mode) {
        return true;
    }
    if (!choose_name(&w->taken, label, place_of, &program->key, name)) {
        w->failed = true;
        store_fail(w->store, MEM_NONE);
        return false;
    }
    out_str(w->out, "\n\n");
    if (result != NULL) {
        store_write_result(w->out, result);
    }
    if (named != NULL && (result != NULL || strcmp(name + strlen("solve_"), named) != 0)) {
        out_str(w->out, "# name: ");
        write_escaped(w->out, named, false);
        out_char(w->out, '\n');
    }
    primitives_comment(w, program);
    bool done = store_get_records(w->store, &program->key, record_comment, w->out) &&
                store_get_lineage(w->store, &program->key, lineage_comment, w->out);
    if (done && !store_write_function(w->out, name, program)) {
        done = store_fail(w->store, "the text of %s is not a function", name);
    }
    w->wanted->count += done;
    w->failed = !done;
    return done;
}

/* Rows come task by task, best first; `best` and the numbers in names count only rows that pass the
 * filter. */
static bool write_row(void *context, const StoreRow *row) {
    ExportWriter *w = context;
    if (strcmp(w->task, row->result.task) != 0) {
        snprintf(w->task, sizeof w->task, "%s", row->result.task);
        w->of_task = 0;
    }
    w->of_task++;
    return (w->wanted->best > 0 && w->of_task > w->wanted->best) ||
           write_entry(w, row->result.task, w->of_task, &row->program, &row->result,
                       row->named ? row->result.task : NULL);
}

static bool write_results(ExportWriter *w, const char *task) {
    StoreFilter filter = {.task = task, .solved = w->wanted->solved, .mode = w->wanted->mode};
    w->task[0] = '\0';
    return store_list(w->store, &filter, write_row, w) && !w->failed;
}

static bool write_named(void *context, const char *name, const StoreProgram *program, bool scored) {
    return scored || write_entry(context, name, 1, program, NULL, name); /* scored: written with its result */
}

static bool write_unused(void *context, const StoreProgram *program) {
    char hex[STORE_KEY_HEX];
    store_key_write(&program->key, hex);
    return write_entry(context, hex, 1, program, NULL, NULL);
}

static bool write_file(ExportWriter *w) {
    const StoreExport *wanted = w->wanted;
    out_str(w->out, "from dsl import *\nfrom constants import *\n");
    for (size_t i = 0; i < wanted->n_tasks; i++) {
        if (!write_results(w, wanted->tasks[i])) {
            return false;
        }
    }
    if (wanted->n_tasks == 0 && !write_results(w, NULL)) {
        return false;
    }
    if (wanted->n_tasks > 0 || wanted->best > 0 || wanted->solved) {
        return true;
    }
    return store_each_named(w->store, write_named, w) && !w->failed &&
           store_each_recorded(w->store, write_unused, w) && !w->failed &&
           store_each_unused(w->store, write_unused, w) && !w->failed;
}

bool store_export(Store *store, StoreExport *wanted, Out *out) {
    ExportWriter w = {.store = store, .wanted = wanted, .out = out, .lang = store_lang_open(wanted->own)};
    wanted->count = 0;
    wanted->lacking = (OwnLacking){0};
    if (w.lang == NULL) {
        return store_fail(store, MEM_NONE);
    }
    if (!store_read_begin(store)) {
        lang_close(w.lang);
        return false;
    }
    bool done = write_file(&w) && (!out->failed || store_fail(store, MEM_NONE));
    map_free(&w.taken);
    lang_close(w.lang);
    return store_read_end(store, done);
}

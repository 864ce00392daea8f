/* What a store holds, as JSON: the same members as `batt store --json`. */
#include "base/json.h"
#include "data/store/solver_file.h"
#include "engine/language/print.h"
#include "tools/api/own.h"

#include <string.h>

typedef struct StoreReader {
    Store *store;
    Lang *lang;
    Out out;
    Json json;
} StoreReader;

static void hex_of(char text[33], const StoreKey *key) {
    static const char digits[] = "0123456789abcdef";
    for (int k = 0; k < 16; k++) {
        text[2 * k] = digits[key->bytes[k] >> 4];
        text[2 * k + 1] = digits[key->bytes[k] & 15];
    }
    text[32] = '\0';
}

static bool key_of(const char *text, StoreKey *key) {
    static const char digits[] = "0123456789abcdef";
    if (strlen(text) != 32 || strspn(text, digits) != 32) {
        return false;
    }
    for (int k = 0; k < 16; k++) {
        key->bytes[k] = (unsigned char)((strchr(digits, text[2 * k]) - digits) << 4 |
                                        (strchr(digits, text[2 * k + 1]) - digits));
    }
    return true;
}

static bool open_reader(batt_context *c, StoreReader *r, const char *path) {
    char why[STORE_ERROR_MAX];
    if (!api_begin(c)) {
        return false;
    }
    if (path == NULL) {
        api_fault(c, BATT_BAD_ARGUMENT, "the path is NULL");
        return false;
    }
    r->lang = store_lang_open(own_prims(c));
    if (r->lang == NULL) {
        api_no_memory(c);
        return false;
    }
    r->store = store_open(path, STORE_READ, why);
    if (r->store == NULL) {
        lang_close(r->lang);
        api_fault(c, BATT_BAD_STORE, "%s", why);
        return false;
    }
    out_init(&r->out);
    r->json = json_on(&r->out, 0);
    return true;
}

static char *close_reader(batt_context *c, StoreReader *r, bool good) {
    char why[STORE_ERROR_MAX];
    if (!good) {
        api_fault(c, BATT_BAD_STORE, "%s", store_error(r->store));
    }
    store_close(r->store, why);
    lang_close(r->lang);
    return good ? api_text(c, &r->out) : (out_free(&r->out), NULL);
}

char *batt_store_stats(batt_context *c, const char *path) {
    StoreReader r;
    StoreStats s = {0};
    if (!open_reader(c, &r, path)) {
        return NULL;
    }
    bool good = store_stats(r.store, &s);
    json_begin_report(&r.json, "batt.store.stats/1");
    json_kv_string(&r.json, "file", path);
    json_kv_int(&r.json, "programs", s.programs);
    json_kv_int(&r.json, "results", s.results);
    json_kv_int(&r.json, "tasks", s.tasks);
    json_kv_int(&r.json, "solved_train", s.solved_train);
    json_kv_int(&r.json, "solved_test", s.solved_test);
    json_kv_int(&r.json, "lineage", s.lineage);
    json_kv_int(&r.json, "names", s.names);
    json_kv_int(&r.json, "records", s.records);
    json_kv_int(&r.json, "runs", s.runs);
    json_kv_int(&r.json, "nets", s.nets);
    json_kv_int(&r.json, "bytes", s.bytes);
    json_kv_int(&r.json, "store_version", s.schema);
    json_end_object(&r.json);
    return close_reader(c, &r, good);
}

static bool write_text(void *user, const StoreProgram *stored) {
    StoreReader *r = user;
    Program *program = store_program_of(r->lang, stored);
    json_kv_string(&r->json, "text", stored->text);
    if (program != NULL) {
        store_json_lacks(&r->json, program);
    }
    prog_free(program);
    return true;
}

static bool write_row(void *user, const StoreRow *row) {
    StoreReader *r = user;
    const StoreResult *result = &row->result;
    char key[33];
    hex_of(key, &result->program);
    json_begin_object(&r->json);
    json_kv_string(&r->json, "task", result->task);
    json_kv_int(&r->json, "place", row->place);
    json_kv_string(&r->json, "program", key);
    json_kv_fixed(&r->json, "score", row->grade / 1000.0, 3);
    json_kv_int(&r->json, "train_exact", result->train_exact);
    json_kv_int(&r->json, "train_total", result->train_total);
    json_kv_int(&r->json, "test_exact", result->test_exact);
    json_kv_int(&r->json, "test_total", result->test_total);
    json_kv_int(&r->json, "guard_passed", result->guard_passed);
    json_kv_int(&r->json, "guard_total", result->guard_total);
    json_kv_int(&r->json, "steps", result->steps);
    json_kv_fixed(&r->json, "time_s", (double)result->time_ns * 1e-9, 9);
    json_kv_int(&r->json, "calls", row->program.calls);
    json_kv_string(&r->json, "mode", row->program.mode == MODE_BATT ? "batt" : "core");
    write_text(r, &row->program);
    json_end_object(&r->json);
    return !r->out.failed;
}

char *batt_store_best(batt_context *c, const char *path, const char *task, size_t k) {
    StoreReader r;
    if (!open_reader(c, &r, path)) {
        return NULL;
    }
    json_begin_report(&r.json, "batt.store.programs/1");
    json_key(&r.json, "programs");
    json_begin_array(&r.json);
    bool good = store_best(r.store, task, k < INT32_MAX ? (int64_t)k : 0, write_row, &r);
    json_end_array(&r.json);
    json_end_object(&r.json);
    return close_reader(c, &r, good);
}

/* ---- lineage ---- */

typedef struct Ancestry { /* programs whose parents are still to be written */
    StoreReader *reader;
    StoreKey *keys;
    size_t count, room;
} Ancestry;

static bool ancestry_add(Ancestry *a, const StoreKey *key) {
    for (size_t k = 0; k < a->count; k++) {
        if (memcmp(&a->keys[k], key, sizeof *key) == 0) {
            return true;
        }
    }
    if (a->count == a->room) {
        return false; /* enough ancestors */
    }
    a->keys[a->count++] = *key;
    return true;
}

static bool write_parents(void *user, const StoreLineage *lineage) {
    Ancestry *a = user;
    Json *json = &a->reader->json;
    char text[33];
    json_kv_string(json, "mutation", lineage->mutation);
    json_key(json, "parents");
    json_begin_array(json);
    for (int k = 0; k < lineage->parents; k++) {
        hex_of(text, &lineage->parent[k]);
        json_text(json, text);
        (void)ancestry_add(a, &lineage->parent[k]);
    }
    json_end_array(json);
    return true;
}

char *batt_store_lineage(batt_context *c, const char *path, const char *program) {
    enum { ANCESTORS = 1000 };
    StoreKey keys[ANCESTORS];
    StoreReader r;
    Ancestry a = {.reader = &r, .keys = keys, .count = 1, .room = ANCESTORS};
    if (!open_reader(c, &r, path)) {
        return NULL;
    }
    if (program == NULL || !key_of(program, &keys[0])) {
        close_reader(c, &r, true);
        return api_fault(c, BATT_BAD_ARGUMENT, "a program is named by its hash, 32 hexadecimal digits");
    }
    bool good = true;
    json_begin_report(&r.json, "batt.store.ancestors/1");
    json_key(&r.json, "programs");
    json_begin_array(&r.json);
    for (size_t k = 0; k < a.count && good; k++) { /* grows while it is walked: nearest ancestors first */
        char text[33];
        StoreKey key = a.keys[k];
        hex_of(text, &key);
        json_begin_object(&r.json);
        json_kv_string(&r.json, "program", text);
        good = store_get_program(r.store, &key, write_text, &r) &&
               store_get_lineage(r.store, &key, write_parents, &a);
        json_end_object(&r.json);
    }
    json_end_array(&r.json);
    json_end_object(&r.json);
    return close_reader(c, &r, good);
}

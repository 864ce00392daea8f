/* Synthetic tasks. */
#include "base/alloc.h"
#include "data/synth/synth_batch.h"
#include "tools/api/api_internal.h"

#include <string.h>

typedef struct Families {
    const SynthFamily **items;
    size_t count;
} Families;

/* The families of a list "a,b"; NULL: all. False with the fault set. */
static bool choose(batt_context *c, const char *names, Families *chosen) {
    size_t room = synth_count();
    for (const char *at = names; at != NULL && *at != '\0'; at++) {
        room += *at == ',';
    }
    chosen->items = mem_array(room + 1, sizeof *chosen->items);
    if (chosen->items == NULL) {
        api_no_memory(c);
        return false;
    }
    for (size_t k = 0; names == NULL && k < synth_count(); k++) {
        chosen->items[chosen->count++] = synth_family(k);
    }
    for (const char *at = names; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        const SynthFamily *family = synth_find(at, length);
        if (family == NULL) {
            api_fault(c, BATT_BAD_ARGUMENT, "there is no family '%.*s' of synthetic tasks",
                      (int)(length < 60 ? length : 60), at);
            return false;
        }
        chosen->items[chosen->count++] = family;
    }
    return true;
}

/* {"ID": TASK, ..} and the programs. False with the fault set. */
static bool make_all(batt_context *c, const batt_synth_options *o, const Families *chosen, Out *tasks,
                     Out *programs) {
    size_t count = o->count ? o->count : chosen->count;
    SynthBatch batch;
    Synth *synth = synth_open();
    bool opened = synth_batch_open(&batch, chosen->items, chosen->count, o->seed, count);
    bool good = synth != NULL && opened;
    for (size_t k = 0; k < count && good; k++) {
        uint64_t seed;
        const char *why;
        const SynthFamily *family = synth_batch_next(&batch, &seed);
        const Task *task = synth_make(synth, family, seed, o->pairs ? (int)o->pairs : 3,
                                      o->tests < 0 ? 0
                                      : o->tests   ? o->tests
                                                   : 1,
                                      &why);
        good = task != NULL;
        if (good) {
            out_str(tasks, k ? "," : "{");
            out_json_string(tasks, task->id);
            out_char(tasks, ':');
            task_write_json(tasks, task);
            synth_program(programs, family, seed);
            out_char(programs, '\n');
        }
    }
    out_char(tasks, '}');
    if (opened) {
        synth_batch_close(&batch);
    }
    synth_close(synth);
    if (!good || tasks->failed || programs->failed) {
        api_no_memory(c);
        return false;
    }
    return true;
}

batt_tasks *batt_tasks_synth(batt_context *c, const batt_synth_options *options, char **programs) {
    batt_synth_options o = {0};
    Families chosen = {0};
    Out tasks, texts;
    if (programs != NULL) {
        *programs = NULL;
    }
    if (!api_begin(c)) {
        return NULL;
    }
    if (options != NULL) {
        memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    }
    if ((options != NULL && options->size == 0) || o.pairs > SYNTH_MAX_PAIRS || o.tests > SYNTH_MAX_PAIRS ||
        o.count > 1000000) {
        return api_fault(c, BATT_BAD_ARGUMENT,
                         options->size == 0 ? "the options have no size"
                                            : "at most %d pairs, %d tests and a million tasks",
                         SYNTH_MAX_PAIRS, SYNTH_MAX_PAIRS);
    }
    out_init(&tasks);
    out_init(&texts);
    batt_tasks *made = NULL;
    if (choose(c, o.families, &chosen) && make_all(c, &o, &chosen, &tasks, &texts)) {
        made = batt_tasks_read(c, "synth.json", tasks.data, tasks.len);
        if (made != NULL && programs != NULL && (*programs = api_text(c, &texts)) == NULL) {
            batt_tasks_free(made);
            made = NULL;
        }
    }
    mem_free(chosen.items);
    out_free(&tasks);
    out_free(&texts);
    return made;
}

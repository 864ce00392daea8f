/* Any bytes as a solver file for a store: no crash, and what is imported comes out as a file that can be
 * imported again, is the same the second time, and leaves sound stores. */
#include "base/alloc.h"
#include "data/store/solver_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool fine, const char *what) {
    if (!fine) {
        fprintf(stderr, "fuzz_store: %s\n", what);
        abort();
    }
}

static bool verify(void *lang, const StoreProgram *program, char *why) {
    return store_verify_text(lang, program, why);
}

static void say(void *context, const char *problem) {
    (void)context;
    need(false, problem);
}

/* Imports into a new store and exports that. False: the text has errors. */
static bool through_store(Lang *lang, const char *path, const char *text, size_t size, Out *out) {
    Source source = source_of("fuzz.py", text, size);
    ProgList programs = {0};
    Diags diags;
    diags_init(&diags);
    need(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &programs, &diags), "parsing ran out of memory");
    need(store_import(NULL, &source, &programs, &diags, NULL), "reading comments ran out of memory");
    bool good = diags.errors == 0 && programs.count > 0;
    for (size_t i = 0; i < programs.count; i++) {
        good = good && programs.items[i]->nparams > 0;
    }
    if (good) {
        char error[STORE_ERROR_MAX] = "";
        StoreImport counts = {0};
        StoreExport wanted = {.mode = -1};
        int64_t problems = 0;
        unlink(path);
        Store *store = store_open(path, STORE_WRITE | STORE_CREATE, error);
        need(store != NULL, error);
        need(store_import(store, &source, &programs, NULL, &counts), store_error(store));
        need(store_export(store, &wanted, out), store_error(store));
        need(store_check(store, verify, say, lang, &problems) && problems == 0, "not sound");
        need(store_skipped(store) == 0, "rows were skipped");
        need(store_close(store, error), error);
    }
    progs_free(&programs);
    diags_free(&diags);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t before = mem_bytes();
    char path[64];
    Lang *lang = lang_open();
    Out first, second;
    out_init(&first);
    out_init(&second);
    need(lang != NULL, "out of memory");
    /* in memory where there is such a place: a commit waits for the disk */
    snprintf(path, sizeof path, "%s/batt-fuzz-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : P_tmpdir,
             (int)getpid());
    if (through_store(lang, path, (const char *)data, size, &first)) {
        need(through_store(lang, path, first.data, first.len, &second), "the export cannot be imported");
        need(strcmp(first.data, second.data) == 0, "the second export differs");
        unlink(path);
    }
    out_free(&first);
    out_free(&second);
    lang_close(lang);
    need(mem_bytes() == before, "memory was lost");
    return 0;
}

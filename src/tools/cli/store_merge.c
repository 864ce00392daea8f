/* batt store merge: merges other stores into this one. */
#include "base/alloc.h"
#include "tools/cli/cmd_store.h"

#include <string.h>

static bool verify(void *context, const StoreProgram *program, char *why) {
    return store_verify_text(context, program, why);
}

static int report(Cli *cli, const StoreOptions *opt, const char *path, int n_files, const StoreMerged *m) {
    const struct {
        const char *name;
        int64_t count;
    } rows[] = {{"programs", m->programs}, {"results", m->results}, {"lineage", m->lineage},
                {"names", m->names},       {"records", m->records}, {"runs", m->runs},
                {"nets", m->nets}};
    Out out;
    out_init(&out);
    Json json = json_on(&out, 2);
    if (opt->json) {
        json_begin_report(&json, "batt.store.merge/1");
        json_kv_string(&json, "file", path);
        json_kv_int(&json, "stores", n_files);
    } else {
        out_fmt(&out, "stores: %d; new", n_files);
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (opt->json) {
            json_kv_int(&json, rows[k].name, rows[k].count);
        } else {
            out_fmt(&out, "%s %s: %lld", k > 0 ? "," : "", rows[k].name, (long long)rows[k].count);
        }
    }
    if (opt->json) {
        json_end_object(&json);
    }
    out_char(&out, '\n');
    return store_cli_print(cli, &out, EXIT_DONE);
}

/* The source stores are opened first: if one of them is refused, the target is not even created. */
static int merge(Cli *cli, const StoreOptions *opt, const char *path, Store **from, int n, Lang *lang) {
    StoreMerged counts;
    Store *into = store_cli_open(cli, path, STORE_WRITE | STORE_CREATE);
    if (into == NULL) {
        return EXIT_BAD;
    }
    bool done = store_merge(into, from, (size_t)n, verify, lang, &counts);
    int status = done ? report(cli, opt, path, n, &counts) : cli_error(cli, "%s", store_error(into));
    return store_cli_close(cli, into, status);
}

int store_cli_merge(Cli *cli, const StoreOptions *opt, const char *path, char **files, int n_files) {
    if (n_files == 0) {
        return cli_error(cli, "missing argument: stores to merge into %s", path);
    }
    Store **from = mem_zalloc((size_t)n_files, sizeof *from);
    Lang *lang = store_lang_open(cli->own);
    int status = from == NULL || lang == NULL ? cli_no_memory(cli) : EXIT_DONE;
    for (int k = 0; k < n_files && status == EXIT_DONE; k++) {
        if (cli_same_file(path, files[k])) {
            status = cli_error(cli, "%s: this is the store to merge into", files[k]);
        } else if ((from[k] = store_cli_open(cli, files[k], STORE_READ | STORE_UNVERIFIED)) == NULL) {
            status = EXIT_BAD;
        }
    }
    status = status == EXIT_DONE ? merge(cli, opt, path, from, n_files, lang) : status;
    for (int k = 0; from != NULL && k < n_files; k++) {
        char why[STORE_ERROR_MAX];
        store_close(from[k], why); /* only read: nothing can be lost */
    }
    mem_free(from);
    if (lang != NULL) {
        lang_close(lang);
    }
    return status;
}

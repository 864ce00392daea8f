/* batt store import: solver files, and scored collections of the Python pipeline, into a store. Threads read
 * and parse; then everything is put in the order of the files and saved as a whole, or nothing is. */
#include "base/alloc.h"
#include "base/hash_map.h"
#include "data/store/collection.h"
#include "data/tasks/paths.h"
#include "engine/eval/pool.h"
#include "engine/language/module.h"
#include "tools/cli/cmd_store.h"
#include "tools/cli/data.h"
#include "tools/display/progress.h"

#include <stdio.h>
#include <string.h>

typedef struct StoreFile { /* read and parsed */
    Source source;         /* freed early in a collection: there are tens of thousands of files */
    ProgList programs;
    Diags diags;
    char *why;              /* it could not be read; NULL if it could */
    CollectionPlace *place; /* in a collection; NULL: an ordinary solver file */
    bool no_memory;
} StoreFile;

typedef struct Import {
    Cli *cli;
    const StoreOptions *opt;
    PathList paths;
    Slab slab;
    StoreFile *files;
    Lang **langs; /* by worker */
    Progress progress;
    size_t errors;
    /* what was put */
    StoreImport counts;
    size_t records, doubles;
    OwnLacking lacking; /* put, and cannot run here */
    HashMap known;      /* files of collections, by the keys of their programs */
} Import;

/* ---- reading ---- */

static bool read_file(Import *import, Lang **lang, StoreFile *file, const char *path) {
    char why[256];
    CollectionPlace place;
    if (!source_read(&file->source, path, why, sizeof why)) {
        file->why = mem_strdup(why);
        return file->why != NULL;
    }
    if (collection_place(path, &place)) {
        file->place = mem_alloc(sizeof place);
        if (file->place == NULL) {
            return false;
        }
        *file->place = place;
        file->source.collection = true;
    }
    if (lang_is_module(&file->source)) {
        diags_add(&file->diags, &file->source, 0, false,
                  "a battery of the Python pipeline is not a file of solvers: batt run --battery reads it");
        progress_add(&import->progress, 1);
        return true;
    }
    *lang = *lang != NULL ? *lang : cli_lang_open(import->cli);
    char *missing = store_named_primitives(&file->source);
    if (*lang != NULL) {
        lang_accept_missing(*lang, missing);
    }
    bool good = *lang != NULL && missing != NULL &&
                lang_parse(*lang, &file->source, &PARSE_OPTIONS_FILE, &file->programs, &file->diags) &&
                store_import(NULL, &file->source, &file->programs, &file->diags, NULL);
    if (*lang != NULL) {
        lang_accept_missing(*lang, NULL);
    }
    mem_free(missing);
    if (good && file->place != NULL && file->diags.errors == 0 && file->programs.count != 1) {
        diags_add(&file->diags, &file->source, 0, false,
                  "a file of a collection must have one program, not %zu", file->programs.count);
    }
    if (good && file->place != NULL && file->diags.count == 0) {
        source_free(&file->source);
    }
    progress_add(&import->progress, 1);
    return good;
}

static void read_one(Worker *worker, size_t item) {
    Import *import = worker->shared;
    StoreFile *file = &import->files[item];
    file->no_memory =
        !read_file(import, &import->langs[worker->index], file, import->paths.entries[item].path);
}

static bool read_all(Import *import) {
    size_t n = import->paths.n_entries;
    Budget budget = BUDGET_DEFAULT;
    Pool pool = {0};
    import->files = mem_zalloc(n + 1, sizeof *import->files);
    bool good = import->files != NULL && pool_open(&pool, n < 2 ? 1 : 0, &budget);
    import->langs = good ? mem_zalloc(pool.count, sizeof *import->langs) : NULL;
    good = import->langs != NULL;
    for (size_t k = 0; k < n && good; k++) {
        diags_init(&import->files[k].diags);
    }
    if (good) {
        progress_start(&import->progress, import->opt->json ? NULL : cli_err(import->cli), "reading", "files",
                       n);
        pool_run(&pool, n, read_one, import, import->cli->stop);
        progress_end(&import->progress);
    }
    for (unsigned k = 0; k < pool.count && import->langs != NULL; k++) {
        lang_close(import->langs[k]);
    }
    mem_free(import->langs);
    pool_close(&pool);
    for (size_t k = 0; k < n && good; k++) {
        good = !import->files[k].no_memory;
    }
    return good;
}

static void report(Import *import) {
    Out out;
    out_init(&out);
    for (size_t k = 0; k < import->paths.n_entries; k++) {
        const StoreFile *file = &import->files[k];
        if (file->why != NULL) {
            cli_error(import->cli, "%s: %s", import->paths.entries[k].path, file->why);
        }
        if (file->diags.count > 0) {
            out_clear(&out);
            diags_write(&out, &file->source, &file->diags);
            out_flush_to(&out, cli_err(import->cli));
        }
        import->errors += file->diags.errors + (file->why != NULL);
    }
    out_free(&out);
    if (import->paths.bad_folder != NULL) {
        cli_error(import->cli, "%s: %s", import->paths.bad_folder, import->paths.bad_reason);
        import->errors++;
    }
    if (!import->opt->json) {
        report_dangling(import->cli, &import->paths);
    }
}

/* ---- putting ---- */

/* Notes the program of a file; a double has the same content as one before it that has another name. */
static bool note_double(Import *import, size_t item, const StoreKey *key) {
    uint64_t hash;
    memcpy(&hash, key->bytes, sizeof hash);
    if (!map_reserve(&import->known, 1, 1024)) {
        return false;
    }
    const StoreFile *file = &import->files[item];
    uint32_t at = map_start(&import->known, hash);
    for (uint32_t k; (k = map_next(&import->known, hash, &at)) != MAP_NONE;) {
        const StoreFile *other = &import->files[k];
        StoreKey theirs = store_key_of(other->programs.items[0]->hash);
        if (memcmp(&theirs, key, sizeof theirs) == 0) {
            import->doubles += strcmp(other->place->file, file->place->file) != 0;
            return true;
        }
    }
    map_put(&import->known, hash, at, (uint32_t)item);
    return true;
}

static bool put_placed(Import *import, Store *store, size_t item, Out *text) {
    const StoreFile *file = &import->files[item];
    const Program *program = file->programs.items[0];
    const CollectionPlace *place = file->place;
    StoreRecord record = {.task = place->task,
                          .program = store_key_of(program->hash),
                          .kind = place->kind,
                          .score = place->score,
                          .speed = place->speed,
                          .file = place->file};
    import->counts.functions++;
    import->records++;
    return note_double(import, item, &record.program) && store_put_parsed(store, program, text) &&
           store_put_record(store, &record);
}

static bool put_files(Import *import, Store *store) {
    bool done = true;
    Out text;
    out_init(&text);
    for (size_t k = 0; done && k < import->paths.n_entries; k++) {
        const StoreFile *file = &import->files[k];
        for (size_t p = 0; p < file->programs.count; p++) {
            own_lacking_note(&import->lacking, file->programs.items[p]);
        }
        if (file->why == NULL && file->place != NULL) {
            done = file->programs.count != 1 || put_placed(import, store, k, &text);
        } else if (file->why == NULL) {
            done = store_import(store, &file->source, &file->programs, NULL, &import->counts);
        }
    }
    out_free(&text);
    return done;
}

static void write_json(Out *out, const Import *import, int64_t fresh) {
    Json json = json_on(out, 2);
    json_begin_report(&json, "batt.store.import/1");
    json_kv_uint(&json, "files", import->paths.n_entries);
    json_kv_int(&json, "functions", import->counts.functions);
    json_kv_int(&json, "new_programs", fresh);
    json_kv_int(&json, "results", import->counts.results);
    json_kv_int(&json, "lineage", import->counts.lineage);
    json_kv_int(&json, "names", import->counts.names);
    json_kv_int(&json, "records", import->counts.records + (int64_t)import->records);
    json_kv_uint(&json, "doubles", import->doubles);
    json_key(&json, "dangling");
    json_begin_array(&json);
    for (size_t k = 0; k < import->paths.n_dangling; k++) {
        json_text(&json, import->paths.dangling[k]);
    }
    json_end_array(&json);
    json_kv_uint(&json, "errors", import->errors);
    json_end_object(&json);
    out_char(out, '\n');
}

static int put_all(Import *import, Store *store) {
    StoreStats before, after;
    bool done = store_stats(store, &before);
    store_hold(store); /* the import is saved as a whole or not at all */
    done = done && put_files(import, store) && store_release(store) && store_stats(store, &after);
    if (!done) {
        store_discard(store);
        return cli_error(import->cli, "%s", store_error(store));
    }
    cli_report_lacking(import->cli, &import->lacking, "");
    Out out;
    out_init(&out);
    int64_t fresh = after.programs - before.programs;
    const StoreImport *c = &import->counts;
    if (import->opt->json) {
        write_json(&out, import, fresh);
    } else {
        out_fmt(&out, "files: %zu, functions: %lld, new programs: %lld, results: %lld\n",
                import->paths.n_entries, (long long)c->functions, (long long)fresh, (long long)c->results);
        if (import->records > 0) {
            out_fmt(&out, "collection: %zu scores on record, %zu doubles by content, %zu broken links\n",
                    import->records, import->doubles, import->paths.n_dangling);
        }
    }
    return store_cli_print(import->cli, &out, import->errors > 0 ? EXIT_SHORT : EXIT_DONE);
}

/* ---- all of it ---- */

static int import_files(Import *import, const char *path, char **files, int n_files) {
    size_t programs = 0;
    import->paths.stop = import->cli->stop;
    if (!paths_find(&import->paths, &import->slab, (const char *const *)files, (size_t)n_files, ".py") ||
        !read_all(import)) {
        return cli_no_memory(import->cli);
    }
    if (cli_stopped(import->cli)) {
        return EXIT_INTERRUPTED;
    }
    report(import);
    for (size_t k = 0; k < import->paths.n_entries; k++) {
        programs += import->files[k].programs.count;
    }
    if (import->errors > 0 && !import->opt->partial) {
        return cli_error(import->cli, "nothing was imported (errors: %zu); --partial imports the rest",
                         import->errors);
    }
    if (programs == 0) {
        cli_error(import->cli, "no programs found");
        return EXIT_SHORT;
    }
    Store *store = store_cli_open(import->cli, path, STORE_WRITE | STORE_CREATE);
    return store ? store_cli_close(import->cli, store, put_all(import, store)) : EXIT_BAD;
}

int store_cli_import(Cli *cli, const StoreOptions *opt, const char *path, char **files, int n_files) {
    if (n_files == 0) {
        return cli_error(cli, "missing argument: solver files or folders");
    }
    Import import = {.cli = cli, .opt = opt};
    int status = import_files(&import, path, files, n_files);
    for (size_t k = 0; import.files != NULL && k < import.paths.n_entries; k++) {
        StoreFile *file = &import.files[k];
        progs_free(&file->programs);
        diags_free(&file->diags);
        source_free(&file->source);
        mem_free(file->why);
        mem_free(file->place);
    }
    mem_free(import.files);
    map_free(&import.known);
    paths_free(&import.paths);
    slab_free(&import.slab);
    return status;
}

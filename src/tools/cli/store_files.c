/* batt store export, import and check: the words that need the language as well as the store. */
#include "base/alloc.h"
#include "tools/cli/cmd_store.h"

#include <fts.h>
#include <stdio.h>
#include <string.h>

/* ---- export ---- */

int store_cli_export(Cli *cli, const StoreOptions *opt, const char *path, char **tasks, int n_tasks) {
    if (opt->json && opt->output == NULL) {
        return cli_error(cli, "--json says what was written where; it needs -o FILE");
    }
    Store *store = store_cli_open(cli, path, STORE_READ);
    if (store == NULL) {
        return EXIT_BAD;
    }
    StoreExport wanted = {.tasks = (const char *const *)tasks,
                          .n_tasks = (size_t)n_tasks,
                          .best = opt->best == CLI_UNSET ? 0 : opt->best,
                          .solved = opt->solved,
                          .mode = opt->mode};
    Out out;
    out_init(&out);
    out_str(&out, "# " OUT_MARK " store export\n");
    int status = EXIT_DONE;
    if (!store_export(store, &wanted, &out)) {
        status = cli_error(cli, "%s", store_error(store));
    } else if (wanted.count == 0 && n_tasks > 0) {
        cli_error(cli, "no programs of these tasks");
        status = EXIT_SHORT;
    } else if (opt->output == NULL) {
        return store_cli_close(cli, store, store_cli_print(cli, &out, EXIT_DONE));
    } else if (!cli_save(cli, &out, opt->output)) {
        status = EXIT_SHORT;
    } else {
        size_t bytes = out.len;
        out_clear(&out);
        if (opt->json) {
            Json json = json_on(&out, 2);
            json_begin_object(&json);
            json_kv_string(&json, "file", opt->output);
            json_kv_int(&json, "functions", wanted.count);
            json_kv_uint(&json, "bytes", bytes);
            json_end_object(&json);
            out_char(&out, '\n');
        } else {
            out_fmt(&out, "functions: %lld, written to ", (long long)wanted.count);
            out_printable(&out, opt->output);
            out_char(&out, '\n');
        }
        return store_cli_close(cli, store, store_cli_print(cli, &out, EXIT_DONE));
    }
    out_free(&out);
    return store_cli_close(cli, store, status);
}

/* ---- import ---- */

/* One file, read and parsed. */
typedef struct StoreFile {
    Source source;
    ProgList programs;
    char *path;
} StoreFile;

typedef struct Import {
    Cli *cli;
    const StoreOptions *opt;
    Lang *lang;
    StoreFile *files;
    size_t count, room;
    size_t errors;
} Import;

static bool no_memory(const Import *import) {
    cli_error(import->cli, MEM_NONE);
    return false;
}

/* False: no memory. Problems with the file are reported and counted. */
static bool read_file(Import *import, const char *path) {
    if (!MEM_ROOM(import->files, import->count, import->room, 64)) {
        return no_memory(import);
    }
    StoreFile *file = &import->files[import->count];
    *file = (StoreFile){.path = mem_strdup(path)};
    if (file->path == NULL) {
        return no_memory(import);
    }
    import->count++;
    char why[256];
    if (!source_read(&file->source, file->path, why, sizeof why)) {
        cli_error(import->cli, "%s: %s", path, why);
        import->errors++;
        return true;
    }
    ParseOptions how = PARSE_OPTIONS_FILE;
    Diags diags;
    Out out;
    diags_init(&diags);
    out_init(&out);
    bool done = lang_parse(import->lang, &file->source, &how, &file->programs, &diags) &&
                store_import(NULL, &file->source, &file->programs, &diags, NULL);
    diags_write(&out, &file->source, &diags);
    out_flush_to(&out, stderr);
    import->errors += diags.errors;
    out_free(&out);
    diags_free(&diags);
    return done || no_memory(import);
}

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Files as they are given; for folders the *.py in them and below, in order of their names. */
static bool read_path(Import *import, char *path) {
    char *roots[] = {path, NULL};
    if (strcmp(path, "-") == 0) {
        return read_file(import, path);
    }
    FTS *walk = fts_open(roots, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (walk == NULL) {
        return no_memory(import);
    }
    bool done = true;
    for (FTSENT *entry; done && (entry = fts_read(walk)) != NULL;) {
        size_t length = entry->fts_namelen;
        bool python = length > 3 && strcmp(entry->fts_name + length - 3, ".py") == 0;
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
            cli_error(import->cli, "%s: %s", entry->fts_path, strerror(entry->fts_errno));
            import->errors++;
        } else if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP &&
                   (entry->fts_level == 0 || python)) {
            done = read_file(import, entry->fts_path);
        }
    }
    fts_close(walk);
    return done;
}

static int put_all(Import *import, Store *store) {
    StoreStats before, after;
    StoreImport counts = {0};
    bool done = store_stats(store, &before);
    store_hold(store); /* the import is saved as a whole or not at all */
    for (size_t i = 0; done && i < import->count; i++) {
        const StoreFile *file = &import->files[i];
        done = store_import(store, &file->source, &file->programs, NULL, &counts);
    }
    done = done && store_release(store) && store_stats(store, &after);
    if (!done) {
        store_discard(store);
        return cli_error(import->cli, "%s", store_error(store));
    }
    Out out;
    out_init(&out);
    long long fresh = (long long)(after.programs - before.programs);
    if (import->opt->json) {
        Json json = json_on(&out, 2);
        json_begin_object(&json);
        json_kv_uint(&json, "files", import->count);
        json_kv_int(&json, "functions", counts.functions);
        json_kv_int(&json, "new_programs", fresh);
        json_kv_int(&json, "results", counts.results);
        json_kv_int(&json, "lineage", counts.lineage);
        json_kv_int(&json, "names", counts.names);
        json_kv_uint(&json, "errors", import->errors);
        json_end_object(&json);
        out_char(&out, '\n');
    } else {
        out_fmt(&out, "files: %zu, functions: %lld, new programs: %lld, results: %lld\n", import->count,
                (long long)counts.functions, fresh, (long long)counts.results);
    }
    return store_cli_print(import->cli, &out, import->errors > 0 ? EXIT_SHORT : EXIT_DONE);
}

static int import_files(Import *import, const char *path, char **files, int n_files) {
    size_t programs = 0;
    for (int i = 0; i < n_files; i++) {
        if (!read_path(import, files[i])) {
            return EXIT_BAD;
        }
    }
    for (size_t i = 0; i < import->count; i++) {
        programs += import->files[i].programs.count;
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
    Import import = {.cli = cli, .opt = opt, .lang = lang_open()};
    if (import.lang == NULL) {
        return cli_no_memory(cli);
    }
    int status = import_files(&import, path, files, n_files);
    for (size_t i = 0; i < import.count; i++) {
        progs_free(&import.files[i].programs);
        source_free(&import.files[i].source);
        mem_free(import.files[i].path);
    }
    mem_free(import.files);
    lang_close(import.lang);
    return status;
}

/* ---- check ---- */

typedef struct Findings {
    Lang *lang;
    bool json;
    Out out;
    Json writer;
} Findings;

static bool verify(void *context, const StoreProgram *program, char *why) {
    Findings *findings = context;
    return store_verify_text(findings->lang, program, why);
}

static void say(void *context, const char *problem) {
    Findings *findings = context;
    if (findings->json) {
        json_text(&findings->writer, problem);
    } else {
        out_printable(&findings->out, problem);
        out_char(&findings->out, '\n');
    }
}

int store_cli_check(Cli *cli, const StoreOptions *opt, const char *path) {
    Findings findings = {.lang = lang_open(), .json = opt->json};
    int64_t problems = 0;
    if (findings.lang == NULL) {
        return cli_no_memory(cli);
    }
    Store *store = store_cli_open(cli, path, STORE_READ | STORE_UNVERIFIED);
    if (store == NULL) {
        lang_close(findings.lang);
        return EXIT_BAD;
    }
    out_init(&findings.out);
    findings.writer = json_on(&findings.out, 2);
    if (opt->json) {
        json_begin_object(&findings.writer);
        json_kv_string(&findings.writer, "file", path);
        json_key(&findings.writer, "problems");
        json_begin_array(&findings.writer);
    }
    bool done = store_check(store, verify, say, &findings, &problems);
    if (opt->json) {
        json_end_array(&findings.writer);
        json_kv_bool(&findings.writer, "sound", problems == 0);
        json_end_object(&findings.writer);
        out_char(&findings.out, '\n');
    } else {
        out_fmt(&findings.out, problems == 0 ? "sound\n" : "problems: %lld\n", (long long)problems);
    }
    int status = problems == 0 ? EXIT_DONE : EXIT_SHORT;
    if (!done) {
        out_free(&findings.out);
        status = cli_error(cli, "%s", store_error(store));
    } else {
        status = store_cli_print(cli, &findings.out, status);
    }
    lang_close(findings.lang);
    return store_cli_close(cli, store, status);
}

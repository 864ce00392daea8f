/* batt store export --layout solver_dir: a store as the folders that the Python pipeline reads; and batt
 * store records, what such folders had on record. See data/store/collection.h. */
#include "base/alloc.h"
#include "base/hash_map.h"
#include "data/store/collection.h"
#include "tools/cli/cmd_store.h"
#include "tools/display/progress.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {[STORE_SOLVER] = "solver", [STORE_DIFFER] = "differ"};

typedef struct WrittenFile { /* in solver_md5 or differ_md5 */
    StoreKey program;
    StoreKind kind;
    char name[STORE_TASK_MAX + 1];
} WrittenFile;

typedef struct Layout {
    Cli *cli;
    Store *store;
    const char *folder;
    char *const *tasks; /* only these; none: all */
    int n_tasks;
    WrittenFile *files;
    size_t n_files, files_room;
    HashMap known; /* files, by the hashes of their names */
    size_t links;
    Out text;
    Progress progress;
    bool failed;
} Layout;

/* ---- files ---- */

static bool fail(Layout *l, const char *path, int error) {
    cli_error(l->cli, "%s: %s", path, strerror(error));
    l->failed = true;
    return false;
}

/* A folder with all above it, up to the one that the user named. */
static bool make_folder(Layout *l, char *path) {
    for (char *slash = path + strlen(l->folder); slash != NULL; slash = strchr(slash + 1, '/')) {
        char was = *slash;
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        int error = errno;
        *slash = was;
        if (!made) {
            return fail(l, path, error);
        }
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST || fail(l, path, errno);
}

/* The name that a program's file has: the one on record, unless another program has it. */
static bool choose_file(Layout *l, const StoreRecord *record, WrittenFile *file, bool *fresh) {
    char hex[STORE_KEY_HEX];
    store_key_write(&record->program, hex);
    *file = (WrittenFile){.program = record->program, .kind = record->kind};
    snprintf(file->name, sizeof file->name, "%s", record->file);
    for (int tries = 0; tries < 2; tries++) {
        uint64_t hash = map_hash32(2166136261u + (uint32_t)file->kind);
        for (const char *c = file->name; *c != '\0'; c++) {
            hash = map_hash32(((uint32_t)(hash >> 32) ^ (unsigned char)*c) * 16777619u);
        }
        if (!map_reserve(&l->known, 1, 1024) || !MEM_ROOM(l->files, l->n_files, l->files_room, 1024)) {
            return false;
        }
        uint32_t at = map_start(&l->known, hash), found = MAP_NONE;
        for (uint32_t k; found == MAP_NONE && (k = map_next(&l->known, hash, &at)) != MAP_NONE;) {
            found =
                l->files[k].kind == file->kind && strcmp(l->files[k].name, file->name) == 0 ? k : MAP_NONE;
        }
        *fresh = found == MAP_NONE;
        if (*fresh) {
            map_put(&l->known, hash, at, (uint32_t)l->n_files);
            l->files[l->n_files++] = *file;
        }
        if (*fresh || memcmp(&l->files[found].program, &file->program, sizeof file->program) == 0) {
            return true;
        }
        snprintf(file->name, sizeof file->name, "%s", hex);
    }
    return true;
}

static bool write_program(Layout *l, const WrittenFile *file, const StoreProgram *program) {
    char path[PATH_MAX];
    out_clear(&l->text);
    out_str(&l->text, "# " OUT_MARK " store export\nfrom dsl import *\nfrom constants import *\n\n\n");
    out_bytes(&l->text, program->text, program->length);
    if (snprintf(path, sizeof path, "%s/%s_md5/%s.py", l->folder, kinds[file->kind], file->name) >=
        (int)sizeof path) {
        return fail(l, l->folder, ENAMETOOLONG);
    }
    FILE *stream = fopen(path, "we");
    if (stream == NULL) {
        return fail(l, path, errno);
    }
    bool good = out_flush_to(&l->text, stream);
    good = fclose(stream) == 0 && good;
    return good || fail(l, path, errno);
}

static bool write_link(Layout *l, const StoreRecord *record, const char *name) {
    char path[PATH_MAX], to[STORE_TASK_MAX + 64];
    int length = snprintf(path, sizeof path, "%s/%s_dir/solve_%s/%d/%d", l->folder, kinds[record->kind],
                          record->task, record->score, record->speed);
    if (length + STORE_TASK_MAX + 8 >= (int)sizeof path) {
        return fail(l, l->folder, ENAMETOOLONG);
    }
    if (!make_folder(l, path)) {
        return false;
    }
    snprintf(path + length, sizeof path - (size_t)length, "/%s.py", name);
    snprintf(to, sizeof to, "../../../../%s_md5/%s.py", kinds[record->kind], name);
    if (symlink(to, path) != 0 && (errno != EEXIST || unlink(path) != 0 || symlink(to, path) != 0)) {
        return fail(l, path, errno);
    }
    l->links++;
    return true;
}

/* A task or file that would lead out of its folder is no name of ours. */
static bool is_plain(const char *name) {
    return strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool wanted(const Layout *l, const char *task) {
    for (int k = 0; k < l->n_tasks; k++) {
        if (strcmp(l->tasks[k], task) == 0) {
            return true;
        }
    }
    return l->n_tasks == 0;
}

static bool write_record(void *context, const StoreRecord *record, const StoreProgram *program) {
    Layout *l = context;
    WrittenFile file;
    bool fresh;
    progress_add(&l->progress, 1);
    if (!wanted(l, record->task)) {
        return true;
    }
    if (!is_plain(record->task) || !is_plain(record->file)) {
        cli_error(l->cli, "a record of task %s: '%s' cannot be a file name", record->task, record->file);
        l->failed = true;
        return false;
    }
    if (!choose_file(l, record, &file, &fresh)) {
        cli_no_memory(l->cli);
        l->failed = true;
        return false;
    }
    return (!fresh || write_program(l, &file, program)) && write_link(l, record, file.name) &&
           !cli_stopped(l->cli);
}

/* ---- results without a record: what batt itself found ---- */

typedef struct Recorded {
    const char *task;
    bool found;
} Recorded;

static bool find_task(void *context, const StoreRecord *record, const StoreProgram *program) {
    Recorded *recorded = context;
    (void)program;
    recorded->found = record->kind == STORE_SOLVER && strcmp(record->task, recorded->task) == 0;
    return !recorded->found;
}

static bool write_result(void *context, const StoreRow *row) {
    Layout *l = context;
    const StoreResult *result = &row->result;
    Recorded recorded = {.task = result->task};
    char hex[STORE_KEY_HEX];
    if (!store_get_records(l->store, &result->program, find_task, &recorded)) {
        l->failed = true;
        return false;
    }
    store_key_write(&result->program, hex);
    StoreRecord record = {.task = result->task,
                          .program = result->program,
                          .score = result->score + 1000 * result->test_exact,
                          .speed = collection_speed(result->time_ns),
                          .file = hex};
    return recorded.found || write_record(l, &record, &row->program);
}

/* ---- all of it ---- */

/* Folders of ours that are there already are only added to if that was said. */
static bool check_folder(Layout *l) {
    static const char *const parts[] = {"solver_md5", "solver_dir", "differ_md5", "differ_dir"};
    char path[PATH_MAX];
    struct stat info;
    for (int k = 0; k < 4; k++) {
        if (snprintf(path, sizeof path, "%s/%s", l->folder, parts[k]) >= (int)sizeof path) {
            return fail(l, l->folder, ENAMETOOLONG);
        }
        if (stat(path, &info) == 0 && !l->cli->force) {
            cli_error(l->cli, "%s: exists; --force adds to it", path);
            return false;
        }
        if (!make_folder(l, path)) {
            return false;
        }
    }
    return true;
}

static int report(Layout *l, const StoreOptions *opt) {
    Out out;
    out_init(&out);
    if (opt->json) {
        Json json = json_on(&out, 2);
        json_begin_report(&json, "batt.store.export/1");
        json_kv_string(&json, "folder", l->folder);
        json_kv_uint(&json, "programs", l->n_files);
        json_kv_uint(&json, "links", l->links);
        json_end_object(&json);
        out_char(&out, '\n');
    } else {
        out_fmt(&out, "programs: %zu, links: %zu, written to ", l->n_files, l->links);
        out_printable(&out, l->folder);
        out_char(&out, '\n');
    }
    return store_cli_print(l->cli, &out, EXIT_DONE);
}

int store_cli_layout(Cli *cli, const StoreOptions *opt, const char *path, char **rest, int n_rest) {
    if (n_rest == 0 || opt->output != NULL) {
        return cli_error(
            cli, "--layout solver_dir writes folders: export FILE --layout solver_dir FOLDER [TASK...]");
    }
    if (opt->best != CLI_UNSET || opt->solved || opt->mode >= 0) {
        return cli_error(cli, "--layout solver_dir writes all programs with a score; -k, --solved and --mode "
                              "cannot be combined with it");
    }
    Store *store = store_cli_open(cli, path, STORE_READ);
    if (store == NULL) {
        return EXIT_BAD;
    }
    Layout l = {.cli = cli, .store = store, .folder = rest[0], .tasks = rest + 1, .n_tasks = n_rest - 1};
    size_t length = strlen(rest[0]);
    while (length > 1 && rest[0][length - 1] == '/') {
        rest[0][--length] = '\0';
    }
    out_init(&l.text);
    StoreStats stats;
    StoreFilter all = {.mode = -1};
    int status = EXIT_BAD;
    if (length + 32 < PATH_MAX && check_folder(&l)) {
        bool done = store_stats(store, &stats);
        progress_start(&l.progress, opt->json ? NULL : cli_err(cli), "writing", "programs",
                       done ? (uint64_t)stats.records : 0);
        done = done && store_each_record(store, NULL, write_record, &l) && !l.failed &&
               store_list(store, &all, write_result, &l) && !l.failed;
        progress_end(&l.progress);
        status = cli_stopped(cli) ? EXIT_INTERRUPTED
                 : done           ? report(&l, opt)
                 : l.failed       ? EXIT_SHORT
                                  : cli_error(cli, "%s", store_error(store));
    }
    out_free(&l.text);
    map_free(&l.known);
    mem_free(l.files);
    return store_cli_close(cli, store, status);
}

/* ---- records ---- */

typedef struct Records {
    const StoreOptions *opt;
    Table table;
    Json json;
    int64_t count, limit;
} Records;

static bool show_record(void *context, const StoreRecord *record, const StoreProgram *program) {
    Records *r = context;
    if (r->limit > 0 && r->count == r->limit) {
        return false;
    }
    r->count++;
    if (r->opt->json) {
        json_begin_object(&r->json);
        json_kv_string(&r->json, "kind", kinds[record->kind]);
        json_kv_string(&r->json, "task", record->task);
        json_kv_int(&r->json, "score", record->score);
        json_kv_int(&r->json, "speed", record->speed);
        json_kv_string(&r->json, "file", record->file);
        json_kv_int(&r->json, "calls", program->calls);
        json_end_object(&r->json);
    } else {
        table_cell(&r->table, kinds[record->kind]);
        table_cell(&r->table, record->task);
        table_fmt(&r->table, "%d", record->score);
        table_fmt(&r->table, "%d", record->speed);
        table_fmt(&r->table, "%d", program->calls);
        table_cell(&r->table, record->file);
    }
    return true;
}

int store_cli_records(Cli *cli, const StoreOptions *opt, const char *path, char **tasks, int n_tasks) {
    Store *store = store_cli_open(cli, path, STORE_READ);
    if (store == NULL) {
        return EXIT_BAD;
    }
    Out out;
    out_init(&out);
    Records r = {.opt = opt, .json = json_on(&out, 2), .limit = opt->limit == CLI_UNSET ? 100 : opt->limit};
    table_begin(&r.table, "kind", "task", ">score", ">speed", ">calls", "file");
    if (opt->json) {
        json_begin_report(&r.json, "batt.store.records/1");
        json_key(&r.json, "records");
        json_begin_array(&r.json);
    }
    bool done = n_tasks > 0 || store_each_record(store, NULL, show_record, &r);
    for (int k = 0; k < n_tasks && done; k++) {
        done = store_each_record(store, tasks[k], show_record, &r);
    }
    if (opt->json) {
        json_end_array(&r.json);
        json_end_object(&r.json);
        out_char(&out, '\n');
        table_free(&r.table);
    } else {
        table_end(&r.table, &out, &cli->style);
    }
    int status = done ? EXIT_DONE : cli_error(cli, "%s", store_error(store));
    if (done && r.count == 0) {
        cli_error(cli, "no records");
        status = EXIT_SHORT;
    }
    return store_cli_close(cli, store, store_cli_print(cli, &out, status));
}

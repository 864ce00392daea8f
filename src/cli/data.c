/* Loading tasks and solvers for commands; see data.h. */
#include "cli/data.h"

#include "core/alloc.h"
#include "core/out.h"
#include "task/embedded.h"
#include "task/select.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOWN_ERRORS = 20 };

/* ---- tasks ---- */

/* The embedded files as one text in the layout of a challenges file. */
static TaskSet *load_embedded(void) {
    size_t count;
    const EmbeddedFile *files = embedded_tasks(&count);
    Out text;
    out_init(&text);
    for (size_t k = 0; k < count; k++) {
        out_char(&text, k == 0 ? '{' : ',');
        out_json_string(&text, files[k].name);
        out_char(&text, ':');
        out_bytes(&text, files[k].data, files[k].size);
    }
    out_str(&text, count == 0 ? "{}" : "}");
    TaskSet *set = text.failed ? NULL : task_load_bytes("examples", text.data, text.len, NULL);
    out_free(&text);
    return set;
}

static void report_errors(const Cli *cli, const TaskSet *set) {
    char line[1024];
    for (size_t k = 0; k < set->n_errors && k < SHOWN_ERRORS; k++) {
        task_error_format(&set->errors[k], line, sizeof line);
        cli_error(cli, "%s", line);
    }
    if (set->n_errors > SHOWN_ERRORS) {
        cli_error(cli, "and %zu more errors", set->n_errors - SHOWN_ERRORS);
    }
}

int data_load(const Cli *cli, const DataOptions *options, int64_t jobs, int n_paths, char **paths,
              Data *data) {
    *data = (Data){.origin = n_paths > 0 ? paths[0] : "the examples"};
    TaskLoadOptions how = {.jobs = (int)jobs, .strict = options->strict};
    data->set = n_paths > 0 ? task_load((const char *const *)paths, (size_t)n_paths, &how) : load_embedded();
    if (data->set == NULL) {
        return cli_error(cli, "out of memory");
    }
    report_errors(cli, data->set);
    if (data->set->n_tasks == 0) {
        return data->set->n_errors > 0 ? EXIT_BAD : cli_error(cli, "%s: no tasks found", data->origin);
    }
    SelectOptions choice = {.ids = options->ids.items,
                            .n_ids = options->ids.count,
                            .filter = options->filter,
                            .start = (size_t)options->start,
                            .count = (size_t)options->count};
    char why[SELECT_WHY_BYTES];
    data->tasks = select_tasks(data->set, &choice, &data->n_tasks, why);
    if (data->tasks == NULL) {
        return cli_error(cli, "%s", why);
    }
    if (data->n_tasks == 0) {
        return cli_error(cli, "no task is left of %zu after --id, --filter, --start and --count",
                         data->set->n_tasks);
    }
    data->hash = task_data_hash(data->tasks, data->n_tasks);
    return EXIT_DONE;
}

void data_free(Data *data) {
    if (data->set != NULL) {
        task_set_free(data->set);
    }
    mem_free(data->tasks);
    *data = (Data){0};
}

/* ---- solvers ---- */

static bool parse_source(const Cli *cli, Solvers *solvers, const Source *source, int mode) {
    ParseOptions how = PARSE_OPTIONS_FILE;
    Diags diags;
    how.mode = mode;
    diags_init(&diags);
    bool good = lang_parse(solvers->lang, source, &how, &solvers->list, &diags);
    if (diags.errors > 0) {
        Out text;
        out_init(&text);
        diags_write(&text, source, &diags);
        fflush(stdout);
        out_flush_to(&text, stderr);
        out_free(&text);
    }
    solvers->n_errors += diags.errors;
    solvers->n_files++;
    diags_free(&diags);
    return good || cli_error(cli, "out of memory") == EXIT_DONE;
}

static bool parse_file(const Cli *cli, Solvers *solvers, const char *path, int mode) {
    Source source;
    char why[256];
    if (!source_read(&source, path, why, sizeof why)) {
        cli_error(cli, "%s: %s", path, why);
        solvers->n_errors++;
        return true;
    }
    bool good = parse_source(cli, solvers, &source, mode);
    source_free(&source);
    return good;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static bool parse_folder(const Cli *cli, Solvers *solvers, const char *folder, int mode, int depth) {
    enum { MOST_DEPTH = 16 };
    struct dirent **entries;
    int n = depth < MOST_DEPTH ? scandir(folder, &entries, visible, by_name) : -1;
    if (n < 0) {
        cli_error(cli, "%s: cannot read this folder", folder);
        solvers->n_errors++;
        return true;
    }
    bool good = true;
    for (int k = 0; k < n; k++) {
        Out path;
        struct stat info;
        out_init(&path);
        out_fmt(&path, "%s/%s", folder, entries[k]->d_name);
        size_t length = strlen(entries[k]->d_name);
        if (good && !path.failed && stat(path.data, &info) == 0) {
            bool python = length > 3 && strcmp(entries[k]->d_name + length - 3, ".py") == 0;
            if (S_ISDIR(info.st_mode)) {
                good = parse_folder(cli, solvers, path.data, mode, depth + 1);
            } else if (python) {
                good = parse_file(cli, solvers, path.data, mode);
            }
        }
        good &= !path.failed;
        out_free(&path);
        free(entries[k]); /* scandir's own memory */
    }
    free(entries);
    return good;
}

static bool parse_embedded(const Cli *cli, Solvers *solvers, int mode) {
    size_t count;
    const EmbeddedFile *files = embedded_solvers(&count);
    bool good = true;
    for (size_t k = 0; k < count && good; k++) {
        Source source = source_of(files[k].name, files[k].data, files[k].size);
        good = parse_source(cli, solvers, &source, mode);
    }
    return good;
}

int solvers_load(const Cli *cli, const CliList *paths, int mode, Solvers *solvers) {
    *solvers = (Solvers){.lang = lang_open()};
    if (solvers->lang == NULL) {
        return cli_error(cli, "out of memory");
    }
    bool good = paths->count > 0 || parse_embedded(cli, solvers, mode);
    for (size_t k = 0; k < paths->count && good; k++) {
        struct stat info;
        bool folder = stat(paths->items[k], &info) == 0 && S_ISDIR(info.st_mode);
        good = folder ? parse_folder(cli, solvers, paths->items[k], mode, 0)
                      : parse_file(cli, solvers, paths->items[k], mode);
    }
    if (!good) {
        return EXIT_BAD;
    }
    if (solvers->list.count == 0) {
        return solvers->n_errors > 0 ? EXIT_BAD : cli_error(cli, "no programs found");
    }
    return EXIT_DONE;
}

void solvers_free(Solvers *solvers) {
    progs_free(&solvers->list);
    if (solvers->lang != NULL) {
        lang_close(solvers->lang);
    }
    *solvers = (Solvers){0};
}

/* ---- matching ---- */

typedef struct Named {
    const char *id; /* what follows "solve_" in the program's name */
    uint32_t program;
} Named;

static int by_id(const void *left, const void *right) {
    const Named *a = left, *b = right;
    int order = strcmp(a->id, b->id);
    return order != 0 ? order : (a->program > b->program) - (a->program < b->program);
}

static bool is_for(const char *solver_id, const char *task_id) {
    size_t length = strlen(task_id);
    return strncmp(solver_id, task_id, length) == 0 &&
           (solver_id[length] == '\0' || solver_id[length] == '_');
}

/* Index of the first name that is not less than id. */
static size_t first_from(const Named *names, size_t n, const char *id) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (strcmp(names[mid].id, id) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

bool solvers_match(const Solvers *solvers, const Data *data, Matching *m) {
    size_t n = 0;
    Named *names = mem_array(solvers->list.count, sizeof *names);
    *m = (Matching){.by_task = mem_zalloc(data->n_tasks, sizeof *m->by_task),
                    .programs = mem_array(solvers->list.count, sizeof *m->programs)};
    if (names == NULL || m->by_task == NULL || m->programs == NULL) {
        mem_free(names);
        matching_free(m);
        return false;
    }
    for (size_t k = 0; k < solvers->list.count; k++) {
        const char *at = strstr(solvers->list.items[k]->name, "solve_");
        if (at != NULL) {
            names[n++] = (Named){at + strlen("solve_"), (uint32_t)k};
        }
    }
    qsort(names, n, sizeof *names, by_id);
    for (size_t k = 0; k < n; k++) {
        m->programs[k] = names[k].program;
    }
    for (size_t k = 0; k < data->n_tasks; k++) {
        size_t first = first_from(names, n, data->tasks[k]->id), end = first;
        while (end < n && is_for(names[end].id, data->tasks[k]->id)) {
            end++;
        }
        m->by_task[k] = (RunMatch){m->programs + first, (uint32_t)(end - first)};
        m->matched += end > first;
    }
    mem_free(names);
    return true;
}

void matching_free(Matching *m) {
    mem_free(m->by_task);
    mem_free(m->programs);
    *m = (Matching){0};
}

/* Loading solver programs for commands, and matching them with tasks; see data.h. */
#include "cli/data.h"

#include "core/alloc.h"
#include "task/embedded.h"
#include "task/paths.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

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
    if (!good) {
        cli_error(cli, "out of memory");
    }
    return good;
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

static bool parse_paths(const Cli *cli, Solvers *solvers, const CliList *paths, int mode) {
    PathList files = {.stop = cli->stop};
    Slab slab = {0};
    bool good = paths_find(&files, &slab, paths->items, paths->count, ".py");
    if (!good) {
        cli_error(cli, "out of memory");
    }
    if (good && files.bad_folder != NULL && !cli_stopped(cli)) {
        cli_error(cli, "%s: %s", files.bad_folder, files.bad_reason);
        solvers->n_errors++;
    }
    for (size_t k = 0; good && k < files.n_entries && !cli_stopped(cli); k++) {
        good = parse_file(cli, solvers, files.entries[k].path, mode);
    }
    paths_free(&files);
    slab_free(&slab);
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
    if (!(paths->count > 0 ? parse_paths(cli, solvers, paths, mode) : parse_embedded(cli, solvers, mode))) {
        return EXIT_BAD;
    }
    if (cli_stopped(cli)) {
        return EXIT_INTERRUPTED;
    }
    if (solvers->list.count == 0) {
        return solvers->n_errors > 0
                   ? EXIT_BAD
                   : cli_error(cli, "%s: no programs found", paths->count > 0 ? paths->items[0] : "built in");
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

/* ---- names ---- */

static const char PREFIX[] = "solve_";

const char *solver_id(const Program *program) {
    return strncmp(program->name, PREFIX, strlen(PREFIX)) == 0 ? program->name + strlen(PREFIX) : NULL;
}

const Program *solvers_find(const Solvers *solvers, const char *name) {
    for (size_t k = 0; k < solvers->list.count; k++) {
        const Program *program = solvers->list.items[k];
        const char *id = solver_id(program);
        if (strcmp(program->name, name) == 0 || (id != NULL && strcmp(id, name) == 0)) {
            return program;
        }
    }
    return NULL;
}

/* ---- matching ---- */

typedef struct Named {
    const char *id;
    uint32_t program;
} Named;

/* A task's id as a name can hold it; '_' sorts first, so that ID, ID_a, ID_b stand together before ID0. */
static int rank(char c) {
    return c == '\0' ? 0 : isalnum((unsigned char)c) ? (unsigned char)c : 1;
}

static int compare_ids(const char *a, const char *b) {
    while (*a != '\0' && rank(*a) == rank(*b)) {
        a++;
        b++;
    }
    return rank(*a) - rank(*b);
}

static int by_id(const void *left, const void *right) {
    const Named *a = left, *b = right;
    int order = compare_ids(a->id, b->id);
    return order != 0 ? order : (a->program > b->program) - (a->program < b->program);
}

static bool is_for(const char *name, const char *task_id) {
    while (*task_id != '\0' && rank(*name) == rank(*task_id)) {
        name++;
        task_id++;
    }
    return *task_id == '\0' && (*name == '\0' || *name == '_');
}

/* Index of the first name that is not less than id. */
static size_t first_from(const Named *names, size_t n, const char *id) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (compare_ids(names[mid].id, id) < 0) {
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
        const char *id = solver_id(solvers->list.items[k]);
        if (id != NULL) {
            names[n++] = (Named){id, (uint32_t)k};
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

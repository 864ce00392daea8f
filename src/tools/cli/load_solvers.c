/* Loads solver programs for commands; see data.h. */
#define XXH_INLINE_ALL
#include "base/alloc.h"
#include "base/mix.h"
#include "data/store/collection.h"
#include "data/tasks/embedded.h"
#include "data/tasks/paths.h"
#include "search/evolution/card.h"
#include "tools/cli/data.h"
#include "tools/display/progress.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* ---- loading ---- */

typedef struct File { /* what parsing found */
    Source source;
    ProgList list;
    Diags diags;
    char why[256];                 /* it could not be read; "" if it could */
    char name[2 * STORE_TASK_MAX]; /* of its function, by the path; "" if that says nothing */
    int32_t score;                 /* on record, by the path; -1: none */
    bool parsed, no_memory;
} File;

typedef struct Parsing {
    const Cli *cli;
    const PathList *paths; /* or: */
    const EmbeddedFile *embedded;
    File *files;
    Lang **langs; /* one per worker */
    int mode;
    Progress progress;
} Parsing;

/* In a scored collection the path says what the program is for: solve_TASK_FILE. */
static void name_by_path(File *file, const char *path) {
    CollectionPlace place;
    if (!collection_place(path, &place)) {
        return;
    }
    file->source.collection = true;
    if (place.kind == STORE_SOLVER) {
        file->score = place.score;
        snprintf(file->name, sizeof file->name, "solve_%s_%.8s", place.task, place.file);
        file->source.function = file->name;
    }
}

static void parse_one(Worker *worker, size_t item) {
    const Parsing *p = worker->shared;
    File *file = &p->files[item];
    Lang **lang = &p->langs[worker->index];
    ParseOptions how = PARSE_OPTIONS_FILE;
    how.mode = p->mode;
    file->score = -1;
    if (p->embedded != NULL) {
        const EmbeddedFile *from = &p->embedded[item];
        file->source = source_of(from->name, from->data, from->size);
    } else if (!source_read(&file->source, p->paths->entries[item].path, file->why, sizeof file->why)) {
        return;
    }
    if (p->embedded == NULL) {
        name_by_path(file, p->paths->entries[item].path);
    }
    if (lang_is_module(&file->source)) {
        diags_add(&file->diags, &file->source, 0, false,
                  "this is a battery of the Python pipeline, not a solver file; read it with --battery");
    } else {
        *lang = *lang != NULL ? *lang : cli_lang_open(p->cli);
        file->no_memory = *lang == NULL || !lang_parse(*lang, &file->source, &how, &file->list, &file->diags);
    }
    file->parsed = true;
    if (file->diags.errors + file->diags.warnings == 0) { /* its text is for messages only */
        source_free(&file->source);
    }
    progress_add(&((Parsing *)worker->shared)->progress, 1);
}

Lang *cli_lang_open(const Cli *cli) {
    Lang *lang = lang_open();
    if (lang != NULL) {
        lang_set_own(lang, cli->own);
    }
    return lang;
}

void cli_report_lacking(const Cli *cli, const OwnLacking *lacking, const char *what) {
    char text[400];
    if (lacking->programs > 0) {
        own_lacking_text(lacking, what, text, sizeof text);
        cli_error(cli, "%s", text);
    }
}

static void report_errors(const Cli *cli, const File *file) {
    Out text;
    out_init(&text);
    diags_write(&text, &file->source, &file->diags);
    fflush(cli_out(cli));
    out_flush_to(&text, cli_err(cli));
    out_free(&text);
}

/* The score on record of the program that comes next. */
static bool note_score(Solvers *solvers, int32_t score) {
    if (score < 0 && solvers->scores == NULL) {
        return true;
    }
    size_t n = solvers->list.count, room = solvers->scores_room;
    if (n >= room) {
        size_t more = room > 0 ? 2 * room : 256;
        more = more > n ? more : n + 256;
        int32_t *grown = mem_grow(solvers->scores, more, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        for (size_t k = room; k < more; k++) {
            grown[k] = -1;
        }
        solvers->scores = grown;
        solvers->scores_room = more;
    }
    solvers->scores[n] = score;
    return true;
}

/* Moves the programs of a file to the others, and reports its errors. */
static bool take_file(const Cli *cli, const Parsing *p, size_t item, Solvers *solvers) {
    File *file = &p->files[item];
    bool good = !file->no_memory;
    if (file->why[0] != '\0') {
        cli_error(cli, "%s: %s", p->paths->entries[item].path, file->why);
        solvers->n_errors++;
    }
    if (file->diags.errors > 0) {
        report_errors(cli, file);
    }
    solvers->n_errors += file->diags.errors;
    solvers->n_files += file->parsed;
    size_t moved = 0;
    while (moved < file->list.count && good) {
        good = note_score(solvers, file->score) && progs_add(&solvers->list, file->list.items[moved]);
        moved++; /* progs_add owns it even if it fails */
    }
    for (size_t k = moved; k < file->list.count; k++) {
        prog_free(file->list.items[k]);
    }
    file->list.count = 0;
    return good;
}

static bool parse_all(const Cli *cli, Solvers *solvers, Parsing *p, size_t n, int64_t jobs) {
    Budget budget = BUDGET_DEFAULT;
    Pool pool = {0};
    budget.bytes = 1 << 16; /* nothing is evaluated */
    jobs = n < 2 ? 1 : jobs;
    p->files = mem_zalloc(n + 1, sizeof *p->files);
    bool good = p->files != NULL && pool_open(&pool, (unsigned)jobs, &budget);
    p->langs = good ? mem_zalloc(pool.count, sizeof *p->langs) : NULL;
    good = p->langs != NULL;
    for (size_t k = 0; k < n && good; k++) {
        diags_init(&p->files[k].diags);
    }
    if (good) {
        progress_start(&p->progress, ranks_is_root(cli->ranks) ? cli_err(cli) : NULL, "reading", "files", n);
        pool_run(&pool, n, parse_one, p, cli->stop);
        progress_end(&p->progress);
    }
    for (size_t k = 0; k < n && p->langs != NULL; k++) {
        good = good && take_file(cli, p, k, solvers);
        progs_free(&p->files[k].list);
        diags_free(&p->files[k].diags);
        source_free(&p->files[k].source);
    }
    for (unsigned k = 0; k < pool.count && p->langs != NULL; k++) {
        lang_close(p->langs[k]);
    }
    mem_free(p->langs);
    mem_free(p->files);
    pool_close(&pool);
    return good || cli_no_memory(cli) == EXIT_DONE;
}

void report_dangling(const Cli *cli, const PathList *files) {
    enum { SHOWN = 10 };
    for (size_t k = 0; k < files->n_dangling && k < SHOWN; k++) {
        cli_error(cli, "%s: broken link", files->dangling[k]);
    }
    if (files->n_dangling > SHOWN) {
        cli_error(cli, "%zu broken links", files->n_dangling);
    }
}

static bool parse_paths(const Cli *cli, Solvers *solvers, const CliList *paths, int mode, int64_t jobs) {
    PathList files = {.stop = cli->stop};
    Slab slab = {0};
    bool good = paths_find(&files, &slab, paths->items, paths->count, ".py");
    if (!good) {
        cli_no_memory(cli);
    }
    if (good && files.bad_folder != NULL && !cli_stopped(cli)) {
        cli_error(cli, "%s: %s", files.bad_folder, files.bad_reason);
        solvers->n_errors++;
    }
    report_dangling(cli, &files);
    Parsing parsing = {.cli = cli, .paths = &files, .mode = mode};
    good = good && parse_all(cli, solvers, &parsing, files.n_entries, jobs);
    paths_free(&files);
    slab_free(&slab);
    return good;
}

static bool parse_embedded(const Cli *cli, Solvers *solvers, int mode, int64_t jobs) {
    size_t count;
    Parsing parsing = {.cli = cli, .embedded = embedded_solvers(&count), .mode = mode};
    return parse_all(cli, solvers, &parsing, count, jobs);
}

int solvers_load(const Cli *cli, const CliList *paths, int mode, int64_t jobs, Solvers *solvers) {
    *solvers = (Solvers){0};
    if (!(paths->count > 0 ? parse_paths(cli, solvers, paths, mode, jobs)
                           : parse_embedded(cli, solvers, mode, jobs))) {
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

/* ---- hashing ---- */

static bool hash_files(const Cli *cli, const PathList *files, XXH3_state_t *state) {
    bool good = files->bad_folder == NULL;
    for (size_t k = 0; k < files->n_entries && good; k++) {
        Source source;
        char why[256];
        good = !cli_stopped(cli) && strcmp(files->entries[k].path, "-") != 0 &&
               source_read(&source, files->entries[k].path, why, sizeof why);
        if (good) {
            uint64_t length = htole64(source.length); /* the same on every machine: it is kept in stores */
            XXH3_128bits_update(state, &length, sizeof length);
            XXH3_128bits_update(state, source.text, source.length);
            source_free(&source);
        }
    }
    return good;
}

static bool hash_built_in(XXH3_state_t *state) {
    size_t count;
    const EmbeddedFile *files = embedded_solvers(&count);
    for (size_t k = 0; k < count; k++) {
        XXH3_128bits_update(state, files[k].data, files[k].size);
    }
    return true;
}

bool solvers_hash(const Cli *cli, const CliList *paths, char hash[SOLVERS_HASH_BYTES]) {
    PathList files = {.stop = cli->stop};
    Slab slab = {0};
    XXH3_state_t *state = XXH3_createState();
    bool good = state != NULL && XXH3_128bits_reset(state) == XXH_OK &&
                (paths->count == 0 ? hash_built_in(state)
                                   : paths_find(&files, &slab, paths->items, paths->count, ".py") &&
                                         hash_files(cli, &files, state));
    if (good) {
        XXH128_hash_t h = XXH3_128bits_digest(state);
        snprintf(hash, SOLVERS_HASH_BYTES, "%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64,
                 (uint64_t)h.low64);
    }
    XXH3_freeState(state);
    paths_free(&files);
    slab_free(&slab);
    return good;
}

uint64_t solvers_mix(const ProgList *programs, const ProgList *differs) {
    const ProgList *lists[2] = {programs, differs};
    uint64_t mix = 0; /* kept in stores, which know a run by it */
    for (unsigned k = 0; k < 2; k++) {
        for (size_t x = 0; x < lists[k]->count; x++) {
            mix = (mix ^ lists[k]->items[x]->hash.lo) * MIX_FACTOR + k;
        }
    }
    return mix;
}

void solvers_free(Solvers *solvers) {
    progs_free(&solvers->list);
    progs_free(&solvers->differs);
    python_battery_free(&solvers->python);
    mem_free(solvers->scores);
    *solvers = (Solvers){0};
}

int solvers_load_battery(const Cli *cli, const char *path, Solvers *solvers) {
    Source source;
    Diags diags;
    char why[256];
    *solvers = (Solvers){0};
    if (!source_read(&source, path, why, sizeof why)) {
        return cli_error(cli, "%s: %s", path, why);
    }
    diags_init(&diags);
    Lang *lang = cli_lang_open(cli);
    bool good =
        lang != NULL && (lang_is_module(&source)
                             ? python_battery_read(lang, &source, &solvers->list, &solvers->python, &diags)
                             : card_read(lang, &source, &solvers->list, &solvers->differs, &diags));
    bool clean = good && diags.errors == 0;
    if (good && diags.count > 0) {
        Out text;
        out_init(&text);
        diags_write(&text, &source, &diags);
        out_flush_to(&text, cli_err(cli));
        out_free(&text);
    }
    lang_close(lang);
    diags_free(&diags);
    source_free(&source);
    return clean ? EXIT_DONE : good ? EXIT_BAD : cli_no_memory(cli);
}

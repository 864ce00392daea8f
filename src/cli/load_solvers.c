/* Loads solver programs for commands; see data.h. */
#include "cli/data.h"
#include "evolve/card.h"
#include "task/embedded.h"
#include "task/paths.h"

#include <stdio.h>

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
        cli_no_memory(cli);
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
        cli_no_memory(cli);
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
        return cli_no_memory(cli);
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

int solvers_load_battery(const Cli *cli, const char *path, Solvers *solvers) {
    Source source;
    Diags diags;
    char why[256];
    *solvers = (Solvers){.lang = lang_open()};
    if (solvers->lang == NULL) {
        return cli_no_memory(cli);
    }
    if (!source_read(&source, path, why, sizeof why)) {
        return cli_error(cli, "%s: %s", path, why);
    }
    diags_init(&diags);
    bool good = card_read(solvers->lang, &source, &solvers->list, &diags);
    bool clean = good && diags.errors == 0;
    if (good && diags.count > 0) {
        Out text;
        out_init(&text);
        diags_write(&text, &source, &diags);
        out_flush_to(&text, stderr);
        out_free(&text);
    }
    diags_free(&diags);
    source_free(&source);
    return clean ? EXIT_DONE : good ? EXIT_BAD : cli_no_memory(cli);
}

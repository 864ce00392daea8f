/* batt synth: generates any number of tasks; the same seed gives the same tasks. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/out.h"
#include "data/synth/synth_batch.h"
#include "tools/cli/cli.h"
#include "tools/display/progress.h"
#include "tools/display/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Options {
    CliList families;
    int64_t tasks, pairs, tests, seed;
    const char *output, *solvers;
    bool list, json;
} Options;

static const CliOption options[] = {
    CLI_LIST(Options, families, 'f', "family", "NAME", "family, or a list a,b; default: all families"),
    CLI_INT(Options, tasks, 'n', "count", "N", NULL, 1, 100000000,
            "total number of tasks; default: one per family"),
    CLI_INT(Options, pairs, 0, "pairs", "K", "3", 1, SYNTH_MAX_PAIRS, "training pairs per task"),
    CLI_INT(Options, tests, 0, "tests", "K", "1", 0, SYNTH_MAX_PAIRS, "tests per task"),
    CLI_INT(Options, seed, 0, "seed", "S", "0", 0, INT64_MAX, "random seed; another seed gives other tasks"),
    CLI_FILE(
        Options, output, 'o', "output", "DIR", CLI_ROLE_FOLDER,
        "folder for the task files, created if missing; if the name ends in .json, one file with all tasks"),
    CLI_FILE(Options, solvers, 0, "solvers-out", "FILE", CLI_ROLE_WRITE,
             "also write the programs that define the rules"),
    CLI_FLAG(Options, list, 'l', "list", "list the families instead"),
    CLI_FLAG(Options, json, 0, "json", "report as JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt synth --list", "the families and their rules", false},
    {"batt synth --count 1000 --seed 7 -o made", "1000 tasks of all families in the folder made", false},
    {"batt synth -f fill_holes,rays -n 10 -o made --solvers-out made.py",
     "ten tasks of two families, with solvers", false},
    {0}};

/* ---- which families ---- */

typedef struct ChosenFamilies {
    const SynthFamily **items;
    size_t count;
} ChosenFamilies;

static int unknown_family(const Cli *cli, const char *name, size_t length) {
    Nearest nearest = nearest_to(name, length);
    for (size_t k = 0; k < synth_count(); k++) {
        nearest_offer(&nearest, synth_name(synth_family(k)));
    }
    return cli_error(cli, "no family '%.*s'%s%s%s", (int)(length < 64 ? length : 64), name,
                     nearest.best ? "; did you mean '" : "; --list shows them",
                     nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
}

static int add_family(const Cli *cli, ChosenFamilies *chosen, const char *name, size_t length) {
    const SynthFamily *family = synth_find(name, length);
    if (family == NULL) {
        return unknown_family(cli, name, length);
    }
    for (size_t i = 0; i < chosen->count; i++) {
        if (chosen->items[i] == family) {
            return EXIT_DONE;
        }
    }
    chosen->items[chosen->count++] = family;
    return EXIT_DONE;
}

/* chosen->items has room for every family. */
static int choose(const Cli *cli, const CliList *names, ChosenFamilies *chosen) {
    bool all = names->count == 0;
    for (size_t i = 0; i < names->count; i++) {
        for (const char *p = names->items[i];; p++) {
            size_t length = strcspn(p, ",");
            if (length == 3 && memcmp(p, "all", 3) == 0) {
                all = true;
            } else if (add_family(cli, chosen, p, length) != EXIT_DONE) {
                return EXIT_BAD;
            }
            p += length;
            if (*p == '\0') {
                break;
            }
        }
    }
    for (size_t k = 0; all && k < synth_count(); k++) {
        add_family(cli, chosen, synth_name(synth_family(k)), strlen(synth_name(synth_family(k))));
    }
    return EXIT_DONE;
}

/* ---- listing ---- */

static int list_families(const Cli *cli, const Options *opt, const ChosenFamilies *chosen) {
    Out out;
    out_init(&out);
    if (opt->json) {
        Json json = json_on(&out, 2);
        json_begin_report(&json, "batt.synth.families/1");
        json_key(&json, "families");
        json_begin_array(&json);
        for (size_t k = 0; k < chosen->count; k++) {
            Out program;
            out_init(&program);
            synth_program(&program, chosen->items[k], (uint64_t)opt->seed);
            json_begin_object(&json);
            json_kv_string(&json, "name", synth_name(chosen->items[k]));
            json_kv_string(&json, "rule", synth_title(chosen->items[k]));
            json_kv_string(&json, "program", program.data);
            json_end_object(&json);
            out.failed |= program.failed;
            out_free(&program);
        }
        json_end_array(&json);
        json_end_object(&json);
        out_char(&out, '\n');
    } else {
        Table table;
        table_begin(&table, "family", "rule");
        for (size_t k = 0; k < chosen->count; k++) {
            table_colored(&table, term_attr(&cli->style, ATTR_NAME), synth_name(chosen->items[k]));
            table_cell(&table, synth_title(chosen->items[k]));
        }
        table_end(&table, &out, &cli->style);
    }
    bool good = cli_print(cli, &out);
    out_free(&out);
    return good ? EXIT_DONE : EXIT_SHORT;
}

/* ---- writing ---- */

typedef struct SynthWriter {
    const Cli *cli;
    const char *folder; /* NULL: all tasks go into `all` */
    Out all;            /* the one file, in the layout of challenges */
    Out solvers;
    Out one; /* scratch: a task's text */
    char path[4096];
    bool want_solvers;
    size_t tasks;
    uint64_t bytes;
} SynthWriter;

static int write_file(SynthWriter *writer, const char *id) {
    int length = snprintf(writer->path, sizeof writer->path, "%s/%s.json", writer->folder, id);
    if (length < 0 || (size_t)length >= sizeof writer->path) {
        return cli_error(writer->cli, "%s: the name is too long", writer->folder);
    }
    int fd = open(writer->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return cli_error(writer->cli, "%s: %s", writer->path, strerror(errno));
    }
    bool good = true;
    for (size_t done = 0; good && done < writer->one.len;) {
        ssize_t put = write(fd, writer->one.data + done, writer->one.len - done);
        good = put > 0 || (put < 0 && errno == EINTR);
        done += put > 0 ? (size_t)put : 0;
    }
    int error = errno;
    if (close(fd) != 0 && good) {
        good = false;
        error = errno;
    }
    return good ? EXIT_DONE : cli_error(writer->cli, "%s: %s", writer->path, strerror(error));
}

static int write_task(SynthWriter *writer, const Task *task, const SynthFamily *family, uint64_t seed) {
    out_clear(&writer->one);
    task_write_json(&writer->one, task);
    if (writer->want_solvers) {
        out_fmt(&writer->solvers, "\n\n# %s: %s\n", synth_name(family), synth_title(family));
        synth_program(&writer->solvers, family, seed);
    }
    writer->bytes += writer->one.len;
    writer->tasks++;
    if (writer->folder == NULL) {
        out_str(&writer->all, writer->all.len ? ",\n" : "{\n");
        out_json_string(&writer->all, task->id);
        out_char(&writer->all, ':');
        out_bytes(&writer->all, writer->one.data, writer->one.len - 1); /* without its newline */
    }
    if (writer->one.failed || writer->all.failed || writer->solvers.failed) {
        return cli_error(writer->cli, MEM_NONE);
    }
    return writer->folder == NULL ? EXIT_DONE : write_file(writer, task->id);
}

static int make_all(Cli *cli, const Options *opt, const ChosenFamilies *chosen, size_t n_tasks,
                    SynthWriter *writer) {
    Synth *synth = synth_open();
    SynthBatch batch;
    if (synth == NULL ||
        !synth_batch_open(&batch, chosen->items, chosen->count, (uint64_t)opt->seed, n_tasks)) {
        synth_close(synth);
        return cli_no_memory(cli);
    }
    Progress progress;
    progress_start(&progress, cli_err(cli), "synth", "tasks", n_tasks);
    int status = EXIT_DONE;
    while (status == EXIT_DONE && writer->tasks < n_tasks && !cli_stopped(cli)) {
        uint64_t seed;
        const char *why;
        const SynthFamily *family = synth_batch_next(&batch, &seed);
        const Task *task = synth_make(synth, family, seed, (int)opt->pairs, (int)opt->tests, &why);
        status = task != NULL ? write_task(writer, task, family, seed)
                              : cli_error(cli, "family %s: %s", synth_name(family), why);
        progress_add(&progress, 1);
    }
    progress_end(&progress);
    synth_batch_close(&batch);
    synth_close(synth);
    return status == EXIT_DONE && writer->tasks < n_tasks ? EXIT_INTERRUPTED : status;
}

static int save_rest(SynthWriter *writer, const Options *opt) {
    if (writer->folder == NULL) {
        out_str(&writer->all, "\n}\n");
        if (!cli_save(writer->cli, &writer->all, opt->output)) {
            return EXIT_SHORT;
        }
    }
    if (writer->want_solvers && !cli_save(writer->cli, &writer->solvers, opt->solvers)) {
        return EXIT_SHORT;
    }
    return EXIT_DONE;
}

static int report(const Options *opt, const ChosenFamilies *chosen, const SynthWriter *writer,
                  double seconds) {
    Out out;
    out_init(&out);
    if (opt->json) {
        Json json = json_on(&out, 2);
        json_begin_report(&json, "batt.synth/1");
        json_kv_uint(&json, "tasks", writer->tasks);
        json_kv_uint(&json, "families", chosen->count);
        json_kv_int(&json, "pairs", opt->pairs);
        json_kv_int(&json, "tests", opt->tests);
        json_kv_int(&json, "seed", opt->seed);
        json_kv_string(&json, "output", opt->output);
        json_kv_string(&json, "solvers", opt->solvers);
        json_kv_uint(&json, "bytes", writer->bytes);
        json_kv_fixed(&json, "wall_s", seconds, 6);
        json_end_object(&json);
        out_char(&out, '\n');
    } else {
        out_fmt(&out, "%zu tasks of %zu families in %s (%.1f MB, %.2f s, %.0f tasks/s)\n", writer->tasks,
                writer->tasks < chosen->count ? writer->tasks : chosen->count, opt->output,
                (double)writer->bytes / 1e6, seconds, (double)writer->tasks / (seconds > 0 ? seconds : 1));
    }
    bool good = cli_print(writer->cli, &out);
    out_free(&out);
    return good ? EXIT_DONE : EXIT_SHORT;
}

static bool ends_with_json(const char *name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static double now(void) {
    return (double)clock_now_ns() * 1e-9;
}

static int generate(Cli *cli, const Options *opt, const ChosenFamilies *chosen) {
    double start = now();
    SynthWriter writer = {.cli = cli, .want_solvers = opt->solvers != NULL};
    if (!ends_with_json(opt->output)) {
        writer.folder = opt->output;
        if (mkdir(opt->output, 0777) != 0 && errno != EEXIST) {
            return cli_error(cli, "%s: %s", opt->output, strerror(errno));
        }
    }
    out_init(&writer.all);
    out_init(&writer.solvers);
    if (writer.want_solvers) {
        out_str(&writer.solvers, "# " OUT_MARK " synth\n");
    }
    out_init(&writer.one);
    size_t n_tasks = opt->tasks == CLI_UNSET ? chosen->count : (size_t)opt->tasks;
    int status = make_all(cli, opt, chosen, n_tasks, &writer);
    if (status == EXIT_DONE || status == EXIT_INTERRUPTED) { /* what was generated is kept, and is complete */
        int saved = save_rest(&writer, opt);
        status = saved != EXIT_DONE ? saved : status;
    }
    if (status == EXIT_DONE) {
        status = report(opt, chosen, &writer, now() - start);
    }
    out_free(&writer.all);
    out_free(&writer.solvers);
    out_free(&writer.one);
    return status;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    (void)argc;
    (void)argv;
    ChosenFamilies chosen = {.items = mem_array(synth_count(), sizeof *chosen.items)};
    if (chosen.items == NULL) {
        return cli_no_memory(cli);
    }
    int status = choose(cli, &opt->families, &chosen);
    if (status == EXIT_DONE) {
        status = opt->list ? list_families(cli, opt, &chosen)
                 : opt->output == NULL
                     ? cli_error(cli, "missing option: -o DIR, the folder for the tasks (or --list)")
                     : generate(cli, opt, &chosen);
    }
    mem_free(chosen.items);
    return status;
}

const CliCommand cmd_synth = {
    .options = options,
    .size = sizeof(Options),
    .details =
        "A family is a rule, written as a program, and a generator of inputs for it. Colors and other "
        "details of the rule vary with the seed. The same options give the same files on every machine.",
    .main = "count family seed output solvers-out",
    .examples = examples,
    .interruptible = true,
    .run = run};

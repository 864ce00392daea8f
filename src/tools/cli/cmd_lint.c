/* batt lint: finds mistakes in solver files before they are run. */
#include "base/alloc.h"
#include "base/json.h"
#include "base/out.h"
#include "engine/language/infer.h"
#include "engine/language/module.h"
#include "engine/language/parse.h"
#include "engine/language/print.h"
#include "tools/cli/data.h"
#include "tools/cli/lint_order.h"
#include "tools/cli/profile_option.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Options {
    bool types, order, safe, json;
    ProfileChoice profile;
    CliList tasks, batteries;
    int mode;
} Options;

static const CliOption options[] = {
    CLI_FLAG(Options, types, 0, "types", "print every program with the types of its lines"),
    CLI_FLAG(Options, order, 0, "order",
             "run the programs with sets in several orders, and flag those whose results differ"),
    CLI_FILES(Options, tasks, 0, "tasks", "PATH", CLI_ROLE_READ,
              "with --order: tasks to run on; a program runs on the task it is named after; default: "
              "generated grids"),
    CLI_FILES(Options, batteries, 0, "battery", "FILE", CLI_ROLE_READ,
              "check a battery written by `batt card` or the Python pipeline; repeatable"),
    CLI_FLAG(Options, safe, 0, "safe", "with --order: failed calls return the dialect's default"),
    CLI_CHOICE(Options, mode, 0, "mode", "core|batt", NULL,
               "language mode; default: the one that the parameters imply"),
    PROFILE_OPTIONS(Options, profile),
    CLI_FLAG(Options, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {{"batt lint solvers.py", "parse and type-check", true},
                                      {"batt lint solvers/", "all files of a folder", true},
                                      {"batt lint --order --tasks data/training solvers.py",
                                       "also flag what depends on the order of sets", true},
                                      {"batt lint --battery batt.py", "a battery that card.py wrote", true},
                                      {0}};

typedef struct Lint {
    Cli *cli;
    const Options *opt;
    Lang *lang;
    Types *types;
    Out out;
    Json json;
    /* of the file at hand */
    const Source *source;
    Diags diags;
    const Program *program;
    const uint8_t *needed;    /* by slot */
    uint32_t line;            /* of the last finding, */
    size_t line_start;        /* and where it begins */
    bool guarded;             /* a battery with guards: it is run in safe mode */
    OrderInputs *inputs;      /* NULL without --order */
    ProfileRecorder recorder; /* around what --order runs */
    /* of all files */
    uint64_t files, programs, errors, warnings, bad_text, fragile;
} Lint;

/* Where a line's text begins. Findings mostly ascend, so lines are counted from the last one: a battery of
 * 80,000 lines may have thousands of findings. */
static size_t line_offset(Lint *lint, uint32_t line) {
    const Source *source = lint->source;
    if (line < lint->line) {
        lint->line = 1;
        lint->line_start = 0;
    }
    const char *at = source->text + lint->line_start, *end = source->text + source->length;
    for (; lint->line < line && at < end; lint->line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    lint->line_start = (size_t)(at - source->text);
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    return (size_t)(at - source->text);
}

static void finding(void *user, const TypeFinding *f) {
    Lint *lint = user;
    const Program *p = lint->program;
    Out text;
    out_init(&text);
    types_finding_text(&text, lint->types, f);
    bool needed = lint->needed[prog_op_slot(p, f->op)] != 0;
    bool certain = f->certain && !f->vague && needed && p->mode == MODE_CORE;
    if (!f->certain) {
        out_str(&text, "; this fails if there is any element");
    } else if (!needed) {
        out_str(&text, "; the result does not need it");
    } else if (f->vague && p->mode == MODE_CORE) {
        out_str(&text, "; this fails if all values are what they seem");
    } else if (!certain) {
        out_str(&text, lint->guarded ? "; its guard gives the default" : "; without --safe this fails");
    }
    diags_add(&lint->diags, lint->source, line_offset(lint, p->ops[f->op].line), !certain, "%s", text.data);
    out_free(&text);
}

static bool check_program(Lint *lint, const Program *p) {
    uint32_t slots = prog_slots(p), first = prog_op_slot(p, 0);
    TypeId *types = mem_array(slots, sizeof *types);
    uint8_t *needed = mem_zalloc(slots, 1);
    if (types == NULL || needed == NULL) {
        mem_free(types);
        mem_free(needed);
        return false;
    }
    needed[p->result] = 1;
    if (p->own_names) { /* a battery: every step is there for some output or score */
        memset(needed, 1, slots);
    }
    for (uint32_t k = p->nops; k-- > 0;) {
        for (uint32_t a = 0; needed[first + k] && a < p->ops[k].nargs; a++) {
            needed[p->args[p->ops[k].first + a]] = 1;
        }
    }
    lint->program = p;
    lint->needed = needed;
    types_of_program(lint->types, p, types, finding, lint);
    if (lint->opt->types && !lint->opt->json) {
        out_fmt(&lint->out, "%s\n", p->name);
        for (uint32_t k = 0; k < p->nops; k++) {
            size_t start = lint->out.len;
            out_str(&lint->out, "    ");
            print_slot(&lint->out, p, first + k);
            out_str(&lint->out, " = ");
            print_call(&lint->out, p, k);
            size_t width = lint->out.len - start;
            out_repeat(&lint->out, " ", width < 44 ? 44 - width : 1);
            out_str(&lint->out, " : ");
            types_text(&lint->out, lint->types, types[first + k]);
            out_char(&lint->out, '\n');
        }
    }
    mem_free(types);
    mem_free(needed);
    return true;
}

static void check_order(Lint *lint, const Program *p) {
    profile_item(&lint->recorder, p->name[0] ? p->name : "program");
    OrderVerdict verdict = inputs_try(lint->inputs, p, lint->opt->safe || lint->guarded);
    profile_item_end(&lint->recorder);
    if (verdict.differing == 0 || cli_stopped(lint->cli)) { /* cut short, a verdict means nothing */
        return;
    }
    Out call;
    out_init(&call);
    uint32_t op = verdict.op < p->nops ? verdict.op : 0;
    if (p->nops != 0) {
        print_call(&call, p, op);
    }
    diags_add(&lint->diags, lint->source, line_offset(lint, p->nops ? p->ops[op].line : 1), true,
              "the result of %s depends on the order of a set for %u of %u inputs; first visible in %.150s",
              p->name[0] ? p->name : "this program", verdict.differing, verdict.tried, call.data);
    out_free(&call);
    lint->fragile++;
}

static void write_json(Lint *lint, const char *path, size_t programs) {
    Json *json = &lint->json;
    json_begin_object(json);
    json_kv_string(json, "file", path);
    json_kv_uint(json, "programs", programs);
    json_key(json, "findings");
    json_begin_array(json);
    for (size_t k = 0; k < lint->diags.count; k++) {
        const Diag *diag = &lint->diags.items[k];
        json_begin_object(json);
        json_kv_uint(json, "line", diag->line);
        json_kv_uint(json, "column", diag->column);
        json_kv_string(json, "severity", diag->warning ? "warning" : "error");
        json_kv_string(json, "message", diags_message(&lint->diags, diag));
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

/* The programs of a file: those of a generated battery are one, with all its steps. */
static bool read_programs(Lint *lint, ProgList *programs) {
    ParseOptions with = {PARSE_FILE, lint->opt->mode, -1};
    Module module;
    if (!lang_is_module(lint->source)) {
        return lang_parse(lint->lang, lint->source, &with, programs, &lint->diags);
    }
    bool good = lang_parse_module(lint->lang, lint->source, &module, &lint->diags);
    lint->guarded = module.guarded > 0;
    if (good && module.program != NULL) {
        good = progs_add(programs, module.program);
        module.program = NULL;
    }
    module_free(&module);
    return good;
}

static int lint_file(Lint *lint, const char *path) {
    Source source;
    char why[256];
    if (!source_read(&source, path, why, sizeof why)) {
        return cli_error(lint->cli, "%s: %s", path, why);
    }
    ProgList programs = {0};
    diags_clear(&lint->diags);
    lint->source = &source;
    lint->guarded = false;
    lint->line = 1;
    lint->line_start = 0;
    bool good = read_programs(lint, &programs);
    lint->bad_text += lint->diags.errors;
    size_t k = 0;
    for (; k < programs.count && good && !cli_stopped(lint->cli); k++) {
        good = check_program(lint, programs.items[k]);
        if (good && lint->inputs != NULL) {
            check_order(lint, programs.items[k]);
        }
    }
    lint->files++;
    lint->programs += k;
    lint->errors += lint->diags.errors;
    lint->warnings += lint->diags.warnings;
    if (lint->opt->json) {
        write_json(lint, path, k);
    } else {
        diags_write(&lint->out, &source, &lint->diags);
        good = out_flush_to(&lint->out, cli_out(lint->cli)) && good;
        out_clear(&lint->out);
    }
    progs_free(&programs);
    source_free(&source);
    return good ? EXIT_DONE : cli_error(lint->cli, MEM_NONE);
}

/* Whether a file is the _call module that is written beside a battery; it says nothing that the battery does
 * not. */
static bool is_call_module(const char *path) {
    static const char end[] = "_call.py";
    char module[4096];
    size_t length = strlen(path), stem = length - strlen(end);
    if (length <= strlen(end) || strcmp(path + stem, end) != 0) {
        return false;
    }
    int written = snprintf(module, sizeof module, "%.*s.py", (int)stem, path);
    return written > 0 && (size_t)written < sizeof module && access(module, R_OK) == 0;
}

static bool is_named(const char *const *paths, size_t count, const char *path) {
    for (size_t k = 0; k < count; k++) {
        if (strcmp(paths[k], path) == 0) {
            return true;
        }
    }
    return false;
}

/* Files as they are named, and folders as everywhere: all .py files in and below them, but no _call modules.
 */
static int lint_paths(Lint *lint, const char *const *paths, size_t count) {
    PathList files = {0};
    Slab slab = {0};
    int status = paths_find(&files, &slab, paths, count, ".py") ? EXIT_DONE : cli_no_memory(lint->cli);
    if (status == EXIT_DONE && files.bad_folder != NULL) {
        status = cli_error(lint->cli, "%s: %s", files.bad_folder, files.bad_reason);
    } else if (status == EXIT_DONE && files.n_entries == 0) {
        status = cli_error(lint->cli, "%s: no solver files (*.py) in this folder", paths[0]);
    }
    report_dangling(lint->cli, &files);
    for (size_t k = 0; k < files.n_entries && !cli_stopped(lint->cli); k++) {
        const char *path = files.entries[k].path;
        if (is_call_module(path) && !is_named(paths, count, path)) {
            continue;
        }
        int one = lint_file(lint, path);
        status = one > status ? one : status;
    }
    paths_free(&files);
    slab_free(&slab);
    return status;
}

static int load_tasks(Cli *cli, const Options *opt, TaskSet **set) {
    *set = task_load(opt->tasks.items, opt->tasks.count, NULL);
    if (*set == NULL) {
        return cli_no_memory(cli);
    }
    for (size_t k = 0; k < (*set)->n_errors && k < 20; k++) {
        char text[600];
        task_error_format(&(*set)->errors[k], text, sizeof text);
        cli_error(cli, "%s", text);
    }
    return (*set)->n_tasks != 0 ? EXIT_DONE : cli_error(cli, "there are no tasks in %s", opt->tasks.items[0]);
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    Lint lint = {.cli = cli, .opt = opt, .lang = cli_lang_open(cli), .types = types_open()};
    int status = EXIT_DONE;
    size_t n_files = (size_t)argc;
    out_init(&lint.out);
    diags_init(&lint.diags);
    argc += (int)opt->batteries.count; /* from here on: whether there is anything to check */
    if (argc == 0) {
        status = cli_error(cli, "missing argument: solver files or folders, or --battery FILE");
    }
    TaskSet *set = NULL;
    if (opt->tasks.count != 0 && !opt->order) {
        status = cli_error(cli, "--tasks needs --order");
        argc = 0;
    } else if (opt->tasks.count != 0) {
        status = load_tasks(cli, opt, &set);
        argc = status == EXIT_DONE ? argc : 0;
    }
    if (profile_requested(&opt->profile) && !opt->order && status == EXIT_DONE) {
        status = cli_error(cli, "--profile needs --order; without it, nothing is run");
        argc = 0;
    }
    if (argc != 0 && opt->order) {
        lint.inputs = inputs_open(set);
        if (lint.inputs != NULL) {
            inputs_ctx(lint.inputs)->stop = cli->stop;
        }
    }
    if (argc != 0 && (lint.lang == NULL || lint.types == NULL || (opt->order && lint.inputs == NULL))) {
        status = cli_no_memory(cli);
        argc = 0;
    }
    if (argc != 0 && lint.inputs != NULL &&
        !profile_attach_alone(&lint.recorder, cli, &opt->profile, inputs_ctx(lint.inputs), PHASE_PARSE)) {
        status = EXIT_BAD;
        argc = 0;
    }
    if (opt->json) {
        lint.json = json_on(&lint.out, 2);
        json_begin_report(&lint.json, "batt.lint/1");
        json_key(&lint.json, "files");
        json_begin_array(&lint.json);
    }
    if (argc != 0) {
        int files = n_files > 0 ? lint_paths(&lint, (const char *const *)argv, n_files) : EXIT_DONE;
        status = opt->batteries.count > 0 ? lint_paths(&lint, opt->batteries.items, opt->batteries.count)
                                          : EXIT_DONE;
        status = files > status ? files : status;
    }
    if (opt->json) {
        json_end_array(&lint.json);
        json_kv_uint(&lint.json, "programs", lint.programs);
        json_kv_uint(&lint.json, "errors", lint.errors);
        json_kv_uint(&lint.json, "warnings", lint.warnings);
        if (opt->order) {
            json_kv_uint(&lint.json, "depend_on_order", lint.fragile);
        }
        if (cli_stopped(cli)) {
            json_kv_bool(&lint.json, "interrupted", true);
        }
        int reported = profile_collect(&lint.recorder, NULL, NULL, &lint.json, &lint.out);
        status = reported > status ? reported : status;
        json_end_object(&lint.json);
        out_char(&lint.out, '\n');
    } else {
        const char *plural[] = {"s", ""};
        out_fmt(&lint.out, "%" PRIu64 " program%s, %" PRIu64 " error%s, %" PRIu64 " warning%s", lint.programs,
                plural[lint.programs == 1], lint.errors, plural[lint.errors == 1], lint.warnings,
                plural[lint.warnings == 1]);
        if (opt->order) {
            out_fmt(&lint.out, ", %" PRIu64 " depend%s on the order of sets", lint.fragile,
                    plural[lint.fragile != 1]);
        }
        out_str(&lint.out, cli_stopped(cli) ? ", interrupted\n" : "\n");
        int reported = profile_collect(&lint.recorder, NULL, NULL, NULL, &lint.out);
        status = reported > status ? reported : status;
    }
    bool good = cli_print(cli, &lint.out);
    profile_detach(&lint.recorder);
    out_free(&lint.out);
    diags_free(&lint.diags);
    types_close(lint.types);
    lang_close(lint.lang);
    inputs_free(lint.inputs);
    if (set != NULL) {
        task_set_free(set);
    }
    if (status == EXIT_DONE) {
        status = lint.bad_text != 0                         ? EXIT_BAD
                 : lint.errors + lint.fragile != 0 || !good ? EXIT_SHORT
                                                            : EXIT_DONE;
    }
    return status;
}

const CliCommand cmd_lint = {
    .arguments = "[FILE|FOLDER...]",
    .max_args = -1,
    .options = options,
    .size = sizeof(Options),
    .main = "types order tasks json",
    .examples = examples,
    .details = "Parses solver files and checks the types of all calls. All errors of all files are "
               "reported.\nWith --order, every program also runs with sets iterated backwards and in three "
               "shuffled orders. This covers picking by position, ties (including the most common color, and "
               "so the background), sets converted to tuples, cells at the same position, and colors of "
               "multicolor objects. It does not cover ties in get_common_rank and get_color_rank. A program "
               "that is not flagged may still depend on the order for other inputs.\nExit code 2: a file "
               "could not be parsed; 1: a call can never succeed, or a program depends on the order.",
    .interruptible = true,
    .run = run};

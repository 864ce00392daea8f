/* batt trace: runs a program line by line on a task, with the value of every line drawn. This file finds out
 * which program and task are meant; trace_lines.c shows the lines. */
#include "tools/cli/cmd_trace.h"

#include "base/alloc.h"
#include "base/nearest.h"
#include "tools/cli/wanted_program.h"

#include <string.h>

static const CliOption options[] = {
    CLI_FILES(TraceOptions, solvers, 's', "solvers", "FILE", CLI_ROLE_READ,
              "solver file or folder in which to look up PROGRAM; default: the built-in solvers"),
    CLI_FILE(TraceOptions, battery, 0, "battery", "FILE", CLI_ROLE_READ,
             "look up PROGRAM in a battery written by `batt card` or the Python pipeline; for a Python "
             "battery, 'batt' or no PROGRAM shows all its steps"),
    CLI_TEXT(TraceOptions, sample, 0, "sample", "WHICH", NULL,
             "pair to run on: 2 (a training pair), test1, or all; default: 1, and all for --html and --json"),
    CLI_FILE(TraceOptions, html, 0, "html", "FILE", CLI_ROLE_WRITE,
             "write a page with a slider (HTML) instead"),
    BUDGET_OPTIONS(TraceOptions, "10s", 65536),
    CLI_GROUP("output"),
    CLI_FLAG(TraceOptions, digits, 0, "digits", "print a number in every cell"),
    CLI_CHOICE(TraceOptions, palette, 0, "palette", "classic|arcprize|colorblind", "classic",
               "colors of the grids"),
    PROFILE_OPTIONS(TraceOptions, profile),
    CLI_FLAG(TraceOptions, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt trace 92eac448", "a built-in solver on its task", false},
    {"batt trace 92eac448 --sample all --html trace.html", "the same as a page, all pairs", false},
    {"batt trace solvers.py:solve_00d62c1b data/training",
     "a program from a file, on the task it is named after", true},
    {"batt trace solvers.py 00d62c1b data/training --sample test1", "the program named after the task", true},
    {"batt trace -s solvers/ solve_00d62c1b data/training/00d62c1b.json", "a program found by its name",
     true},
    {"batt trace --battery batt.py 00d62c1b data/training", "a solver in a battery that card.py wrote", true},
    {0}};

static const char example[] = "92eac448"; /* traced by default */

static int no_such_program(const Cli *cli, const Solvers *solvers, const char *name) {
    Nearest nearest = nearest_to(name, strlen(name));
    for (size_t k = 0; k < solvers->list.count; k++) {
        const char *id = match_id(solvers->list.items[k]);
        nearest_offer(&nearest, solvers->list.items[k]->name);
        if (id != NULL) {
            nearest_offer(&nearest, id);
        }
    }
    return cli_error(cli, "no program '%s' among the %zu loaded%s%s%s", name, solvers->list.count,
                     nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
                     nearest.best ? "'?" : "; -s FILE loads a solver file");
}

static bool named_after(const Program *program, const Task *task) {
    const char *id = match_id(program);
    size_t length = strlen(task->id);
    return id != NULL && strncmp(id, task->id, length) == 0 && (id[length] == '\0' || id[length] == '_');
}

/* Finds the task by the program, or the program by the task, unless both are given. */
static int pair_up(const Cli *cli, const WantedProgram *wanted, const Solvers *solvers, const Data *data,
                   const Program **program, const Task **task) {
    const Task *only = data->n_tasks == 1 ? data->tasks[0] : NULL;
    const Program *whole = solvers->python.whole;
    if (whole != NULL && (wanted->function == NULL || strcmp(wanted->function, whole->name) == 0)) {
        *program = whole;
    } else if (wanted->function != NULL) {
        *program = match_find(&solvers->list, wanted->function);
        if (*program == NULL) {
            return no_such_program(cli, solvers, wanted->function);
        }
    } else if (solvers->list.count == 1) {
        *program = solvers->list.items[0];
    }
    for (size_t k = 0; *program == NULL && only != NULL && k < solvers->list.count; k++) {
        *program = named_after(solvers->list.items[k], only) ? solvers->list.items[k] : NULL;
    }
    if (*program == NULL) {
        return wanted->file == NULL
                   ? cli_error(cli, "the battery has %zu programs; name one", solvers->list.count)
                   : cli_error(cli, "%s has %zu programs; choose one: %s:NAME", wanted->file,
                               solvers->list.count, wanted->file);
    }
    *task = only;
    for (size_t k = 0; *task == NULL && k < data->n_tasks; k++) {
        *task = named_after(*program, data->tasks[k]) ? data->tasks[k] : NULL;
    }
    if (*task == NULL) {
        return cli_error(cli, "%zu tasks in %s, none named after '%s'; choose one by its id", data->n_tasks,
                         data->origin, (*program)->name);
    }
    return EXIT_DONE;
}

static int load_programs(const Cli *cli, const TraceOptions *opt, const WantedProgram *wanted,
                         Solvers *solvers) {
    if (opt->battery != NULL) {
        return solvers_load_battery(cli, opt->battery, solvers);
    }
    if (wanted->file != NULL && opt->solvers.count > 0) {
        return cli_error(cli, "give a file as PROGRAM, or a name and -s, not both");
    }
    const char *file[] = {wanted->file};
    CliList from = wanted->file != NULL ? (CliList){file, 1} : opt->solvers;
    return solvers_load(cli, &from, opt->mode < 0 ? PARSE_MODE_AUTO : opt->mode, 0, solvers);
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    TraceOptions options_given = *(const TraceOptions *)given, *opt = &options_given;
    DataOptions which = {0};
    Data data = {0};
    Solvers solvers = {0};
    WantedProgram wanted = {0};
    const Program *program = NULL;
    const Task *task = NULL;
    cli->term_options.digits = opt->digits;
    cli->term_options.palette = palette_at(opt->palette);
    cli_restyle(cli);
    if (opt->html != NULL && opt->json) {
        return cli_error(cli, "--html and --json cannot be combined");
    }
    if (opt->battery != NULL && (opt->solvers.count > 0 || opt->mode >= 0)) {
        return cli_error(
            cli, "--battery cannot be combined with --solvers or --mode; the battery file determines both");
    }
    if (opt->battery != NULL) {
        wanted.function = argc > 0 ? argv[0] : NULL;
    } else if (!wanted_program_read(argc > 0 ? argv[0] : example, &wanted)) {
        return cli_no_memory(cli);
    }
    int code = load_programs(cli, opt, &wanted, &solvers);
    opt->safe |= solvers_guarded(&solvers);
    if (code == EXIT_DONE) {
        code = data_load_named(cli, &which, 0, argc > 1 ? argc - 1 : 0, argv + 1, &data);
    }
    if (code == EXIT_DONE) {
        code = pair_up(cli, &wanted, &solvers, &data, &program, &task);
    }
    if (code == EXIT_DONE) {
        code = trace_lines(cli, opt, program, task);
    }
    data_free(&data);
    solvers_free(&solvers);
    mem_free(wanted.file);
    return code;
}

const CliCommand cmd_trace = {
    .arguments = "[PROGRAM [TASK|ID]...]",
    .max_args = -1,
    .details =
        "Runs a program on a pair of a task and shows the value of every line: grids as they are, objects "
        "and indices highlighted on the input, everything else as text. A failed line shows the reason, as "
        "do the lines that depend on it.\nPROGRAM is FILE:FUNCTION, a FILE, or the name of a built-in solver "
        "(or of one in the files of -s), with or without the prefix solve_. Files and ids select the task, "
        "as in batt show; among several, batt takes the one that the program is named after.\nExit code 1: "
        "the program failed or its answer is wrong on a pair shown.",
    .options = options,
    .size = sizeof(TraceOptions),
    .main = "solvers sample html",
    .examples = examples,
    .run = run};

/* batt score: scores a submission file in the three common ways, and checks its form. */
#include "base/json.h"
#include "data/submission/submission.h"
#include "tools/cli/data.h"
#include "tools/display/table.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct Options {
    CliList challenges;
    bool tasks, json;
} Options;

static const CliOption options[] = {
    CLI_FILES(Options, challenges, 0, "challenges", "FILE", CLI_ROLE_READ,
              "check the format against these tasks instead of the solutions"),
    CLI_FLAG(Options, tasks, 0, "tasks", "a line per task"), CLI_FLAG(Options, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt run -q --submission submission.json && batt score submission.json", "answers to the examples",
     false},
    {"batt score submission.json arc-agi_evaluation_solutions.json", "a Kaggle submission", true},
    {"batt score submission.json data/evaluation", "against a folder of task files", true},
    {"batt score --challenges arc-agi_evaluation_challenges.json submission.json "
     "arc-agi_evaluation_solutions.json",
     "format against the challenges, answers against the solutions", true},
    {0}};

typedef struct Scored {
    const Submission *submission;
    const TaskSet *truth;
    SubmissionScore score;
    size_t form_errors;
    const Out *form; /* one line each */
} Scored;

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

static void write_tasks(Out *out, const TermStyle *style, const Scored *s) {
    Table table;
    table_begin(&table, "task", ">right", "");
    for (size_t k = 0; k < s->truth->n_tasks; k++) {
        const Task *task = &s->truth->tasks[k];
        const SubmissionEntry *entry = submission_find(s->submission, task->id);
        size_t counted, right = submission_right(task, entry, &counted);
        bool solved = counted > 0 && right == counted;
        table_cell(&table, task->id);
        table_fmt(&table, "%zu/%zu", right, counted);
        table_colored(&table, term_attr(style, solved ? ATTR_GOOD : ATTR_BAD),
                      solved          ? "solved"
                      : entry == NULL ? "no answer"
                      : counted == 0  ? "not known"
                                      : "wrong");
    }
    table_end(&table, out, style);
    out_char(out, '\n');
}

static void write_text(Out *out, const TermStyle *style, const Scored *s, bool tasks) {
    const SubmissionScore *c = &s->score;
    const char *bold = term_attr(style, ATTR_BOLD), *reset = term_attr(style, ATTR_RESET);
    if (tasks) {
        write_tasks(out, style, s);
    }
    out_fmt(out, "%stasks       %zu of %zu solved (%.1f %%)%s: all outputs right\n", bold, c->tasks_solved,
            c->tasks, percent((double)c->tasks_solved, (double)c->tasks), reset);
    out_fmt(out, "outputs     %zu of %zu right (%.1f %%): what Kaggle averages\n", c->outputs_right,
            c->outputs, percent((double)c->outputs_right, (double)c->outputs));
    out_fmt(out, "mean share  %.1f %% of a task's outputs\n", 100 * c->mean_share);
    if (c->outputs_unknown > 0) {
        out_fmt(out, "unknown     %zu outputs: not counted\n", c->outputs_unknown);
    }
    if (s->form_errors == 0) {
        out_fmt(out, "form        %sright%s\n", term_attr(style, ATTR_GOOD), reset);
    } else {
        out_fmt(out, "form        %s%zu thing%s wrong%s, see above\n", term_attr(style, ATTR_BAD),
                s->form_errors, s->form_errors == 1 ? "" : "s", reset);
    }
    out_fmt(out, "data        %016" PRIx64 " (hash of the tasks)\n", s->truth->hash);
}

static void write_form_errors(Json *json, const Scored *s) {
    json_key(json, "form_errors");
    json_begin_array(json);
    for (size_t k = 0; k < s->submission->n_errors; k++) {
        char line[1024];
        task_error_format(&s->submission->errors[k], line, sizeof line);
        json_text(json, line);
    }
    for (char *line = s->form->data, *end; *line != '\0'; line = end + 1) {
        for (end = line; *end != '\n'; end++) {
        }
        *end = '\0';
        json_text(json, line);
        *end = '\n';
    }
    json_end_array(json);
}

static void write_json(Out *out, const Scored *s) {
    Json json = json_on(out, 1);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, s->truth->hash);
    json_begin_report(&json, "batt.score/1");
    submission_json_score(&json, &s->score);
    json_kv_bool(&json, "form_ok", s->form_errors == 0);
    write_form_errors(&json, s);
    json_kv_string(&json, "data_hash", hash);
    submission_json_results(&json, s->submission, s->truth);
    json_end_object(&json);
    out_char(out, '\n');
}

/* Loads tasks with outputs; NULL after a message. */
static TaskSet *load(const Cli *cli, const char *const *paths, size_t n_paths) {
    TaskLoadOptions how = {.solutions = true};
    TaskSet *set = n_paths > 0 ? task_load(paths, n_paths, &how) : data_examples();
    if (set == NULL) {
        cli_no_memory(cli);
        return NULL;
    }
    data_report_errors(cli, set->errors, set->n_errors);
    if (set->n_tasks == 0) {
        if (set->n_errors == 0) {
            cli_error(cli, "%s: no tasks found", paths[0]);
        }
        task_set_free(set);
        return NULL;
    }
    return set;
}

static void report_form(const Cli *cli, const Out *form) {
    enum { SHOWN = 20 };
    size_t lines = 0, shown = 0;
    for (size_t k = 0; k < form->len; k++) {
        lines += form->data[k] == '\n';
        shown += lines < SHOWN || (lines == SHOWN && form->data[k] == '\n');
    }
    fflush(cli_out(cli));
    fwrite(form->data, 1, shown, cli_err(cli));
    if (lines > SHOWN) {
        fprintf(cli_err(cli), "and %zu more\n", lines - SHOWN);
    }
}

static int report(const Cli *cli, const Options *opt, Scored *s) {
    Out out;
    out_init(&out);
    if (opt->json) {
        write_json(&out, s);
    } else {
        data_report_errors(cli, s->submission->errors, s->submission->n_errors);
        report_form(cli, s->form);
        write_text(&out, &cli->style, s, opt->tasks);
    }
    bool good = cli_print(cli, &out);
    out_free(&out);
    return good && s->form_errors == 0 ? EXIT_DONE : EXIT_SHORT;
}

/* Whether any of its tasks is an example: if no tasks are given, the examples must be meant then. */
static bool about_examples(const Submission *submission) {
    TaskSet *built_in = data_examples();
    bool some = false;
    for (size_t k = 0; built_in != NULL && !some && k < submission->n_entries; k++) {
        some = task_find(built_in, submission->entries[k].id) != NULL;
    }
    if (built_in != NULL) {
        task_set_free(built_in);
    }
    return some;
}

static int score(const Cli *cli, const Options *opt, const Submission *submission, int argc, char **argv) {
    if (submission->n_entries == 0 && submission->n_errors > 0) {
        data_report_errors(cli, submission->errors, submission->n_errors);
        return EXIT_BAD;
    }
    if (argc == 1 && !about_examples(submission)) {
        return cli_error(cli,
                         "%s: the answers are not for the built-in examples; name a solutions file, a "
                         "challenges file or a folder of tasks: batt score %s SOLUTIONS",
                         argv[0], argv[0]);
    }
    TaskSet *truth = load(cli, (const char *const *)argv + 1, (size_t)argc - 1), *tasks = truth;
    if (truth != NULL && opt->challenges.count > 0) {
        tasks = load(cli, opt->challenges.items, opt->challenges.count);
    }
    int code = EXIT_BAD;
    if (truth != NULL && tasks != NULL) {
        Out form;
        out_init(&form);
        Scored s = {.submission = submission,
                    .truth = truth,
                    .score = submission_score(submission, truth),
                    .form = &form};
        s.form_errors = submission->n_errors + submission_check(&form, submission, tasks);
        code = s.score.outputs == 0 ? cli_error(cli, "nothing to score: these tasks have no known outputs")
                                    : report(cli, opt, &s);
        out_free(&form);
    }
    if (tasks != NULL && tasks != truth) {
        task_set_free(tasks);
    }
    if (truth != NULL) {
        task_set_free(truth);
    }
    return code;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    Submission *submission = submission_read(argv[0]);
    if (submission == NULL) {
        return cli_no_memory(cli);
    }
    int code = score(cli, given, submission, argc, argv);
    submission_free(submission);
    return code;
}

const CliCommand cmd_score = {
    .arguments = "SUBMISSION [SOLUTIONS...]",
    .min_args = 1,
    .max_args = -1,
    .details = "Scores a submission in Kaggle's form: two attempts for every test input of every task. "
               "SOLUTIONS are a solutions file, a challenges file with its solutions beside it, or task "
               "files; without any, the built-in examples.\nIt reports the tasks with all outputs right, the "
               "outputs right, and the mean share of right outputs per task.\nExit code 1: the submission is "
               "malformed (ids missing or unknown, wrong number of answers, bad grids).",
    .options = options,
    .size = sizeof(Options),
    .examples = examples,
    .run = run};

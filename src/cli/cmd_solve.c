/* batt solve: search programs for tasks nobody wrote a program for. */
#include "cli/data.h"
#include "core/alloc.h"
#include "core/json.h"
#include "lang/print.h"
#include "prof/phase.h"
#include "search/solve.h"
#include "search/steps.h"
#include "task/submission.h"
#include "view/progress.h"
#include "view/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Options {
    DataOptions data;
    int64_t jobs, time_per_task, steps, attempts, max_memory;
    CliList without;
    const char *submission;
    bool explain, quiet, json;
} Options;

static const CliOption options[] = {
    CLI_TIME(Options, time_per_task, 't', "time-per-task", "5s", 0, CLI_DAY, "time for one task on one core"),
    CLI_INT(Options, steps, 0, "steps", "N", "0", 0, INT64_MAX / 4,
            "steps for one task instead of time: the same answers on any machine; 0: go by time"),
    CLI_INT(Options, attempts, 'n', "attempts", "N", "2", 1, SOLVE_ATTEMPTS, "answers for each test input"),
    CLI_LIST(Options, without, 0, "without", "PART",
             "leave out a part of the search; may be given several times"),
    DATA_OPTIONS(Options),
    CLI_INT(Options, jobs, 'j', "jobs", "N", "0", 0, 1024, "worker threads; 0: one a core"),
    CLI_SIZE(Options, max_memory, 0, "max-memory", "1G", 1 << 20, INT64_C(1) << 40, "memory for one worker"),
    CLI_TEXT(Options, submission, 0, "submission", "FILE", NULL, "write a Kaggle submission"),
    CLI_FLAG(Options, explain, 'e', "explain", "print the programs, who found them and why they come first"),
    CLI_FLAG(Options, quiet, 'q', "quiet", "only the summary, no line a task"),
    CLI_FLAG(Options, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt solve --time-per-task 100ms --count 4", "the first built-in tasks", false},
    {"batt solve --explain --id 00d62c1b data/training", "one task, with the programs", true},
    {"batt solve --time-per-task 20s --submission submission.json challenges.json", "for Kaggle", true},
    {0}};

typedef struct Job {
    const Options *options;
    const Data *data;
    SolveTask *results;
    Ctx *checks; /* one a worker */
    SearchLimits limits;
    Progress progress;
    Phases phases;
    size_t n_done;
} Job;

static void solve_one(Worker *worker, size_t item) {
    Job *job = worker->shared;
    solve_task(&job->results[item], job->data->tasks[item], &worker->ctx, &job->checks[worker->index],
               &job->limits);
    progress_add(&job->progress, 1);
}

/* ---- telling ---- */

typedef struct Score {
    size_t outputs, tasks;
    size_t right[SOLVE_ATTEMPTS], solved[SOLVE_ATTEMPTS];
    double share[SOLVE_ATTEMPTS];
    size_t part_right[PART_COUNT]; /* outputs right within the attempts, by who found them */
    uint64_t values, time_ns, part_ns[PART_COUNT];
} Score;

static Score score(const Job *job) {
    Score s = {0};
    for (size_t k = 0; k < job->data->n_tasks; k++) {
        const SolveTask *r = &job->results[k];
        const Task *task = job->data->tasks[k];
        size_t known = 0, right[SOLVE_ATTEMPTS] = {0};
        for (int32_t x = 0; x < task->n_test; x++) {
            known += task->test[x].has_output;
            for (unsigned a = 0; a < SOLVE_ATTEMPTS && r->done; a++) {
                right[a] += solve_is_right(r, (uint32_t)x, a + 1);
            }
            for (unsigned a = 0; a < (unsigned)job->options->attempts && r->done; a++) {
                if (solve_is_right(r, (uint32_t)x, a + 1)) {
                    s.part_right[r->programs[r->answers[x][a].candidate].part]++;
                    break;
                }
            }
        }
        s.outputs += known;
        s.tasks += known > 0;
        s.values += r->values;
        s.time_ns += r->time_ns;
        for (unsigned p = 0; p < PART_COUNT; p++) {
            s.part_ns[p] += r->part_ns[p];
        }
        for (unsigned a = 0; a < SOLVE_ATTEMPTS && known > 0; a++) {
            s.right[a] += right[a];
            s.solved[a] += right[a] == known;
            s.share[a] += (double)right[a] / (double)known;
        }
    }
    return s;
}

static void explain(Out *out, const TermStyle *style, const SolveTask *r) {
    for (uint32_t k = 0; k < r->n_programs; k++) {
        const SolveProgram *p = &r->programs[k];
        out_fmt(out,
                "%s# %s: %u of %d training pairs, cost %.1f, %u programs agree, found by %s after %" PRIu64
                " steps%s\n",
                term_ink(style, INK_DIM), r->task->id, p->right, r->task->n_train, p->cost, p->support,
                search_part_names[p->part], p->steps, term_ink(style, INK_RESET));
        print_program(out, p->program, NULL);
        out_char(out, '\n');
    }
}

static void write_text(Out *out, const TermStyle *style, Job *job) {
    Score s = score(job);
    unsigned attempts = (unsigned)job->options->attempts;
    if (!job->options->quiet) {
        Table table;
        table_init(&table);
        table_column(&table, "task", TABLE_LEFT);
        table_column(&table, "answer", TABLE_LEFT);
        table_column(&table, "training", TABLE_RIGHT);
        table_column(&table, "part", TABLE_LEFT);
        table_column(&table, "time", TABLE_RIGHT);
        for (size_t k = 0; k < job->data->n_tasks; k++) {
            const SolveTask *r = &job->results[k];
            size_t known = 0, right = 0;
            for (int32_t x = 0; r->done && x < r->task->n_test; x++) {
                known += r->task->test[x].has_output;
                right += solve_is_right(r, (uint32_t)x, attempts);
            }
            table_cell(&table, job->data->tasks[k]->id);
            bool solved = known > 0 && right == known;
            table_colored(&table,
                          term_ink(style, solved      ? INK_GOOD
                                          : known > 0 ? INK_BAD
                                                      : INK_RESET),
                          !r->done             ? "not tried"
                          : r->n_programs == 0 ? "none"
                          : known == 0         ? "given"
                          : solved             ? "right"
                          : right > 0          ? "partly right"
                                               : "wrong");
            table_fmt(&table, "%u/%d", r->n_programs ? r->programs[0].right : 0,
                      job->data->tasks[k]->n_train);
            table_cell(&table, r->n_programs ? search_part_names[r->programs[0].part] : "");
            table_fmt(&table, "%.2f s", (double)r->time_ns * 1e-9);
        }
        table_write(&table, out, style->width, style->color != TERM_MONO);
        table_free(&table);
        out_char(out, '\n');
    }
    for (size_t k = 0; job->options->explain && k < job->data->n_tasks; k++) {
        explain(out, style, &job->results[k]);
    }
    for (unsigned a = 0; a < SOLVE_ATTEMPTS && s.outputs > 0; a++) {
        out_fmt(
            out, "%s%u attempt%s  %zu of %zu outputs right, %zu of %zu tasks solved, mean share %.1f %%%s\n",
            a + 1 == attempts ? term_ink(style, INK_BOLD) : "", a + 1, a ? "s" : " ", s.right[a], s.outputs,
            s.solved[a], s.tasks, 100 * s.share[a] / (double)s.tasks, term_ink(style, INK_RESET));
    }
    for (unsigned p = 0; p < PART_COUNT; p++) {
        out_fmt(out, "part        %-10s %zu outputs, %.1f s\n", search_part_names[p], s.part_right[p],
                (double)s.part_ns[p] * 1e-9);
    }
    out_fmt(out, "values      %.2f million a second and core\n",
            s.time_ns ? (double)s.values / (double)s.time_ns * 1e3 : 0.0);
    out_fmt(out, "wall        %.2f s, %.2f s of search\n", (double)phase_total_ns(&job->phases) * 1e-9,
            (double)s.time_ns * 1e-9);
    out_fmt(out, "data        %016" PRIx64 "\n", job->data->hash);
}

static bool write_submission(const Cli *cli, const Job *job) {
    size_t tests = 0, at = 0;
    for (size_t k = 0; k < job->data->n_tasks; k++) {
        tests += (size_t)job->data->tasks[k]->n_test;
    }
    Answer *answers = mem_zalloc(tests, sizeof *answers);
    char why[512] = "out of memory";
    for (size_t k = 0; answers != NULL && k < job->data->n_tasks; k++) {
        for (int32_t x = 0; x < job->data->tasks[k]->n_test; x++, at++) {
            for (unsigned a = 0; a < SUBMISSION_ATTEMPTS && job->results[k].done; a++) {
                answers[at].attempt[a] = job->results[k].answers[x][a].image;
            }
        }
    }
    bool good = answers != NULL && submission_save(job->options->submission, job->data->tasks,
                                                   job->data->n_tasks, answers, why, sizeof why);
    if (!good) {
        cli_error(cli, "%s", why);
    }
    mem_free(answers);
    return good;
}

static void write_json(Out *out, Job *job) {
    Score s = score(job);
    Json json = json_on(out, 1);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, job->data->hash);
    json_begin_object(&json);
    json_kv_uint(&json, "tasks", job->data->n_tasks);
    json_kv_uint(&json, "outputs", s.outputs);
    json_kv_int(&json, "attempts", job->options->attempts);
    json_key(&json, "outputs_correct");
    json_begin_row(&json);
    for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
        json_uint(&json, s.right[a]);
    }
    json_end_array(&json);
    json_key(&json, "tasks_solved");
    json_begin_row(&json);
    for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
        json_uint(&json, s.solved[a]);
    }
    json_end_array(&json);
    json_key(&json, "parts");
    json_begin_object(&json);
    for (unsigned p = 0; p < PART_COUNT; p++) {
        json_kv_uint(&json, search_part_names[p], s.part_right[p]);
    }
    json_end_object(&json);
    json_kv_string(&json, "data_hash", hash);
    json_key(&json, "results");
    json_begin_array(&json);
    for (size_t k = 0; k < job->data->n_tasks; k++) {
        const SolveTask *r = &job->results[k];
        json_begin_object(&json);
        json_kv_string(&json, "id", job->data->tasks[k]->id);
        json_kv_bool(&json, "done", r->done);
        json_kv_uint(&json, "candidates", r->candidates);
        json_kv_uint(&json, "fitting", r->fitting);
        json_kv_uint(&json, "steps", r->steps);
        json_kv_fixed(&json, "time_s", (double)r->time_ns * 1e-9, 6);
        json_key(&json, "programs");
        json_begin_array(&json);
        for (uint32_t p = 0; p < r->n_programs; p++) {
            Out text;
            out_init(&text);
            print_program(&text, r->programs[p].program, NULL);
            json_begin_object(&json);
            json_kv_string(&json, "part", search_part_names[r->programs[p].part]);
            json_kv_uint(&json, "train_correct", r->programs[p].right);
            json_kv_double(&json, "cost", r->programs[p].cost);
            json_kv_uint(&json, "support", r->programs[p].support);
            json_kv_string(&json, "program", text.data);
            json_end_object(&json);
            out_free(&text);
        }
        json_end_array(&json);
        json_key(&json, "correct");
        json_begin_row(&json);
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            size_t right = 0;
            for (int32_t x = 0; r->done && x < r->task->n_test; x++) {
                right += solve_is_right(r, (uint32_t)x, a + 1);
            }
            json_uint(&json, right);
        }
        json_end_array(&json);
        json_end_object(&json);
    }
    json_end_array(&json);
    phase_json(&json, &job->phases);
    json_end_object(&json);
    out_char(out, '\n');
}

static bool read_without(const Cli *cli, const CliList *names, uint32_t *set) {
    char words[256] = "";
    for (unsigned p = 0; p < PART_COUNT; p++) {
        size_t at = strlen(words);
        snprintf(words + at, sizeof words - at, "%s%s", p ? "|" : "", search_part_names[p]);
    }
    for (size_t k = 0; k < names->count; k++) {
        int part = cli_word(cli, "part", names->items[k], words);
        if (part < 0) {
            return false;
        }
        *set |= 1u << part;
    }
    return true;
}

static int solve(Cli *cli, Job *job, Pool *pool) {
    size_t opened = 0;
    int code = EXIT_DONE;
    job->results = mem_zalloc(job->data->n_tasks, sizeof *job->results);
    job->checks = mem_zalloc(pool->count, sizeof *job->checks);
    while (job->checks != NULL && opened < pool->count &&
           prim_open(&job->checks[opened], MODE_CORE, false, NULL)) {
        ctx_set_budget(&job->checks[opened],
                       &(Budget){.steps = 2000000, .bytes = (uint64_t)64 << 20, .time_ns = 0, .depth = 500});
        opened++;
    }
    if (job->results == NULL || opened < pool->count) {
        code = cli_error(cli, "out of memory");
    } else {
        phase_enter(&job->phases, PHASE_EXECUTE);
        progress_start(&job->progress, job->options->json ? NULL : stderr, "solving", "tasks",
                       job->data->n_tasks);
        job->n_done = pool_run(pool, job->data->n_tasks, solve_one, job, cli->stop);
        progress_end(&job->progress);
        phase_enter(&job->phases, PHASE_REPORT);
        Out out;
        out_init(&out);
        if (job->options->json) {
            write_json(&out, job);
        } else {
            write_text(&out, &cli->style, job);
        }
        bool good = out_flush_to(&out, stdout);
        out_free(&out);
        good &= job->options->submission == NULL || write_submission(cli, job);
        code = !good ? EXIT_BAD : cli_stopped(cli) ? EXIT_INTERRUPTED : EXIT_DONE;
        Score s = score(job);
        if (code == EXIT_DONE && s.outputs > s.right[job->options->attempts - 1]) {
            code = EXIT_SHORT;
        }
    }
    for (size_t k = 0; k < opened; k++) {
        prim_close(&job->checks[k]);
    }
    for (size_t k = 0; job->results != NULL && k < job->data->n_tasks; k++) {
        solve_task_free(&job->results[k]);
    }
    mem_free(job->results);
    mem_free(job->checks);
    return code;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    Data data = {0};
    Pool pool = {0};
    Job job = {.options = opt, .data = &data};
    phase_start(&job.phases, PHASE_LOAD);
    job.limits = (SearchLimits){.steps = (uint64_t)opt->steps,
                                .time_ns = opt->steps ? 0 : (uint64_t)opt->time_per_task,
                                .stop = cli->stop};
    if (!read_without(cli, &opt->without, &job.limits.without)) {
        return EXIT_BAD;
    }
    char why[512];
    StepSet *steps = steps_builtin(why, sizeof why);
    if (steps == NULL) {
        return cli_error(cli, "%s", why);
    }
    job.limits.steps_set = steps;
    int code = data_load(cli, &opt->data, opt->jobs, argc, argv, &data);
    if (code == EXIT_DONE) {
        Budget budget = {
            .steps = UINT64_MAX / 4, .bytes = (uint64_t)opt->max_memory, .time_ns = 0, .depth = 500};
        code = pool_open(&pool, (unsigned)opt->jobs, &budget) ? solve(cli, &job, &pool)
                                                              : cli_error(cli, "out of memory");
    }
    pool_close(&pool);
    data_free(&data);
    steps_free(steps);
    return code;
}

const CliCommand cmd_solve = {
    .arguments = "[TASKS...]",
    .max_args = -1,
    .details = "Searches programs that turn a task's training inputs into its outputs, and answers the tests "
               "with them. "
               "Test outputs, where they are known, are used to score the answers and for nothing else.",
    .options = options,
    .size = sizeof(Options),
    .examples = examples,
    .interruptible = true,
    .run = run};

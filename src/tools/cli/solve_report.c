/* The report of batt solve: a line per task, the programs, the accuracies; as text and as JSON. */
#include "base/json.h"
#include "engine/language/print.h"
#include "tools/cli/cmd_solve.h"
#include "tools/cli/groups.h"
#include "tools/display/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

typedef struct Score {
    size_t outputs, tasks;
    size_t answered, fitting; /* tasks with an answer; with a program that fits all training pairs */
    size_t right[SOLVE_ATTEMPTS], solved[SOLVE_ATTEMPTS];
    double share[SOLVE_ATTEMPTS];
    size_t strategy_right[STRATEGY_COUNT]; /* outputs right within the attempts, by the strategy that found
                                              them */
    uint64_t time_ns;
    SearchWork work;
} Score;

static Score score(const SolveJob *job) {
    Score s = {0};
    for (size_t k = 0; k < job->data->n_tasks; k++) {
        const SolveTask *r = &job->session.results[k];
        const Task *task = job->data->tasks[k];
        size_t known = 0, right[SOLVE_ATTEMPTS] = {0};
        for (int32_t x = 0; x < task->n_test; x++) {
            known += task->test[x].has_output;
            for (unsigned a = 0; a < SOLVE_ATTEMPTS && r->done; a++) {
                right[a] += solve_is_right(r, (uint32_t)x, a + 1);
            }
            for (unsigned a = 0; a < (unsigned)job->options->attempts && r->done; a++) {
                if (solve_is_right(r, (uint32_t)x, a + 1)) {
                    s.strategy_right[r->programs[r->answers[x][a].candidate].strategy]++;
                    break;
                }
            }
        }
        s.outputs += known;
        s.answered += r->done && r->n_programs > 0;
        s.fitting += r->done && r->fitting > 0;
        s.tasks += known > 0;
        s.time_ns += r->resumed ? 0 : r->time_ns;
        search_work_add(&s.work, &r->work);
        for (unsigned a = 0; a < SOLVE_ATTEMPTS && known > 0; a++) {
            s.right[a] += right[a];
            s.solved[a] += right[a] == known;
            s.share[a] += (double)right[a] / (double)known;
        }
    }
    return s;
}

/* All counts: by the searches, by their contexts, by the store, and by other ranks. */
static Statistics statistics(const SolveJob *job, const Score *s) {
    Statistics all = s->work.statistics;
    session_count(&job->session, &all);
    if (job->keep.store != NULL) {
        statistics_add(&all, store_statistics(job->keep.store));
    }
    rank_summaries_add(&job->ranks, &all);
    return all;
}

/* Values built per second, over the strategies that measure the time it takes. */
static double built_per_s(const Score *s) {
    uint64_t built = 0, ns = 0;
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        built += s->work.strategies[p].built_ns > 0 ? s->work.strategies[p].values : 0;
        ns += s->work.strategies[p].built_ns;
    }
    return ns > 0 ? (double)built / (double)ns * 1e9 : 0;
}

/* Which program gave which answer, and why it is ranked as it is. */
static void explain(Out *out, const TermStyle *style, const SolveTask *r, unsigned attempts) {
    for (uint32_t k = 0; k < r->n_programs; k++) {
        const SolveProgram *p = &r->programs[k];
        bool used = false;
        out_fmt(out, "%s# %s:", term_attr(style, ATTR_DIM), r->task->id);
        for (int32_t x = 0; x < r->task->n_test; x++) {
            for (unsigned a = 0; a < attempts; a++) {
                if (r->answers[x][a].image.h != 0 && r->answers[x][a].candidate == k) {
                    out_fmt(out, "%s attempt %u at test %d", used ? "," : "", a + 1, x + 1);
                    used = true;
                }
            }
        }
        out_fmt(out, "%s; found by %s after %" PRIu64 " steps\n#   ", used ? "" : " no attempt",
                strategy_names[p->strategy], p->steps);
        if (p->program == NULL) {
            out_fmt(out, "answers of a net, no program; cost %.1f", p->cost);
        } else {
            out_fmt(out, "right on %u of %d training pairs; cost %.1f, %u program%s with these answers",
                    p->right, r->task->n_train, p->cost, p->backing.support,
                    p->backing.support == 1 ? "" : "s");
        }
        if (p->backing.unseen > 0) {
            out_fmt(out, "; right on %u left-out pair%s", p->backing.unseen,
                    p->backing.unseen == 1 ? "" : "s");
        }
        if ((p->backing.strategies & (p->backing.strategies - 1)) != 0) {
            out_fmt(out, "; %d strategies agree", __builtin_popcount(p->backing.strategies));
        }
        for (unsigned d = 0; d < PENALTY_COUNT; d++) {
            if (p->penalties >> d & 1) {
                out_fmt(out, "; penalty +%.0f: %s", penalty_table[d].cost, penalty_table[d].text);
            }
        }
        out_fmt(out, "; score %.1f%s\n", p->score, term_attr(style, ATTR_RESET));
        if (p->program != NULL) {
            print_program(out, p->program, NULL);
        }
        out_char(out, '\n');
    }
}

static unsigned solve_group(const void *user, size_t task) {
    const SolveJob *job = user;
    const SolveTask *r = &job->session.results[task];
    const Task *t = job->data->tasks[task];
    size_t known = 0, right = 0;
    for (int32_t x = 0; x < t->n_test; x++) {
        known += t->test[x].has_output;
        right += r->done && solve_is_right(r, (uint32_t)x, (unsigned)job->options->attempts);
    }
    return (known > 0 ? GROUP_KNOWN : 0u) | (known > 0 && right == known ? GROUP_SOLVED : 0u) |
           (r->done && r->fitting > 0 ? GROUP_FITS : 0u);
}

int solve_write_text(Out *out, const TermStyle *style, SolveJob *job) {
    Score s = score(job);
    unsigned attempts = (unsigned)job->options->attempts;
    if (!job->options->quiet) {
        Table table;
        table_begin(&table, "task", "answer", ">training", "strategy", ">time");
        for (size_t k = 0; k < job->data->n_tasks; k++) {
            const SolveTask *r = &job->session.results[k];
            size_t known = 0, right = 0;
            for (int32_t x = 0; r->done && x < r->task->n_test; x++) {
                known += r->task->test[x].has_output;
                right += solve_is_right(r, (uint32_t)x, attempts);
            }
            table_cell(&table, job->data->tasks[k]->id);
            bool solved = known > 0 && right == known;
            table_colored(&table,
                          term_attr(style, solved      ? ATTR_GOOD
                                           : known > 0 ? ATTR_BAD
                                                       : ATTR_RESET),
                          !r->done             ? "not tried"
                          : r->n_programs == 0 ? "none"
                          : known == 0         ? "given"
                          : solved             ? "right"
                          : right > 0          ? "partly right"
                                               : "wrong");
            table_fmt(&table, "%u/%d", r->n_programs ? r->programs[0].right : 0,
                      job->data->tasks[k]->n_train);
            table_cell(&table, r->n_programs ? strategy_names[r->programs[0].strategy] : "");
            table_fmt(&table, "%.2f s", (double)r->time_ns * 1e-9);
        }
        table_end(&table, out, style);
        out_char(out, '\n');
    }
    for (size_t k = 0; job->options->explain && k < job->data->n_tasks; k++) {
        explain(out, style, &job->session.results[k], attempts);
    }
    groups_write(out, style, job->data, solve_group, job);
    if (job->data->set->n_errors > 0) {
        out_fmt(out, "%srefused%s     %zu tasks or files, listed above\n", term_attr(style, ATTR_BAD),
                term_attr(style, ATTR_RESET), job->data->set->n_errors);
    }
    if (s.outputs == 0) {
        out_fmt(out, "%sanswered    %zu of %zu tasks, %zu of them by a program that fits all pairs%s\n",
                term_attr(style, ATTR_BOLD), s.answered, job->data->n_tasks, s.fitting,
                term_attr(style, ATTR_RESET));
    }
    for (unsigned a = 0; a < SOLVE_ATTEMPTS && s.outputs > 0; a++) {
        out_fmt(
            out, "%s%u attempt%s  %zu of %zu outputs right, %zu of %zu tasks solved, mean share %.1f %%%s\n",
            a + 1 == attempts ? term_attr(style, ATTR_BOLD) : "", a + 1, a ? "s" : " ", s.right[a], s.outputs,
            s.solved[a], s.tasks, 100 * s.share[a] / (double)s.tasks, term_attr(style, ATTR_RESET));
    }
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        const StrategyWork *w = &s.work.strategies[p];
        if (w->ns == 0 && s.strategy_right[p] == 0) { /* left out, or never its turn */
            continue;
        }
        out_fmt(out, "strategy    %-10s ", strategy_names[p]);
        if (s.outputs > 0) {
            out_fmt(out, "%zu output%s, ", s.strategy_right[p], s.strategy_right[p] == 1 ? "" : "s");
        }
        out_fmt(out, "%.1f s", (double)w->ns * 1e-9);
        if (w->built_ns > 0) {
            out_fmt(out, ", of which %.1f s building values, %.2f million per second",
                    (double)w->built_ns * 1e-9, (double)w->values / (double)w->built_ns * 1e3);
        }
        out_char(out, '\n');
    }
    out_fmt(out, "values      %.2f million per second and core while building, %.2f million over all\n",
            built_per_s(&s) * 1e-6,
            s.time_ns ? (double)COUNTED(&s.work.statistics, VALUES) / (double)s.time_ns * 1e3 : 0.0);
    if (job->session.n_again > 0) {
        out_fmt(out, "spare time  %zu tasks searched again, %.2f s each\n", job->session.n_again,
                (double)job->session.again_ns * 1e-9);
    }
    if (job->keep.n_resumed > 0) {
        out_fmt(out, "resumed     %zu task%s from the store\n", job->keep.n_resumed,
                job->keep.n_resumed == 1 ? "" : "s");
    }
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    out_fmt(out, "memory      %.0f MB at most, all workers\n", (double)usage.ru_maxrss / 1024);
    out_fmt(out, "wall        %.2f s, %.2f s of work\n", (double)phase_total_ns(&job->phases) * 1e-9,
            (double)s.time_ns * 1e-9);
    device_text(out, job->backend);
    rank_summaries_text(out, &job->ranks);
    out_fmt(out, "data        %016" PRIx64 " (hash of the tasks)\n", job->data->hash);
    if (job->options->stats) {
        Statistics all = statistics(job, &s);
        statistics_text(out, style, &all);
    }
    return profile_collect(&job->recorder, &job->phases, job->ids, NULL, out);
}

int solve_write_json(Out *out, SolveJob *job) {
    Score s = score(job);
    Json json = json_on(out, 1);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, job->data->hash);
    json_begin_report(&json, "batt.solve/1");
    json_kv_uint(&json, "tasks", job->data->n_tasks);
    json_kv_uint(&json, "outputs", s.outputs);
    json_kv_int(&json, "attempts", job->options->attempts);
    json_kv_uint(&json, "outputs_correct", s.right[job->options->attempts - 1]);
    json_key(&json, "outputs_correct_by_attempt");
    json_begin_row(&json);
    for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
        json_uint(&json, s.right[a]);
    }
    json_end_array(&json);
    json_kv_uint(&json, "tasks_solved", s.solved[job->options->attempts - 1]);
    json_key(&json, "tasks_solved_by_attempt");
    json_begin_row(&json);
    for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
        json_uint(&json, s.solved[a]);
    }
    json_end_array(&json);
    json_key(&json, "strategies");
    json_begin_object(&json);
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        json_kv_uint(&json, strategy_names[p], s.strategy_right[p]);
    }
    json_end_object(&json);
    json_kv_fixed(&json, "values_per_s", built_per_s(&s), 0);
    json_kv_uint(&json, "tasks_answered", s.answered);
    json_kv_uint(&json, "tasks_fitting", s.fitting);
    json_kv_uint(&json, "tasks_resumed", job->keep.n_resumed);
    json_kv_uint(&json, "load_errors", job->data->set->n_errors);
    groups_json(&json, job->data, solve_group, job);
    json_kv_string(&json, "data_hash", hash);
    json_key(&json, "results");
    json_begin_array(&json);
    for (size_t k = 0; k < job->data->n_tasks; k++) {
        const SolveTask *r = &job->session.results[k];
        json_begin_object(&json);
        json_kv_string(&json, "id", job->data->tasks[k]->id);
        json_kv_bool(&json, "done", r->done);
        json_kv_uint(&json, "candidates", r->candidates);
        json_kv_uint(&json, "fitting", r->fitting);
        json_kv_uint(&json, "steps", solve_steps(r));
        json_kv_uint(&json, "values", COUNTED(&r->work.statistics, VALUES));
        json_kv_uint(&json, "rounds", r->rounds);
        json_kv_fixed(&json, "time_s", (double)r->time_ns * 1e-9, 6);
        json_key(&json, "programs");
        json_begin_array(&json);
        for (uint32_t p = 0; p < r->n_programs; p++) {
            Out text;
            out_init(&text);
            if (r->programs[p].program != NULL) {
                print_program(&text, r->programs[p].program, NULL);
            }
            json_begin_object(&json);
            json_kv_string(&json, "strategy", strategy_names[r->programs[p].strategy]);
            json_kv_uint(&json, "train_correct", r->programs[p].right);
            json_kv_double(&json, "cost", r->programs[p].cost);
            json_kv_double(&json, "score", r->programs[p].score);
            json_key(&json, "penalties");
            json_begin_row(&json);
            for (unsigned d = 0; d < PENALTY_COUNT; d++) {
                if (r->programs[p].penalties >> d & 1) {
                    json_text(&json, penalty_table[d].text);
                }
            }
            json_end_array(&json);
            json_kv_uint(&json, "support", r->programs[p].backing.support);
            json_kv_uint(&json, "unseen_correct", r->programs[p].backing.unseen);
            json_kv_uint(&json, "strategies_agreeing",
                         (uint64_t)__builtin_popcount(r->programs[p].backing.strategies));
            json_kv_uint(&json, "found_after_steps", r->programs[p].steps);
            json_kv_string(&json, "program", r->programs[p].program != NULL ? text.data : NULL);
            json_end_object(&json);
            out_free(&text);
        }
        json_end_array(&json);
        json_key(&json, "answers");
        json_begin_array(&json);
        for (int32_t x = 0; r->done && x < r->task->n_test; x++) {
            json_begin_array(&json);
            for (int64_t a = 0; a < job->options->attempts; a++) {
                if (r->answers[x][a].image.h != 0) {
                    json_image(&json, r->answers[x][a].image, true);
                }
            }
            json_end_array(&json);
        }
        json_end_array(&json);
        json_key(&json, "outputs_correct_by_attempt");
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
    if (job->options->stats) {
        Statistics all = statistics(job, &s);
        statistics_json(&json, &all);
    }
    device_json(&json, job->backend);
    rank_summaries_json(&json, &job->ranks);
    phase_json(&json, &job->phases);
    int code = profile_collect(&job->recorder, &job->phases, job->ids, &json, out);
    json_end_object(&json);
    out_char(out, '\n');
    return code;
}

bool solve_all_right(const SolveJob *job) {
    Score s = score(job);
    return s.right[job->options->attempts - 1] == s.outputs;
}

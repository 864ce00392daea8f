/* batt profile lines: the time of each line of one program on one task, beside the line. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/eval/eval.h"
#include "engine/language/print.h"
#include "tools/cli/cmd_profile.h"
#include "tools/cli/ranks_option.h"
#include "tools/cli/wanted_program.h"
#include "tools/profiler/quantiles.h"
#include "tools/profiler/record_ticks.h"

#include <math.h>
#include <string.h>

typedef struct Lines {
    const Program *program;
    const Task *task;
    double *ns; /* by op, then by repeat: all samples together */
    uint32_t repeats, samples, failed, over_budget;
    uint64_t disturbed; /* measurements replaced by their median */
    double whole_ns;    /* evaluations without timestamps, per repeat */
} Lines;

/* Ticks between two timestamps with nothing in between. */
static double clock_read_ticks(void) {
    double min = INFINITY;
    for (int k = 0; k < 1000; k++) {
        uint64_t start = prof_ticks();
        min = fmin(min, (double)(prof_ticks() - start));
    }
    return min;
}

/* One evaluation with a timestamp after every op; ticks are those of the ops. */
static void run_timestamped(Ctx *ctx, const Program *p, const Val *params, Val *slots, double *ticks,
                            double empty) {
    memcpy(slots, params, p->nparams * sizeof *slots);
    memcpy(slots + p->nparams, p->consts, p->nconsts * sizeof *slots);
    for (uint32_t k = 0; k < p->nops; k++) {
        uint64_t start = prof_ticks();
        slots[p->nparams + p->nconsts + k] = eval_op(ctx, p, &p->ops[k], slots);
        ticks[k] = fmax((double)(prof_ticks() - start) - empty, 0);
    }
}

/* Every op of every sample has a time in each repeat; the last "op" is the evaluation without timestamps. */
typedef struct Times {
    double *ticks; /* by sample, op and repeat */
    uint32_t ops, repeats;
} Times;

static double *times_of(const Times *t, uint32_t sample, uint32_t op) {
    return t->ticks + ((size_t)sample * t->ops + op) * t->repeats;
}

/* One repeat. A sample during which the thread was preempted is tried again. False: stopped. */
static bool repeat_samples(Lines *l, Ctx *ctx, Val *slots, double *ticks, double empty, const Times *to,
                           uint32_t repeat, double ns_per_tick) {
    enum { TRIES = 4, PREEMPTED_NS = 5000 };
    const Program *p = l->program;
    uint32_t failed = 0, over_budget = 0;
    for (uint32_t k = 0; k < l->samples; k++) {
        const TaskPair *pair = run_pair(l->task, k);
        Val params[3], v = val_int(0);
        double preempted = INFINITY;
        for (int x = 0; x < TRIES && preempted > PREEMPTED_NS; x++) {
            uint64_t work = clock_work_ns(), began = prof_ticks();
            ctx_reset(ctx);
            run_parameters(ctx, l->task, pair, p->nparams, params);
            run_timestamped(ctx, p, params, slots, ticks, empty);
            ctx_reset(ctx);
            run_parameters(ctx, l->task, pair, p->nparams, params);
            uint64_t start = prof_ticks();
            v = eval_program(ctx, p, params);
            ticks[p->nops] = (double)(prof_ticks() - start);
            double passed = (double)(prof_ticks() - began) * ns_per_tick;
            preempted = ns_per_tick > 0 ? passed - (double)(clock_work_ns() - work) : 0;
            if (ctx_stopped(ctx)) {
                return false;
            }
        }
        for (uint32_t op = 0; to != NULL && op <= p->nops; op++) {
            times_of(to, k, op)[repeat] = ticks[op];
        }
        failed += val_failed(v);
        over_budget += val_failed(v) && v.w >= FAIL_STEPS;
    }
    l->failed = failed;
    l->over_budget = over_budget;
    return true;
}

/* Adds up the samples of a line, repeat by repeat; times far above the median of the repeats were disturbed
 * and are replaced. */
static void add_samples(Lines *l, const Times *t, double ns_per_tick, double *scratch) {
    const double slack = 200 / ns_per_tick;
    for (uint32_t k = 0; k < l->samples; k++) {
        for (uint32_t op = 0; op < t->ops; op++) {
            double *ticks = times_of(t, k, op);
            l->disturbed += stats_clip_outliers(ticks, l->repeats, slack, scratch);
            for (uint32_t r = 0; r < l->repeats; r++) {
                if (op + 1 < t->ops) {
                    l->ns[(size_t)op * l->repeats + r] += ticks[r] * ns_per_tick;
                } else {
                    l->whole_ns += ticks[r] * ns_per_tick / l->repeats;
                }
            }
        }
    }
}

static double tick_since(uint64_t start_ns, uint64_t start_ticks) {
    while (clock_now_ns() - start_ns < 2000000) { /* long enough to measure a tick */
    }
    return (double)(clock_now_ns() - start_ns) / (double)(prof_ticks() - start_ticks);
}

/* False: no memory. Where it is stopped, l->repeats are those that are complete. */
static bool measure(Lines *l, Ctx *ctx, bool safe, uint32_t warmup) {
    const Program *p = l->program;
    Times t = {.ops = p->nops + 1, .repeats = l->repeats};
    double *ticks = mem_array((size_t)t.ops + l->repeats, sizeof *ticks), empty = clock_read_ticks();
    Val *slots = mem_array(prog_slots(p), sizeof *slots);
    t.ticks = mem_zalloc((size_t)l->samples * t.ops * t.repeats, sizeof *t.ticks);
    bool good = ticks != NULL && slots != NULL && t.ticks != NULL;
    prim_bind(ctx, (Mode)p->mode, safe);
    uint64_t start_ns = 0, start_ticks = 0;
    prof_moment(&start_ns, &start_ticks);
    double tick = tick_since(start_ns, start_ticks);
    bool going = good;
    for (uint32_t r = 0; going && r < warmup; r++) {
        going = repeat_samples(l, ctx, slots, ticks, empty, NULL, r, 0);
    }
    uint32_t done = 0;
    while (going && done < t.repeats && repeat_samples(l, ctx, slots, ticks, empty, &t, done, tick)) {
        done++;
    }
    l->repeats = done;
    if (done > 0) {
        add_samples(l, &t, tick, ticks + t.ops);
    }
    mem_free(t.ticks);
    mem_free(ticks);
    mem_free(slots);
    return good;
}

static void source_line(Out *out, const Program *p, uint32_t op) {
    out_clear(out);
    print_slot(out, p, prog_op_slot(p, op));
    out_str(out, " = ");
    print_call(out, p, op);
}

static int write_lines(Cli *cli, const ProfileOptions *opt, const Lines *l) {
    const Program *p = l->program;
    const TermStyle *style = &cli->style;
    Out out, line;
    Table t;
    char text[32];
    double sum = 0;
    out_init(&out);
    out_init(&line);
    table_init(&t);
    for (size_t k = 0; k < p->nops; k++) {
        sum += stats_mean(l->ns + k * l->repeats, l->repeats);
    }
    Json json = json_on(&out, 1);
    if (opt->json) {
        json_begin_report(&json, "batt.profile.lines/1");
        json_kv_string(&json, "view", "lines");
        json_kv_string(&json, "program", p->name);
        json_kv_string(&json, "task", l->task->id);
        json_kv_uint(&json, "samples", l->samples);
        json_kv_uint(&json, "repeats", l->repeats);
        json_kv_fixed(&json, "execute_us", l->whole_ns * 1e-3, 3);
        json_kv_fixed(&json, "lines_us", sum * 1e-3, 3);
        json_kv_uint(&json, "disturbed", l->disturbed);
        json_key(&json, "lines");
        json_begin_array(&json);
    } else {
        out_printable(&out, p->name);
        out_str(&out, " on ");
        out_printable(&out, l->task->id);
        out_fmt(&out, ": %u samples, %u failed, %u out of budget\n\n", l->samples, l->failed, l->over_budget);
        table_columns(&t, ">line", ">time", ">a sample", ">spread", ">share", "program");
    }
    for (uint32_t k = 0; k < p->nops; k++) {
        const double *values = l->ns + (size_t)k * l->repeats;
        double ns = stats_mean(values, l->repeats), spread = stats_deviation(values, l->repeats) / ns;
        double share = sum > 0 ? ns / sum : 0;
        source_line(&line, p, k);
        if (opt->json) {
            json_begin_object(&json);
            json_kv_uint(&json, "line", p->ops[k].line);
            json_kv_string(&json, "source", line.data);
            json_kv_fixed(&json, "us", ns * 1e-3, 4);
            json_kv_double(&json, "spread", spread);
            json_kv_fixed(&json, "share", share, 6);
            json_end_object(&json);
            continue;
        }
        table_fmt(&t, "%u", p->ops[k].line);
        table_cell(&t, format_time_in(text, ns));
        table_cell(&t, format_time_in(text, ns / l->samples));
        if (isfinite(spread)) {
            table_fmt(&t, "%.0f %%%s", 100 * spread, profile_is_unstable(spread) ? " ~" : "");
        } else {
            table_cell(&t, "-");
        }
        snprintf(text, sizeof text, "%.1f %%", 100 * share);
        table_colored(&t, term_attr(style, format_priority_attr(share)), text);
        table_cell(&t, line.data);
    }
    if (opt->json) {
        json_end_array(&json);
        json_end_object(&json);
        out_char(&out, '\n');
    } else {
        table_write(&t, &out, style->width, style->color != TERM_MONO);
        out_fmt(&out, "\nlines       %s of ", format_time_in(text, sum));
        out_fmt(&out,
                "%s for all samples without timestamps; the rest is dispatch and the timestamps' own error\n",
                format_time_in(text, l->whole_ns));
    }
    bool good = cli_print(cli, &out);
    table_free(&t);
    out_free(&out);
    out_free(&line);
    return good ? EXIT_DONE : EXIT_SHORT;
}

/* PROGRAM is a file with a single program or one for the task, FILE:FUNCTION, or the name of a program in
 * --solvers. */
static int find_program(Cli *cli, const ProfileOptions *opt, const WantedProgram *wanted, const Task *task,
                        Solvers *solvers, const Program **program) {
    const char *items[] = {wanted->file};
    CliList file = {items, 1};
    if (wanted->file != NULL && opt->solvers.count > 0) {
        return cli_error(cli, "give a file as PROGRAM, or a name and -s, not both");
    }
    int code = solvers_load(cli, wanted->file != NULL ? &file : &opt->solvers,
                            opt->mode < 0 ? PARSE_MODE_AUTO : opt->mode, opt->jobs, solvers);
    if (code != EXIT_DONE) {
        return code;
    }
    *program = wanted->function != NULL   ? match_find(&solvers->list, wanted->function)
               : solvers->list.count == 1 ? solvers->list.items[0]
                                          : match_find(&solvers->list, task->id);
    if (*program != NULL) {
        return EXIT_DONE;
    }
    if (wanted->file == NULL) {
        return cli_error(cli, "%s: no such file, and no program of that name", wanted->function);
    }
    return cli_error(cli, "%s: none of its programs is called %s%s", wanted->file,
                     wanted->function != NULL ? "" : "solve_",
                     wanted->function != NULL ? wanted->function : task->id);
}

int profile_lines(Cli *cli, const ProfileOptions *opt, int argc, char **argv) {
    if (argc < 2) {
        return cli_error(cli, "lines needs a program and a task");
    }
    Data data = {0};
    Solvers solvers = {0};
    Ctx ctx = {0};
    WantedProgram wanted = {0};
    Lines l = {.repeats = (uint32_t)opt->repeat};
    Budget budget = BUDGET_OF(opt);
    int code = data_load_named(cli, &opt->data, opt->jobs, argc - 1, argv + 1, &data);
    if (code == EXIT_DONE && data.n_tasks != 1) {
        code = cli_error(cli, "expected one task, not %zu: name one", data.n_tasks);
    }
    if (code == EXIT_DONE) {
        l.task = data.tasks[0];
        code = wanted_program_read(argv[0], &wanted)
                   ? find_program(cli, opt, &wanted, l.task, &solvers, &l.program)
                   : cli_no_memory(cli);
    }
    if (code == EXIT_DONE) {
        l.samples = (uint32_t)(l.task->n_train + l.task->n_test);
        l.ns = mem_zalloc((size_t)l.program->nops * l.repeats, sizeof *l.ns);
        bool good = l.ns != NULL && prim_open(&ctx, MODE_CORE, opt->safe, &budget);
        ctx.stop = cli_stop(cli);
        good = good && measure(&l, &ctx, opt->safe, (uint32_t)opt->warmup);
        code = !good ? cli_no_memory(cli) : l.repeats > 0 ? write_lines(cli, opt, &l) : EXIT_INTERRUPTED;
        if (good && l.repeats == 0) {
            fprintf(cli_err(cli), "interrupted before the first repeat was complete\n");
        } else if (good && l.repeats < (uint32_t)opt->repeat) {
            fprintf(cli_err(cli), "interrupted: this is the profile of %u repeat%s\n", l.repeats,
                    l.repeats == 1 ? "" : "s");
            code = EXIT_INTERRUPTED;
        }
    }
    if (ctx.base != NULL) {
        prim_close(&ctx);
    }
    mem_free(l.ns);
    mem_free(wanted.file);
    solvers_free(&solvers);
    data_free(&data);
    return code;
}

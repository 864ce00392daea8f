/* Shows a program's lines and their values, one pair of a task after the other; see cmd_trace.h. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/eval/eval.h"
#include "engine/language/infer.h"
#include "engine/language/value_text.h"
#include "tools/cli/cmd_trace.h"
#include "tools/display/task_drawing.h"
#include "tools/display/trace_value.h"
#include "tools/profiler/phase.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Trace {
    Cli *cli;
    const TraceOptions *opt;
    const Program *program;
    const Task *task;
    Types *types;
    TypeId *slot_types;
    Val *slots;
    int64_t *op_ns;
    Ctx ctx;
    Out out;   /* the terminal's text, JSON or page */
    Json json; /* on out */
    Page page; /* on out */
    ProfileRecorder recorder;
    size_t wrong;
} Trace;

/* ---- one line and its value ---- */

static void json_line(Trace *t, uint32_t slot, const char *source, const char *type, const char *why) {
    Json *json = &t->json;
    uint32_t first = prog_op_slot(t->program, 0);
    json_begin_object(json);
    if (slot >= first) {
        json_kv_uint(json, "line", t->program->ops[slot - first].line);
    }
    json_kv_string(json, "source", source);
    json_kv_string(json, "type", type);
    if (val_failed(t->slots[slot])) {
        json_kv_string(json, "reason", why);
    } else {
        Out text;
        out_init(&text);
        (types_is_truth(t->types, t->slot_types[slot]) ? text_value_bool : text_value)(&text, t->slots[slot]);
        json_kv_string(json, "value", text.data);
        t->out.failed |= text.failed;
        out_free(&text);
    }
    if (slot >= first) {
        json_kv_fixed(json, "time_s", (double)t->op_ns[slot - first] * 1e-9, 9);
    }
    json_end_object(json);
}

static bool show_line(Trace *t, size_t number, uint32_t slot, Image input) {
    Out source, type, why;
    TraceValue value = {0};
    uint32_t first = prog_op_slot(t->program, 0);
    bool failed = val_failed(t->slots[slot]), good = true;
    out_init(&source);
    out_init(&type);
    out_init(&why);
    trace_write_source(&source, t->program, slot);
    types_text(&type, t->types, t->slot_types[slot]);
    if (failed) {
        trace_write_why(&why, t->types, t->program, t->slots, slot);
    } else {
        good = trace_value_make(&value, t->slots[slot],
                                trace_use(t->types, (Mode)t->program->mode, t->slot_types[slot]), input);
    }
    TraceLine line = {.source = source.data,
                      .type = type.data,
                      .text = failed || !good ? NULL : value.text.data,
                      .failed = failed ? why.data : NULL,
                      .panels = value.panels,
                      .panel_count = value.panel_count,
                      .time_ns = slot >= first ? t->op_ns[slot - first] : -1};
    good = good && !source.failed && !type.failed && !why.failed;
    if (t->opt->html != NULL) {
        trace_page_line(&t->page, &line);
    } else if (t->opt->json) {
        json_line(t, slot, source.data, type.data, why.data);
    } else {
        trace_draw_line(&t->out, &t->cli->style, number, &line);
    }
    trace_value_free(&value);
    out_free(&source);
    out_free(&type);
    out_free(&why);
    return good;
}

/* ---- one pair ---- */

/* Like eval_slots, but timing every call. */
static Val evaluate(Trace *t, const TaskPair *pair) {
    const Program *p = t->program;
    Val input = eval_grid(pair->in), params[3] = {input, input, input};
    ctx_reset(&t->ctx);
    prim_bind(&t->ctx, (Mode)p->mode, t->opt->safe);
    if (p->nparams == 3) {
        params[0] = run_samples_value(&t->ctx, t->task);
    }
    memcpy(t->slots, params, p->nparams * sizeof *t->slots);
    memcpy(t->slots + p->nparams, p->consts, p->nconsts * sizeof *t->slots);
    Val *to = t->slots + prog_op_slot(p, 0);
    for (uint32_t k = 0; k < p->nops; k++) {
        uint64_t start = clock_now_ns();
        to[k] = eval_op(&t->ctx, p, &p->ops[k], t->slots);
        t->op_ns[k] = (int64_t)(clock_now_ns() - start);
        if (val_failed(to[k]) && to[k].i == 0) {
            to[k].i = p->ops[k].line;
        }
    }
    return ctx_charge(&t->ctx, 0) ? t->slots[p->result] : val_fail((Reason)t->ctx.exhausted);
}

static Image answer_of(Val v) {
    return v.kind == VAL_GRID8 && v.w > 0 ? eval_image(v) : (Image){0};
}

static bool show_sample(Trace *t, uint32_t number) {
    const Program *p = t->program;
    const TaskPair *pair = run_pair(t->task, number);
    const TermStyle *style = &t->cli->style;
    char label[32];
    task_pair_label(t->task, number, label, sizeof label);
    profile_item(&t->recorder, label);
    Val result = evaluate(t, pair);
    profile_item_end(&t->recorder);
    TraceSample sample = {.label = label,
                          .input = pair->in,
                          .expected = pair->has_output ? pair->out : (Image){0},
                          .got = answer_of(result)};
    MarksDiff diff = marks_compare(&sample.expected, &sample.got);
    bool right = sample.got.cells != NULL && diff.same_size && diff.wrong == 0;
    t->wrong += pair->has_output ? !right : val_failed(result);
    if (t->opt->html != NULL) {
        trace_page_sample(&t->page, &sample);
    } else if (t->opt->json) {
        json_begin_object(&t->json);
        json_kv_string(&t->json, "sample", label);
        if (pair->has_output) {
            json_kv_bool(&t->json, "right", right);
        }
        json_key(&t->json, "steps");
        json_begin_array(&t->json);
    } else {
        out_fmt(&t->out, "%s%s%s on %s, %s\n\n", term_attr(style, ATTR_NAME), p->name,
                term_attr(style, ATTR_RESET), t->task->id, label);
        draw_pair(&t->out, style, label, &sample.input, &sample.expected);
        out_char(&t->out, '\n');
    }
    bool good = true;
    for (uint32_t k = 0; good && k < p->nops; k++) {
        good = show_line(t, k + 1, prog_op_slot(p, k), pair->in);
    }
    if (good && p->result < prog_op_slot(p, 0)) {
        good = show_line(t, p->nops + 1, p->result, pair->in);
    }
    if (t->opt->html != NULL) {
        trace_page_sample_end(&t->page);
    } else if (t->opt->json) {
        json_end_array(&t->json);
        json_end_object(&t->json);
    } else {
        if (right) { /* the last line has just been drawn */
            out_fmt(&t->out, "result  %sright%s\n", term_attr(style, ATTR_GOOD),
                    term_attr(style, ATTR_RESET));
        } else {
            draw_diff(&t->out, style, "result", NULL, &sample.expected, &sample.got);
        }
        out_char(&t->out, '\n');
        good = good && cli_print(t->cli, &t->out);
        out_clear(&t->out);
    }
    return good;
}

/* ---- the whole ---- */

/* The first and last pair that --sample selects; false after a message. */
static bool choose_samples(const Trace *t, uint32_t *first, uint32_t *last) {
    const char *text = t->opt->sample;
    uint32_t train = (uint32_t)t->task->n_train, all = train + (uint32_t)t->task->n_test;
    bool pages = t->opt->html != NULL || t->opt->json;
    *first = 0;
    *last = all - 1;
    if (text == NULL && !pages) {
        *last = 0;
        return true;
    }
    if (text == NULL || strcmp(text, "all") == 0) {
        return true;
    }
    bool test = strncmp(text, "test", 4) == 0;
    const char *digits = text + (test ? 4 : strncmp(text, "train", 5) == 0 ? 5 : 0);
    digits += strspn(digits, " ");
    uint32_t max = test ? all - train : train;
    char *end;
    unsigned long n = isdigit((unsigned char)*digits) ? strtoul(digits, &end, 10) : 0;
    if (n < 1 || n > max || *end != '\0') {
        cli_error(t->cli, "--sample %s: task %s has training pairs 1 to %u and tests test1 to test%u", text,
                  t->task->id, train, all - train);
        return false;
    }
    *first = *last = (uint32_t)(n - 1) + (test ? train : 0);
    return true;
}

static int finish(Trace *t, bool good) {
    const TraceOptions *opt = t->opt;
    char why[512] = MEM_NONE;
    int code = EXIT_DONE;
    if (opt->html != NULL) {
        trace_page_end(&t->page);
        if (!good) {
            return cli_error(t->cli, "%s", why);
        }
        if (!cli_save(t->cli, &t->out, opt->html)) {
            return EXIT_SHORT;
        }
        out_clear(&t->out);
        out_fmt(&t->out, "%s\n", opt->html);
    }
    if (!opt->json) {
        code = profile_collect(&t->recorder, NULL, NULL, NULL, &t->out);
    } else {
        json_end_array(&t->json);
        code = profile_collect(&t->recorder, NULL, NULL, &t->json, &t->out);
        json_end_object(&t->json);
        out_char(&t->out, '\n');
    }
    if (!good || t->out.failed) {
        return cli_error(t->cli, "%s", why);
    }
    if (!cli_print(t->cli, &t->out)) {
        return EXIT_SHORT;
    }
    return code != EXIT_DONE ? code : t->wrong > 0 ? EXIT_SHORT : EXIT_DONE;
}

static int trace(Trace *t) {
    const TraceOptions *opt = t->opt;
    uint32_t first, last;
    if (t->task->n_train + t->task->n_test == 0) {
        return cli_error(t->cli, "task %s has no pairs", t->task->id);
    }
    if (!choose_samples(t, &first, &last)) {
        return EXIT_BAD;
    }
    types_of_program(t->types, t->program, t->slot_types, NULL, NULL);
    if (opt->html != NULL) {
        char summary[TASK_MAX_ID + 64];
        snprintf(summary, sizeof summary, "on task %s", t->task->id);
        trace_page_begin(&t->page, &t->out, t->program->name, summary, t->cli->style.palette);
    } else if (opt->json) {
        t->json = json_on(&t->out, 1);
        json_begin_report(&t->json, "batt.trace/1");
        json_kv_string(&t->json, "program", t->program->name);
        json_kv_string(&t->json, "task", t->task->id);
        json_key(&t->json, "samples");
        json_begin_array(&t->json);
    }
    bool good = true;
    for (uint32_t k = first; good && k <= last; k++) {
        good = show_sample(t, k);
    }
    return finish(t, good);
}

int trace_lines(Cli *cli, const TraceOptions *options, const Program *program, const Task *task) {
    Trace trace_of = {.cli = cli, .opt = options, .program = program, .task = task}, *t = &trace_of;
    Budget budget = BUDGET_OF(t->opt);
    if (!prim_open(&t->ctx, (Mode)t->program->mode, t->opt->safe, &budget)) {
        return cli_error(t->cli, MEM_NONE);
    }
    out_init(&t->out);
    t->types = types_open();
    t->slots = mem_array(prog_slots(t->program), sizeof *t->slots);
    t->slot_types = mem_array(prog_slots(t->program), sizeof *t->slot_types);
    t->op_ns = mem_zalloc(t->program->nops, sizeof *t->op_ns);
    bool asked = profile_requested(&options->profile);
    int code = !(t->types && t->slots && t->slot_types && t->op_ns) ? cli_error(t->cli, MEM_NONE)
               : asked && !profile_attach_alone(&t->recorder, cli, &options->profile, &t->ctx, PHASE_REPORT)
                   ? EXIT_BAD
                   : trace(t);
    profile_detach(&t->recorder);
    if (t->types != NULL) {
        types_close(t->types);
    }
    mem_free(t->slots);
    mem_free(t->slot_types);
    mem_free(t->op_ns);
    out_free(&t->out);
    prim_close(&t->ctx);
    return code;
}

/* Shows a program step by step, as JSON with pictures; and stores programs. */
#include "base/alloc.h"
#include "base/clock.h"
#include "data/store/solver_file.h"
#include "engine/eval/eval.h"
#include "engine/language/build.h"
#include "search/run/match_programs.h"
#include "search/run/run.h"
#include "tools/display/page.h"
#include "tools/display/picture.h"
#include "tools/display/task_drawing.h"
#include "tools/display/trace_value.h"
#include "tools/serve/serve_internal.h"

#include <stdio.h>
#include <string.h>

enum { MAX_STEPS = 400 }; /* lines that are drawn */

typedef struct FindingSink { /* carries findings of the type checker to diags */
    Serve *serve;
    const Source *source;
    const Program *program;
    Diags *diags;
} FindingSink;

static size_t offset_of_line(const Source *source, uint32_t line) {
    const char *at = source->text, *end = source->text + source->length;
    for (uint32_t k = 1; k < line && at < end; k++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    }
    while (at < end && *at == ' ') {
        at++;
    }
    return (size_t)(at - source->text);
}

static void tell_finding(void *user, const TypeFinding *finding) {
    FindingSink *sink = user;
    if (!finding->certain || finding->vague) {
        return;
    }
    Out text;
    out_init(&text);
    types_finding_text(&text, sink->serve->types, finding);
    diags_add(sink->diags, sink->source, offset_of_line(sink->source, sink->program->ops[finding->op].line),
              true, "%s", text.data);
    out_free(&text);
}

/* The program for the task, or else the first one; the others stay in the list. */
static Program *take(ProgList *list, const char *id) {
    size_t chosen = 0;
    for (size_t k = list->count; k-- > 0;) {
        const char *of = match_id(list->items[k]);
        chosen = of != NULL && strcmp(of, id) == 0 ? k : chosen;
    }
    Program *program = list->count > 0 ? list->items[chosen] : NULL;
    if (program != NULL) {
        list->items[chosen] = list->items[--list->count];
    }
    return program;
}

Program *steps_parse(Serve *serve, const Task *task, const char *text, size_t length, Diags *diags) {
    Source source = source_of("program", text, length);
    ParseOptions how = PARSE_OPTIONS_FILE;
    ProgList list = {0};
    Program *program = lang_parse(serve->lang, &source, &how, &list, diags) ? take(&list, task->id) : NULL;
    progs_free(&list);
    TypeId *slots = program != NULL ? mem_array(prog_slots(program), sizeof *slots) : NULL;
    if (slots != NULL) {
        FindingSink sink = {serve, &source, program, diags};
        types_of_program(serve->types, program, slots, tell_finding, &sink);
    }
    mem_free(slots);
    if (program == NULL && diags->count == 0) {
        diags_add(diags, &source, 0, false, "no program: write def solve(I): and lines that end with O = ..");
    }
    return program;
}

void steps_write_errors(Json *json, const Diags *diags) {
    enum { MAX_DIAGS = 50 };
    json_key(json, "errors");
    json_begin_array(json);
    for (size_t k = 0; k < diags->count && k < MAX_DIAGS; k++) {
        const Diag *diag = &diags->items[k];
        json_begin_object(json);
        json_kv_uint(json, "line", diag->line);
        json_kv_uint(json, "column", diag->column);
        json_kv_bool(json, "warning", diag->warning);
        json_kv_string(json, "text", diags_message(diags, diag));
        json_end_object(json);
    }
    json_end_array(json);
}

/* ---- pictures ---- */

static void kv_svg(Json *json, const char *key, const Serve *serve, const DrawStrip *strips, size_t count) {
    Out svg;
    out_init(&svg);
    Picture picture = {.strips = strips, .count = count, .palette = serve->options.palette};
    picture_to_svg(&svg, &picture);
    json_kv_string(json, key, svg.data);
    json->out->failed |= svg.failed;
    out_free(&svg);
}

static void write_panels(Json *json, const Serve *serve, const TraceValue *value) {
    DrawStrip strips[TRACE_MAX_PANELS];
    for (size_t k = 0; k < value->panel_count; k++) {
        strips[k] = (DrawStrip){.panels = {value->panels[k]}, .count = 1};
    }
    if (value->panel_count > 0) {
        kv_svg(json, "svg", serve, strips, value->panel_count);
    }
}

/* ---- one pair, line by line ---- */

static bool write_step(Serve *serve, Json *json, const Program *p, const TypeId *types, const Val *slots,
                       uint32_t slot, Image input) {
    Out source, type, why;
    TraceValue value = {0};
    uint32_t first = prog_op_slot(p, 0);
    bool failed = val_failed(slots[slot]);
    bool good = failed || trace_value_make(&value, slots[slot],
                                           trace_use(serve->types, (Mode)p->mode, types[slot]), input);
    out_init(&source);
    out_init(&type);
    out_init(&why);
    trace_write_source(&source, p, slot);
    types_text(&type, serve->types, types[slot]);
    json_begin_object(json);
    if (slot >= first) {
        json_kv_uint(json, "line", p->ops[slot - first].line);
    }
    json_kv_string(json, "source", source.data);
    json_kv_string(json, "type", type.data);
    if (failed) {
        trace_write_why(&why, serve->types, p, slots, slot);
        json_kv_string(json, "failed", why.data);
    } else if (good) {
        json_kv_string(json, "text", value.text.data);
        write_panels(json, serve, &value);
    }
    json_end_object(json);
    good = good && !source.failed && !type.failed && !why.failed;
    trace_value_free(&value);
    out_free(&source);
    out_free(&type);
    out_free(&why);
    return good;
}

static bool write_lines(Serve *serve, Json *json, const Program *p, const Val *slots, Image input) {
    TypeId *types = mem_array(prog_slots(p), sizeof *types);
    bool good = types != NULL;
    json_key(json, "steps");
    json_begin_array(json);
    if (good) {
        types_of_program(serve->types, p, types, NULL, NULL);
    }
    for (uint32_t k = 0; good && k < p->nops && k < MAX_STEPS; k++) {
        good = write_step(serve, json, p, types, slots, prog_op_slot(p, k), input);
    }
    if (good && p->result < prog_op_slot(p, 0)) {
        good = write_step(serve, json, p, types, slots, p->result, input);
    }
    json_end_array(json);
    mem_free(types);
    return good;
}

static Val evaluate(Ctx *ctx, const Task *task, const TaskPair *pair, const Program *p, Val *slots) {
    Val params[3];
    ctx_reset(ctx);
    prim_bind(ctx, (Mode)p->mode, false);
    run_parameters(ctx, task, pair, p->nparams, params);
    return slots != NULL ? eval_slots(ctx, p, params, slots) : eval_program(ctx, p, params);
}

bool steps_write_pairs(Serve *serve, Json *json, const Task *task, const Program *p) {
    uint32_t n = (uint32_t)(task->n_train + task->n_test), known = 0, right = 0;
    json_kv_string(json, "name", p->name);
    json_key(json, "pairs");
    json_begin_array(json);
    for (uint32_t k = 0; k < n; k++) {
        char label[32];
        const TaskPair *pair = run_pair(task, k);
        Val v = evaluate(&serve->ctx, task, pair, p, NULL);
        SampleVerdict verdict = run_judge(v, pair);
        Image output = v.kind == VAL_GRID8 && v.n > 0 && v.w > 0 ? eval_image(v) : (Image){0};
        task_pair_label(task, k, label, sizeof label);
        known += pair->has_output;
        right += verdict == SAMPLE_RIGHT;
        json_begin_object(json);
        json_kv_string(json, "label", label);
        json_kv_string(json, "verdict", sample_verdict_names[verdict]);
        page_json_grid(json, "output", &output);
        json_end_object(json);
    }
    json_end_array(json);
    return known > 0 && right == known;
}

bool steps_write(Serve *serve, Json *json, const Task *task, const Program *p, uint32_t sample) {
    Val *slots = mem_array(prog_slots(p), sizeof *slots);
    bool good = slots != NULL;
    if (good && steps_write_pairs(serve, json, task, p)) {
        task_list_solved(serve->tasks, task->id);
    }
    if (good && sample < (uint32_t)(task->n_train + task->n_test)) {
        const TaskPair *pair = run_pair(task, sample);
        evaluate(&serve->ctx, task, pair, p, slots);
        json_kv_uint(json, "sample", sample);
        good = write_lines(serve, json, p, slots, pair->in);
    }
    mem_free(slots);
    return good;
}

/* ---- keeping ---- */

bool steps_keep(Serve *serve, Ctx *ctx, const Task *task, const Program *program, char *why, size_t room) {
    if (serve->store == NULL) {
        snprintf(why, room, "no store: start with batt serve --store FILE");
        return false;
    }
    StoreResult result = {
        .task = task->id, .program = store_key_of(program->hash), .train_total = task->n_train};
    uint64_t start = clock_now_ns();
    for (uint32_t k = 0; k < (uint32_t)(task->n_train + task->n_test); k++) {
        const TaskPair *pair = run_pair(task, k);
        Val v = evaluate(ctx, task, pair, program, NULL);
        bool right = run_judge(v, pair) == SAMPLE_RIGHT, test = k >= (uint32_t)task->n_train;
        result.train_exact += !test && right;
        result.test_exact += test && right;
        result.test_total += test && pair->has_output;
        result.outputs = val_failed(v) ? result.outputs : val_hash(v, result.outputs);
        result.steps += (int64_t)ctx_steps_used(ctx);
    }
    result.score = 1000 * result.train_exact;
    result.time_ns = (int64_t)(clock_now_ns() - start);
    Out scratch;
    out_init(&scratch);
    pthread_mutex_lock(&serve->keeping);
    bool good = store_put_parsed(serve->store, program, &scratch) &&
                store_put_result(serve->store, &result) && store_flush(serve->store);
    if (!good) {
        snprintf(why, room, "%s", store_error(serve->store));
    }
    pthread_mutex_unlock(&serve->keeping);
    out_free(&scratch);
    return good;
}

/* batt eval: evaluates an expression or a program on a grid, or checks whole files of recorded values. */
#include "base/alloc.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/out.h"
#include "engine/eval/eval.h"
#include "engine/eval/explain.h"
#include "engine/eval/vectors.h"
#include "engine/language/infer.h"
#include "engine/language/parse.h"
#include "engine/language/value_text.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/data.h"
#include "tools/cli/profile_option.h"
#include "tools/display/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Options {
    bool vectors, safe, json;
    const char *program, *function, *grid, *samples, *candidate;
    int mode;
    int64_t timeout, max_steps, max_memory;
    ProfileChoice profile;
} Options;

static const CliOption options[] = {
    CLI_FLAG(Options, vectors, 0, "vectors",
             "evaluate vector files, or folders of them, and compare the values"),
    CLI_FILE(Options, program, 'p', "program", "FILE", CLI_ROLE_READ, "run a program from this file"),
    CLI_TEXT(Options, function, 0, "function", "NAME", NULL, "function to run, if the file has several"),
    CLI_TEXT(Options, grid, 'g', "grid", "GRID", NULL, "the input I, e.g. '((0,1),(1,0))'"),
    CLI_TEXT(Options, samples, 0, "samples", "PAIRS", "()",
             "the samples S of a batt program: ((input, output), ...)"),
    CLI_TEXT(Options, candidate, 0, "candidate", "GRID", NULL,
             "the candidate C of a batt program; default: I"),
    BUDGET_OPTIONS(Options, "0", 4096),
    PROFILE_OPTIONS(Options, profile),
    CLI_FLAG(Options, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt eval 'add((1, 2), 3)'", "a value", false},
    {"batt eval --grid '((0,1),(1,0))' 'x1 = rot90(I); O = identity(x1)'", "statements, on a grid", false},
    {"batt eval --program solvers.py --function solve_67a3c6ac --grid '((0,1),(1,0))'", "a program on a grid",
     true},
    {"batt eval --vectors tests/vectors", "recorded values", true},
    {0}};

/* ---- vectors ---- */

typedef struct Report {
    const Cli *cli;
    Out out; /* mismatches as text, or JSON */
    Json json;
    bool as_json;
} Report;

static void mismatch(void *user, const char *path, uint32_t line, const char *expression, const char *wanted,
                     const char *got, bool malformed) {
    enum { SHOWN = 400 };
    Report *r = user;
    if (r->as_json) {
        json_begin_object(&r->json);
        json_kv_string(&r->json, "file", path);
        json_kv_uint(&r->json, "line", line);
        json_kv_string(&r->json, "expression", expression);
        json_kv_string(&r->json, malformed ? "error" : "expected", malformed ? got : wanted);
        if (!malformed) {
            json_kv_string(&r->json, "got", got);
        }
        json_end_object(&r->json);
        return;
    }
    Out elided, *out = &r->out;
    out_init(&elided);
    out_printable(out, path);
    out_fmt(out, ":%u: ", line);
    text_elided(&elided, expression, strlen(expression), SHOWN);
    out_printable(out, elided.data);
    if (malformed) {
        out_str(out, "\n    error:  ");
        out_printable(out, got);
    } else {
        out_clear(&elided);
        text_elided(&elided, wanted, strlen(wanted), SHOWN);
        out_str(out, "\n    expected: ");
        out_printable(out, elided.data);
        out_clear(&elided);
        text_elided(&elided, got, strlen(got), SHOWN);
        out_str(out, "\n    got:      ");
        out_printable(out, elided.data);
    }
    out_char(out, '\n');
    out_free(&elided);
    out_flush_to(out, cli_out(r->cli));
    out_clear(out);
}

static int run_vectors(Cli *cli, const Options *opt, int argc, char **argv) {
    if (argc == 0) {
        return cli_error(cli, "--vectors needs files or folders");
    }
    if (profile_requested(&opt->profile)) {
        return cli_error(
            cli,
            "--profile cannot be combined with --vectors; 'batt bench prims' times primitives on vectors");
    }
    Report report = {.cli = cli, .as_json = opt->json};
    out_init(&report.out);
    if (opt->json) {
        report.json = json_on(&report.out, 2);
        json_begin_report(&report.json, "batt.eval.vectors/1");
        json_key(&report.json, "mismatches");
        json_begin_array(&report.json);
    }
    VectorOptions with = {.mode = opt->mode,
                          .safe = opt->safe,
                          .budget = BUDGET_OF(opt),
                          .mismatch = mismatch,
                          .user = &report};
    Vectors *vectors = vectors_open(&with);
    if (vectors == NULL) {
        return cli_no_memory(cli);
    }
    int status = EXIT_DONE;
    for (int k = 0; k < argc; k++) {
        char why[512];
        if (!vectors_run(vectors, argv[k], why, sizeof why)) {
            status = cli_error(cli, "%s", why);
        }
    }
    VectorCounts counts = vectors_counts(vectors);
    vectors_close(vectors);
    if (opt->json) {
        json_end_array(&report.json);
        json_kv_uint(&report.json, "files", counts.files);
        json_kv_uint(&report.json, "passed", counts.passed);
        json_kv_uint(&report.json, "failed", counts.failed);
        json_kv_uint(&report.json, "malformed", counts.malformed);
        json_end_object(&report.json);
        out_char(&report.out, '\n');
    } else {
        out_fmt(&report.out, "%" PRIu64 " passed, %" PRIu64 " failed\n", counts.passed, counts.failed);
    }
    bool good = cli_print(cli, &report.out);
    out_free(&report.out);
    if (status == EXIT_DONE && counts.malformed != 0) {
        status = cli_error(cli, "%" PRIu64 " malformed line%s", counts.malformed,
                           counts.malformed == 1 ? "" : "s");
    }
    return status != EXIT_DONE ? status : counts.failed != 0 || !good ? EXIT_SHORT : EXIT_DONE;
}

/* ---- expressions and programs ---- */

typedef struct Evaluation {
    Cli *cli;
    const Options *opt;
    Lang *lang;
    Types *types;
    ProgList programs; /* those to evaluate, and the literals given by options */
    Ctx ctx;
    Out out;
    Json json;
    bool cut; /* a value is not shown whole */
} Evaluation;

/* Parses, prints errors, and appends the programs. False: there were errors. */
static bool parse(Evaluation *e, const Source *source, ParseOptions with) {
    Diags diags;
    Out out;
    diags_init(&diags);
    out_init(&out);
    bool good = lang_parse(e->lang, source, &with, &e->programs, &diags);
    if (!good) {
        cli_error(e->cli, MEM_NONE);
    }
    diags_write(&out, source, &diags);
    out_flush_to(&out, cli_err(e->cli));
    good = good && diags.errors == 0;
    out_free(&out);
    diags_free(&diags);
    return good;
}

static bool parse_value(Evaluation *e, const char *option, const char *text, Val *value) {
    Source source = source_of(option, text, strlen(text));
    if (!parse(e, &source, PARSE_OPTIONS_LITERAL)) {
        return false;
    }
    *value = e->programs.items[e->programs.count - 1]->consts[0];
    return true;
}

/* Booleans are integers; only the type says that 1 is to be shown as T. */
static bool result_is_truth(Evaluation *e, const Program *program) {
    TypeId *slots = mem_array(prog_slots(program), sizeof *slots);
    bool truth =
        slots != NULL && types_is_truth(e->types, types_of_program(e->types, program, slots, NULL, NULL));
    mem_free(slots);
    return truth;
}

static void write_value(Evaluation *e, const Program *program, Val v) {
    bool truth = result_is_truth(e, program);
    bool drawn = v.kind == VAL_GRID8 && v.w > 0 && e->cli->style.width != 0;
    for (uint32_t k = 0; drawn && k < v.n * v.w; k++) {
        drawn = v.b8[k] >= 0 && v.b8[k] <= 9;
    }
    if (drawn) {
        Image image = {(int32_t)v.n, v.w, v.b8};
        draw_image(&e->out, &e->cli->style, NULL, &image);
    } else {
        e->cut |= !(truth ? text_value_bool : text_value)(&e->out, v);
        out_char(&e->out, '\n');
    }
}

static void write_json(Evaluation *e, const Program *program, const Val *params, Val v) {
    Json *json = &e->json;
    Out text;
    out_init(&text);
    json_begin_object(json);
    if (program->name[0] != '\0') {
        json_kv_string(json, "function", program->name);
    }
    if (val_failed(v)) {
        json_kv_string(json, "reason", reason_name((Reason)v.w));
        if (v.n != 0) {
            json_kv_string(json, "primitive", prim_table[v.n - 1].name);
        }
        json_kv_int(json, "line", v.i);
        explain_program(&text, e->types, &e->ctx, program, params, v);
        json_kv_string(json, "why", text.len > 2 ? text.data + 2 : ""); /* without the ": " before it */
    } else {
        bool whole = (result_is_truth(e, program) ? text_value_bool : text_value)(&text, v);
        e->cut |= !whole;
        json_kv_string(json, "value", text.data);
        if (!whole) {
            json_kv_bool(json, "cut", true);
        }
    }
    if (v.kind == VAL_GRID8) {
        json_key(json, "grid");
        json_image(json, eval_image(v), false);
    }
    json_kv_uint(json, "steps", ctx_steps_used(&e->ctx));
    json_kv_uint(json, "bytes", ctx_bytes_used(&e->ctx));
    out_free(&text);
}

/* Runs one program on the inputs given by options, and prints the result. */
static int evaluate(Evaluation *e, const Program *program) {
    const Options *opt = e->opt;
    Val grid = VAL_EMPTY_TUPLE, samples = VAL_EMPTY_TUPLE, candidate;
    if (program->nparams != 0 && opt->grid == NULL) {
        return cli_error(e->cli, "this program needs an input: --grid '((0,1),(1,0))'");
    }
    if ((opt->grid != NULL && !parse_value(e, "--grid", opt->grid, &grid)) ||
        !parse_value(e, "--samples", opt->samples, &samples) ||
        (opt->candidate != NULL && !parse_value(e, "--candidate", opt->candidate, &candidate))) {
        return EXIT_BAD;
    }
    if (opt->candidate == NULL) {
        candidate = grid;
    }
    prim_bind(&e->ctx, (Mode)program->mode, opt->safe);
    ctx_reset(&e->ctx);
    Val three[3] = {samples, grid, candidate};
    const Val *params = program->nparams == 1 ? &grid : three;
    ProfileRecorder recorder = {0};
    if (profile_requested(&opt->profile) &&
        !profile_attach_alone(&recorder, e->cli, &opt->profile, &e->ctx, PHASE_REPORT)) {
        return EXIT_BAD;
    }
    profile_item(&recorder, program->name[0] != '\0' ? program->name : "expression");
    Val v = eval_program(&e->ctx, program, params);
    profile_item_end(&recorder);
    if (opt->json) {
        write_json(e, program, params, v);
    } else if (val_failed(v)) {
        Out why;
        out_init(&why);
        text_failure(&why, v);
        explain_program(&why, e->types, &e->ctx, program, params, v);
        out_str(&e->out, "!\n");
        out_flush_to(&e->out, cli_out(e->cli));
        out_clear(&e->out);
        cli_error(e->cli, "%s", why.data);
        out_free(&why);
    } else {
        write_value(e, program, v);
    }
    int code = profile_collect(&recorder, NULL, NULL, opt->json ? &e->json : NULL, &e->out);
    if (opt->json) {
        json_end_object(&e->json);
    }
    return code != EXIT_DONE ? code : val_failed(v) ? EXIT_SHORT : EXIT_DONE;
}

static int evaluate_file(Evaluation *e) {
    const Options *opt = e->opt;
    Source source;
    char why[256];
    if (!source_read(&source, opt->program, why, sizeof why)) {
        return cli_error(e->cli, "%s: %s", opt->program, why);
    }
    bool good = parse(e, &source, (ParseOptions){PARSE_FILE, opt->mode, -1});
    const Program *chosen = NULL;
    int status = EXIT_BAD;
    Nearest nearest =
        nearest_to(opt->function ? opt->function : "", opt->function ? strlen(opt->function) : 0);
    for (size_t k = 0; k < e->programs.count; k++) {
        const Program *program = e->programs.items[k];
        nearest_offer(&nearest, program->name);
        if (opt->function == NULL ? e->programs.count == 1 : strcmp(program->name, opt->function) == 0) {
            chosen = program;
        }
    }
    if (chosen != NULL) {
        status = evaluate(e, chosen);
    } else if (opt->function != NULL) {
        cli_error(e->cli, "%s has no function '%s'%s%s%s", opt->program, opt->function,
                  nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
                  nearest.best ? "'?" : "");
    } else if (e->programs.count > 1) {
        cli_error(e->cli, "%s has %zu functions; choose one with --function", opt->program,
                  e->programs.count);
    } else if (good) {
        cli_error(e->cli, "%s has no function", opt->program);
    }
    source_free(&source);
    return good || chosen != NULL ? status : EXIT_BAD;
}

static int evaluate_text(Evaluation *e, const char *text) {
    Source source = source_of("expression", text, strlen(text));
    ParseOptions with = {PARSE_LINE, e->opt->mode, -1};
    size_t at = e->programs.count;
    return parse(e, &source, with) ? evaluate(e, e->programs.items[at]) : EXIT_BAD;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    if (opt->vectors) {
        return run_vectors(cli, opt, argc, argv);
    }
    if (opt->program != NULL ? argc > 0 : argc == 0) {
        return cli_error(cli, opt->program
                                  ? "give an expression or --program, not both"
                                  : "nothing to evaluate: give an expression, --program or --vectors");
    }
    Evaluation e = {.cli = cli, .opt = opt, .lang = cli_lang_open(cli), .types = types_open()};
    Budget budget = BUDGET_OF(opt);
    if (e.lang == NULL || e.types == NULL || !prim_open(&e.ctx, MODE_CORE, opt->safe, &budget)) {
        lang_close(e.lang);
        types_close(e.types);
        return cli_no_workers(cli, 1, opt->max_memory);
    }
    out_init(&e.out);
    if (opt->json) {
        e.json = json_on(&e.out, 2);
        json_begin_report(&e.json, "batt.eval/1");
        json_key(&e.json, "results");
        json_begin_array(&e.json);
    }
    int status = opt->program != NULL ? evaluate_file(&e) : EXIT_DONE;
    for (int k = 0; k < argc; k++) {
        int one = evaluate_text(&e, argv[k]);
        status = one > status ? one : status;
    }
    if (opt->json) {
        json_end_array(&e.json);
        json_end_object(&e.json);
        out_char(&e.out, '\n');
    }
    bool good = cli_print(cli, &e.out);
    if (e.cut) {
        cli_error(
            cli,
            "a value is truncated: ... replaces what is nested deeper than %d levels or comes after %d MB",
            TEXT_DEPTH, TEXT_LIMIT >> 20);
        good = false;
    }
    out_free(&e.out);
    progs_free(&e.programs);
    prim_close(&e.ctx);
    lang_close(e.lang);
    types_close(e.types);
    return status == EXIT_DONE && !good ? EXIT_SHORT : status;
}

const CliCommand cmd_eval = {
    .arguments = "EXPRESSION... | --program FILE | --vectors FILE|FOLDER...",
    .max_args = -1,
    .details = "Evaluates expressions such as 'first((1, 2))', or statements 'x1 = ...; O = ...' whose "
               "result is O, and "
               "prints the value; a failed value is printed as ! and the reason goes to standard error.\n"
               "With --program a function of a solver file is run on the grid given by --grid.\n"
               "With --vectors every line EXPRESSION<TAB>VALUE (or PROGRAM<TAB>GRID<TAB>VALUE) is evaluated "
               "and compared; "
               "files below a folder named 'dialect' run in batt mode with safe defaults. Exit code 1 if any "
               "differ.",
    .options = options,
    .size = sizeof(Options),
    .main = "program grid function vectors json",
    .examples = examples,
    .run = run};

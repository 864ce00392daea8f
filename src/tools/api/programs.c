/* Programs: parsed, described, run. */
#include "base/alloc.h"
#include "data/tasks/embedded.h"
#include "data/tasks/paths.h"
#include "engine/eval/eval.h"
#include "engine/eval/explain.h"
#include "engine/language/print.h"
#include "search/run/match_programs.h"
#include "tools/api/own.h"

#include <string.h>

/* ---- errors ---- */

/* The file and text of a kept fault share one block. */
static bool add_fault(batt_programs *p, int code, const char *file, uint32_t line, uint32_t column,
                      const char *text) {
    enum { KEPT = 1000 };
    if (p->n_faults == KEPT) {
        return true;
    }
    batt_fault *faults = mem_grow(p->faults, p->n_faults + 1, sizeof *faults);
    size_t room = strlen(file) + 1;
    if (faults == NULL) {
        return false;
    }
    p->faults = faults;
    char *copy = mem_alloc(room + strlen(text) + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, file, room);
    memcpy(copy + room, text, strlen(text) + 1);
    faults[p->n_faults++] = (batt_fault){code, copy, line, column, copy + room};
    return true;
}

static bool add_diags(batt_programs *p, const Source *source, const Diags *diags) {
    bool good = true;
    diags_write(&p->errors, source, diags);
    p->error_count += diags->errors;
    for (size_t k = 0; k < diags->count && good; k++) {
        const Diag *d = &diags->items[k];
        good = d->warning ||
               add_fault(p, BATT_BAD_INPUT, source->name, d->line, d->column, diags_message(diags, d));
    }
    return good && !p->errors.failed;
}

static bool add_unreadable(batt_programs *p, const char *file, const char *why) {
    p->error_count++;
    out_fmt(&p->errors, "%s: %s\n", file, why);
    return add_fault(p, BATT_NO_FILE, file, 0, 0, why) && !p->errors.failed;
}

/* ---- parsing ---- */

static batt_programs *programs_new(void) {
    batt_programs *p = mem_zalloc(1, sizeof *p);
    if (p != NULL) {
        out_init(&p->errors);
    }
    return p;
}

static bool parse_source(batt_context *c, batt_programs *p, const Source *source, int mode) {
    Diags diags;
    diags_init(&diags);
    ParseOptions options = {PARSE_FILE,
                            mode == BATT_MODE_CORE || mode == BATT_MODE_BATT ? mode : PARSE_MODE_AUTO, -1};
    bool good = lang_parse(c->lang, source, &options, &p->list, &diags) && add_diags(p, source, &diags);
    diags_free(&diags);
    return good;
}

static bool describe(batt_programs *p) {
    size_t n = p->list.count;
    p->texts = mem_zalloc(n, sizeof *p->texts);
    p->hashes = mem_zalloc(n, sizeof *p->hashes);
    bool good = p->texts != NULL && p->hashes != NULL;
    for (size_t k = 0; good && k < n; k++) {
        print_hash(p->hashes[k], p->list.items[k]->hash);
    }
    return good;
}

static batt_programs *finished(batt_context *c, batt_programs *p, bool good) {
    if (p == NULL || !good || !describe(p)) {
        batt_programs_free(p);
        return api_no_memory(c);
    }
    arena_retain(c->own_arena);
    p->own_arena = c->own_arena;
    return p;
}

batt_programs *batt_parse(batt_context *c, const char *text, size_t length, int mode) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (text == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the text is NULL");
    }
    Source source = source_of("text", text, length);
    batt_programs *p = programs_new();
    return finished(c, p, p != NULL && parse_source(c, p, &source, mode));
}

batt_programs *batt_parse_file(batt_context *c, const char *path, int mode) {
    Source source;
    char why[256];
    if (!api_begin(c)) {
        return NULL;
    }
    if (path == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the path is NULL");
    }
    if (!source_read(&source, path, why, sizeof why)) {
        return api_fault_at(c, BATT_NO_FILE, path, 0, 0, why);
    }
    batt_programs *p = programs_new();
    bool good = p != NULL && parse_source(c, p, &source, mode);
    source_free(&source);
    return finished(c, p, good);
}

static bool parse_embedded(batt_context *c, batt_programs *p, int mode) {
    size_t count;
    const EmbeddedFile *files = embedded_solvers(&count);
    bool good = true;
    for (size_t k = 0; k < count && good; k++) {
        Source source = source_of(files[k].name, files[k].data, files[k].size);
        good = parse_source(c, p, &source, mode);
    }
    return good;
}

static bool parse_paths(batt_context *c, batt_programs *p, const char *const *paths, size_t n, int mode) {
    PathList files = {0};
    Slab slab = {0};
    char why[256];
    bool good = paths_find(&files, &slab, paths, n, ".py");
    if (good && files.bad_folder != NULL) {
        good = add_unreadable(p, files.bad_folder, files.bad_reason);
    }
    for (size_t k = 0; good && k < files.n_entries; k++) {
        Source source;
        if (!source_read(&source, files.entries[k].path, why, sizeof why)) {
            good = add_unreadable(p, files.entries[k].path, why);
            continue;
        }
        good = parse_source(c, p, &source, mode);
        source_free(&source);
    }
    paths_free(&files);
    slab_free(&slab);
    return good;
}

batt_programs *batt_parse_paths(batt_context *c, const char *const *paths, size_t n, int mode) {
    if (!api_begin(c)) {
        return NULL;
    }
    for (size_t k = 0; k < n; k++) {
        if (paths == NULL || paths[k] == NULL) {
            return api_fault(c, BATT_BAD_ARGUMENT, "path %zu is NULL", k + 1);
        }
    }
    batt_programs *p = programs_new();
    return finished(c, p,
                    p != NULL && (n > 0 ? parse_paths(c, p, paths, n, mode) : parse_embedded(c, p, mode)));
}

void batt_programs_free(batt_programs *p) {
    if (p == NULL) {
        return;
    }
    for (size_t k = 0; p->texts != NULL && k < p->list.count; k++) {
        mem_free(p->texts[k]);
    }
    for (size_t k = 0; k < p->n_faults; k++) {
        mem_free((char *)p->faults[k].file);
    }
    mem_free(p->texts);
    mem_free(p->hashes);
    mem_free(p->faults);
    out_free(&p->errors);
    progs_free(&p->list);
    arena_release(p->own_arena);
    mem_free(p);
}

/* ---- what there is ---- */

size_t batt_programs_count(const batt_programs *p) {
    return p != NULL ? p->list.count : 0;
}

static const Program *at(const batt_programs *p, size_t k) {
    return p != NULL && k < p->list.count ? p->list.items[k] : NULL;
}

const char *batt_programs_name(const batt_programs *p, size_t k) {
    return at(p, k) != NULL ? at(p, k)->name : "";
}

int batt_programs_mode(const batt_programs *p, size_t k) {
    return at(p, k) != NULL ? at(p, k)->mode : BATT_MODE_AUTO;
}

size_t batt_programs_calls(const batt_programs *p, size_t k) {
    return at(p, k) != NULL ? at(p, k)->nops : 0;
}

const char *batt_programs_text(const batt_programs *p, size_t k) {
    return at(p, k) != NULL ? api_program_text(&p->texts[k], at(p, k)) : "";
}

const char *batt_programs_hash(const batt_programs *p, size_t k) {
    return at(p, k) != NULL ? p->hashes[k] : "";
}

int batt_programs_own(const batt_programs *p, size_t k) {
    const char *names[OWN_NAMES];
    return at(p, k) != NULL && own_names(at(p, k), false, names) > 0;
}

int64_t batt_programs_find(const batt_programs *p, const char *name) {
    for (size_t k = 0; name != NULL && k < batt_programs_count(p); k++) {
        const char *own = p->list.items[k]->name, *id = match_id(p->list.items[k]);
        if (strcmp(own, name) == 0 || (id != NULL && strcmp(id, name) == 0)) {
            return (int64_t)k;
        }
    }
    return -1;
}

size_t batt_programs_error_count(const batt_programs *p) {
    return p != NULL ? p->error_count : 0;
}

const batt_fault *batt_programs_fault(const batt_programs *p, size_t k) {
    return p != NULL && k < p->n_faults ? &p->faults[k] : NULL;
}

const char *batt_programs_errors(const batt_programs *p) {
    return p != NULL ? p->errors.data : "";
}

/* ---- running ---- */

/* Parses one text; NULL after an error, with the fault set. The list owns the program. */
static const Program *parse_given(batt_context *c, ProgList *list, const char *name, const char *text,
                                  size_t length, ParseOptions options) {
    Source source = source_of(name, text, length);
    Diags diags;
    diags_init(&diags);
    size_t before = list->count;
    if (!lang_parse(c->lang, &source, &options, list, &diags)) {
        api_no_memory(c);
    } else if (diags.errors != 0 && diags.count != 0) {
        const Diag *first = &diags.items[0];
        diags_write(&c->error, &source, &diags);
        api_fault_at(c, BATT_BAD_INPUT, name, first->line, first->column, diags_message(&diags, first));
    } else if (list->count != before + 1) {
        api_fault_at(c, BATT_BAD_INPUT, name, 1, 1, "nothing to evaluate");
    }
    diags_free(&diags);
    return c->fault.code == BATT_FINE && list->count == before + 1 ? list->items[before] : NULL;
}

static batt_value *evaluated(batt_context *c, const Program *p, Val v) {
    const char *where = val_failed(v) ? own_failed_in(p, v.n) : "";
    return api_failed_in(api_evaluated(c, v, true), where);
}

batt_value *batt_eval(batt_context *c, const char *expression, int mode) {
    ProgList list = {0};
    if (!api_begin(c)) {
        return NULL;
    }
    if (expression == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the expression is NULL");
    }
    ParseOptions options = {PARSE_LINE, mode == BATT_MODE_BATT ? MODE_BATT : MODE_CORE, 0};
    const Program *p = parse_given(c, &list, "expression", expression, strlen(expression), options);
    batt_value *v = NULL;
    if (p != NULL && !arena_list_add(&c->borrowed, c->own_arena)) {
        api_no_memory(c);
    } else if (p != NULL) {
        api_evaluate(c, p->mode);
        v = evaluated(c, p, eval_program(&c->ctx, p, NULL));
    }
    progs_free(&list);
    return v;
}

batt_value *batt_literal(batt_context *c, const char *text, size_t length) {
    ProgList list = {0};
    if (!api_begin(c)) {
        return NULL;
    }
    if (text == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the text is NULL");
    }
    const Program *p = parse_given(c, &list, "text", text, length, PARSE_OPTIONS_LITERAL);
    batt_value *v = NULL;
    if (p != NULL) {
        v = api_named(c, p->consts[0]);
    }
    progs_free(&list);
    return v;
}

static const Program *chosen(batt_context *c, const batt_programs *programs, size_t index) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (at(programs, index) == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT,
                         programs == NULL ? "the programs are NULL" : "there is no program %zu", index);
    }
    return programs->list.items[index];
}

typedef struct Given { /* parameters of a program */
    Val values[3];
} Given;

/* Borrows the arenas of the values, and what the programs use; false with the fault set. */
static bool take_values(batt_context *c, const batt_programs *programs, const batt_value *grid,
                        const batt_value *samples, const batt_value *candidate, Given *given) {
    const batt_value *all[3] = {samples, grid, candidate != NULL ? candidate : grid};
    if (grid == NULL) {
        api_fault(c, BATT_BAD_ARGUMENT, "the grid is NULL");
        return false;
    }
    if (!arena_list_add(&c->borrowed, programs->own_arena)) {
        api_no_memory(c);
        return false;
    }
    for (int k = 0; k < 3; k++) {
        given->values[k] = all[k] != NULL ? all[k]->value : VAL_EMPTY_TUPLE;
        if (all[k] != NULL && (val_failed(all[k]->value) || !arena_list_add(&c->borrowed, all[k]->arena))) {
            arena_list_clear(&c->borrowed);
            val_failed(all[k]->value) ? api_fault(c, BATT_BAD_ARGUMENT, "a parameter is a failed value")
                                      : api_no_memory(c);
            return false;
        }
    }
    return true;
}

static const Val *parameters(const Program *p, const Given *given) {
    return p->nparams == 1 ? &given->values[1] : given->values;
}

batt_value *batt_run_value(batt_context *c, const batt_programs *programs, size_t index,
                           const batt_value *grid, const batt_value *samples, const batt_value *candidate) {
    const Program *p = chosen(c, programs, index);
    Given given;
    if (p == NULL || !take_values(c, programs, grid, samples, candidate, &given)) {
        return NULL;
    }
    api_evaluate(c, p->mode);
    return evaluated(c, p, eval_program(&c->ctx, p, parameters(p, &given)));
}

char *batt_explain_run(batt_context *c, const batt_programs *programs, size_t index, const batt_value *grid,
                       const batt_value *samples, const batt_value *candidate, const batt_value *failed) {
    const Program *p = chosen(c, programs, index);
    Given given;
    Out out;
    if (p == NULL || !take_values(c, programs, grid, samples, candidate, &given)) {
        return NULL;
    }
    out_init(&out);
    if (failed != NULL && val_failed(failed->value) && failed->value.n > PRIM_COUNT) {
        out_str(&out, own_message(c)); /* of the run that failed: it is not called again */
        arena_list_clear(&c->borrowed);
        return api_explained(c, &out, true);
    }
    Types *types = types_open();
    if (types != NULL && failed != NULL && val_failed(failed->value)) {
        api_evaluate(c, p->mode);
        explain_program(&out, types, &c->ctx, p, parameters(p, &given), failed->value);
        c->closure = c->ctx.closures;
        c->busy = false;
    }
    arena_list_clear(&c->borrowed);
    types_close(types);
    return api_explained(c, &out, types != NULL);
}

batt_value *batt_run(batt_context *c, const batt_programs *programs, size_t index, const int8_t *cells,
                     int rows, int columns) {
    if (chosen(c, programs, index) == NULL) {
        return NULL;
    }
    batt_value *grid = batt_grid(c, cells, rows, columns);
    batt_value *result = grid != NULL ? batt_run_value(c, programs, index, grid, NULL, NULL) : NULL;
    batt_release(grid);
    return result;
}

batt_value *batt_run_text(batt_context *c, const batt_programs *programs, size_t index, const char *grid,
                          const char *samples, const char *candidate) {
    static const char *const names[3] = {"grid", "samples", "candidate"};
    const char *texts[3] = {grid, samples, candidate};
    batt_value *values[3] = {0}, *result = NULL;
    ProgList list = {0};
    if (chosen(c, programs, index) == NULL) {
        return NULL;
    }
    if (grid == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the grid is NULL");
    }
    bool good = true;
    for (int k = 0; k < 3 && good; k++) {
        if (texts[k] != NULL) {
            const Program *p =
                parse_given(c, &list, names[k], texts[k], strlen(texts[k]), PARSE_OPTIONS_LITERAL);
            values[k] = p != NULL ? api_named(c, p->consts[0]) : NULL;
            good = values[k] != NULL;
        }
    }
    if (good) {
        result = batt_run_value(c, programs, index, values[0], values[1], values[2]);
    }
    for (int k = 0; k < 3; k++) {
        batt_release(values[k]);
    }
    progs_free(&list);
    return result;
}

/* ---- line by line ---- */

typedef struct ApiTraceLine {
    char *name, *call;
    int line;
    batt_value *value;
} ApiTraceLine;

struct batt_trace {
    size_t count;
    ApiTraceLine lines[];
};

void batt_trace_free(batt_trace *t) {
    for (size_t k = 0; t != NULL && k < t->count; k++) {
        mem_free(t->lines[k].name);
        mem_free(t->lines[k].call);
        batt_release(t->lines[k].value);
    }
    mem_free(t);
}

static bool note_line(batt_context *c, ApiTraceLine *line, const Program *p, uint32_t op, Val value,
                      Out *text) {
    out_clear(text);
    print_slot(text, p, prog_op_slot(p, op));
    line->name = mem_strdup(text->data);
    out_clear(text);
    print_call(text, p, op);
    line->call = mem_strdup(text->data);
    line->line = (int)p->ops[op].line;
    const char *where = val_failed(value) ? own_failed_in(p, value.n) : "";
    line->value = api_failed_in(arena_make_handle(c, value, true), where);
    return !text->failed && line->name != NULL && line->call != NULL && line->value != NULL;
}

batt_trace *batt_run_trace(batt_context *c, const batt_programs *programs, size_t index,
                           const batt_value *grid, const batt_value *samples, const batt_value *candidate) {
    const Program *p = chosen(c, programs, index);
    Given given;
    Out text;
    if (p == NULL || !take_values(c, programs, grid, samples, candidate, &given)) {
        return NULL;
    }
    batt_trace *t = mem_zalloc(1, sizeof *t + p->nops * sizeof *t->lines);
    Val *slots = mem_array(prog_slots(p), sizeof *slots);
    bool good = t != NULL && slots != NULL;
    out_init(&text);
    if (good) {
        api_evaluate(c, p->mode);
        eval_slots(&c->ctx, p, parameters(p, &given), slots);
        c->closure = c->ctx.closures;
        for (uint32_t k = 0; k < p->nops && good; k++) {
            t->count++;
            good = note_line(c, &t->lines[k], p, k, slots[prog_op_slot(p, k)], &text);
        }
        c->busy = false;
    }
    arena_list_clear(&c->borrowed);
    out_free(&text);
    mem_free(slots);
    if (!good) {
        batt_trace_free(t);
        return api_no_memory(c);
    }
    return t;
}

size_t batt_trace_count(const batt_trace *t) {
    return t != NULL ? t->count : 0;
}

const char *batt_trace_name(const batt_trace *t, size_t k) {
    return k < batt_trace_count(t) ? t->lines[k].name : "";
}

const char *batt_trace_call(const batt_trace *t, size_t k) {
    return k < batt_trace_count(t) ? t->lines[k].call : "";
}

int batt_trace_line(const batt_trace *t, size_t k) {
    return k < batt_trace_count(t) ? t->lines[k].line : 0;
}

batt_value *batt_trace_value(const batt_trace *t, size_t k) {
    return k < batt_trace_count(t) ? batt_retain(t->lines[k].value) : NULL;
}

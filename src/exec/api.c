/* The public interface over the internals; see include/batt.h, which says what each function promises. */
#include "batt.h"

#include <limits.h>
#include <string.h>

#include "core/alloc.h"
#include "exec/eval.h"
#include "lang/parse.h"
#include "lang/print.h"
#include "lang/value_text.h"

struct batt_context {
    Ctx ctx;
    Lang *lang;
    Out error;
    ProgList given; /* the expression, or the parameters given as text, of the last evaluation */
    bool safe;
};

struct batt_programs {
    ProgList list;
    char **texts; /* canonical, one a program */
    char (*hashes)[33];
    size_t error_count;
    char *errors;
};

struct batt_value {
    Val value;
    batt_context *context;
};

const char *batt_version(void) {
    return BATT_VERSION_TEXT;
}

/* ---- contexts ---- */

batt_context *batt_open(void) {
    batt_context *c = mem_zalloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    out_init(&c->error);
    c->lang = lang_open();
    if (c->lang == NULL || !prim_open(&c->ctx, MODE_CORE, false, NULL)) {
        lang_close(c->lang);
        mem_free(c);
        return NULL;
    }
    return c;
}

void batt_close(batt_context *c) {
    if (c != NULL) {
        prim_close(&c->ctx);
        lang_close(c->lang);
        progs_free(&c->given);
        out_free(&c->error);
        mem_free(c);
    }
}

const char *batt_error(const batt_context *c) {
    return c->error.failed ? "out of memory" : c->error.data;
}

void batt_set_budget(batt_context *c, uint64_t steps, uint64_t bytes, uint64_t nanoseconds) {
    Budget budget = BUDGET_DEFAULT;
    budget.steps = steps ? steps : budget.steps;
    budget.bytes = bytes ? bytes : budget.bytes;
    budget.time_ns = nanoseconds;
    ctx_set_budget(&c->ctx, &budget);
}

void batt_set_safe(batt_context *c, int safe) {
    c->safe = safe != 0;
}

/* ---- programs ---- */

static bool describe(batt_programs *p, const Source *source, const Diags *diags) {
    size_t n = p->list.count;
    Out text;
    out_init(&text);
    p->texts = mem_zalloc(n, sizeof *p->texts);
    p->hashes = mem_zalloc(n, sizeof *p->hashes);
    diags_write(&text, source, diags);
    bool good =
        p->texts != NULL && p->hashes != NULL && !text.failed && (p->errors = mem_strdup(text.data)) != NULL;
    p->error_count = diags->errors;
    for (size_t k = 0; good && k < n; k++) {
        out_clear(&text);
        print_program(&text, p->list.items[k], NULL);
        print_hash(p->hashes[k], p->list.items[k]->hash);
        good = !text.failed && (p->texts[k] = mem_strdup(text.data)) != NULL;
    }
    out_free(&text);
    return good;
}

static batt_programs *parse_source(batt_context *c, const Source *source, int mode) {
    Diags diags;
    diags_init(&diags);
    batt_programs *p = mem_zalloc(1, sizeof *p);
    ParseOptions options = {PARSE_FILE,
                            mode == BATT_MODE_CORE || mode == BATT_MODE_BATT ? mode : PARSE_MODE_AUTO, -1};
    if (p == NULL || !lang_parse(c->lang, source, &options, &p->list, &diags) ||
        !describe(p, source, &diags)) {
        batt_programs_free(p);
        p = NULL;
        out_str(&c->error, "out of memory");
    }
    diags_free(&diags);
    return p;
}

batt_programs *batt_parse(batt_context *c, const char *text, size_t length, int mode) {
    Source source = source_of("text", text, length);
    out_clear(&c->error);
    return parse_source(c, &source, mode);
}

batt_programs *batt_parse_file(batt_context *c, const char *path, int mode) {
    Source source;
    char why[256];
    out_clear(&c->error);
    if (!source_read(&source, path, why, sizeof why)) {
        out_fmt(&c->error, "%s: %s", path, why);
        return NULL;
    }
    batt_programs *p = parse_source(c, &source, mode);
    source_free(&source);
    return p;
}

void batt_programs_free(batt_programs *p) {
    if (p == NULL) {
        return;
    }
    for (size_t k = 0; p->texts != NULL && k < p->list.count; k++) {
        mem_free(p->texts[k]);
    }
    mem_free(p->texts);
    mem_free(p->hashes);
    mem_free(p->errors);
    progs_free(&p->list);
    mem_free(p);
}

size_t batt_programs_count(const batt_programs *p) {
    return p->list.count;
}

const char *batt_programs_name(const batt_programs *p, size_t k) {
    return k < p->list.count ? p->list.items[k]->name : "";
}

int batt_programs_mode(const batt_programs *p, size_t k) {
    return k < p->list.count ? p->list.items[k]->mode : BATT_MODE_AUTO;
}

const char *batt_programs_text(const batt_programs *p, size_t k) {
    return k < p->list.count ? p->texts[k] : "";
}

const char *batt_programs_hash(const batt_programs *p, size_t k) {
    return k < p->list.count ? p->hashes[k] : "";
}

size_t batt_programs_error_count(const batt_programs *p) {
    return p->error_count;
}

const char *batt_programs_errors(const batt_programs *p) {
    return p->errors;
}

/* ---- evaluation ---- */

static void start(batt_context *c) {
    out_clear(&c->error);
    for (size_t k = 0; k < c->given.count; k++) {
        prog_free(c->given.items[k]);
    }
    c->given.count = 0;
}

/* The failed value that says there was no memory even for a handle: needs no memory itself. */
static const batt_value *handle(batt_context *c, Val v) {
    static const batt_value exhausted = {.value = {.kind = VAL_FAIL, .w = FAIL_MEMORY}};
    if (c->ctx.exhausted != FAIL_NONE && c->ctx.exhausted != FAIL_MEMORY) {
        ctx_rebudget(
            &c->ctx); /* a handle is not the program's spending: steps and time do not matter to it */
    }
    batt_value *h = ctx_alloc(&c->ctx, sizeof *h);
    if (h == NULL) {
        return &exhausted;
    }
    *h = (batt_value){v, c};
    return h;
}

/* The context has been reset; parameters may live in its region. */
static const batt_value *run(batt_context *c, const Program *p, Val samples, Val grid, Val candidate) {
    Val params[3] = {samples, grid, candidate};
    prim_bind(&c->ctx, (Mode)p->mode, c->safe);
    return handle(c, eval_program(&c->ctx, p, p->nparams == 1 ? &grid : params));
}

/* Parses text into c->given; NULL after an error. */
static const Program *parse_given(batt_context *c, const char *name, const char *text, ParseOptions options) {
    Source source = source_of(name, text, strlen(text));
    Diags diags;
    diags_init(&diags);
    size_t before = c->given.count;
    if (!lang_parse(c->lang, &source, &options, &c->given, &diags)) {
        out_str(&c->error, "out of memory");
    } else if (diags.errors != 0) {
        diags_write(&c->error, &source, &diags);
    }
    diags_free(&diags);
    return c->given.count == before + 1 ? c->given.items[before] : NULL;
}

const batt_value *batt_eval(batt_context *c, const char *expression, int mode) {
    start(c);
    ParseOptions options = {PARSE_LINE, mode == BATT_MODE_BATT ? MODE_BATT : MODE_CORE, 0};
    const Program *p = parse_given(c, "expression", expression, options);
    ctx_reset(&c->ctx);
    return p != NULL ? run(c, p, VAL_EMPTY_TUPLE, VAL_EMPTY_TUPLE, VAL_EMPTY_TUPLE) : NULL;
}

static const Program *chosen(batt_context *c, const batt_programs *programs, size_t index) {
    start(c);
    if (index >= programs->list.count) {
        out_fmt(&c->error, "there is no program %zu", index);
        return NULL;
    }
    return programs->list.items[index];
}

const batt_value *batt_run(batt_context *c, const batt_programs *programs, size_t index, const int8_t *cells,
                           int rows, int columns) {
    const Program *p = chosen(c, programs, index);
    if (p == NULL) {
        return NULL;
    }
    if (rows < 0 || columns < 0 || columns > LIMIT_WIDTH || (int64_t)rows * columns > LIMIT_ELEMENTS) {
        out_fmt(&c->error, "a grid of %d x %d is too large", rows, columns);
        return NULL;
    }
    Reason why;
    ctx_reset(&c->ctx);
    int8_t *copy =
        grid_buffer(&c->ctx, rows, columns, &why); /* primitives may read a little past the last cell */
    if (copy == NULL) {
        return handle(c, val_fail(why));
    }
    memcpy(copy, cells, (size_t)rows * (size_t)columns);
    Val grid = val_grid8(copy, (uint32_t)rows, (uint32_t)columns);
    return run(c, p, VAL_EMPTY_TUPLE, grid, grid);
}

const batt_value *batt_run_text(batt_context *c, const batt_programs *programs, size_t index,
                                const char *grid, const char *samples, const char *candidate) {
    const Program *p = chosen(c, programs, index);
    const char *texts[3] = {samples ? samples : "()", grid, candidate ? candidate : grid};
    static const char *const names[3] = {"samples", "grid", "candidate"};
    Val values[3];
    ctx_reset(&c->ctx);
    for (int k = 0; p != NULL && k < 3; k++) {
        const Program *literal = parse_given(c, names[k], texts[k], PARSE_OPTIONS_LITERAL);
        if (literal == NULL) {
            return NULL;
        }
        values[k] = literal->consts[0];
    }
    return p != NULL ? run(c, p, values[0], values[1], values[2]) : NULL;
}

/* ---- values ---- */

int batt_value_kind(const batt_value *v) {
    switch (v->value.kind) {
    case VAL_FAIL:
        return BATT_FAILED;
    case VAL_INT:
        return BATT_INT;
    case VAL_ATOM: {
        static const int atoms[] = {BATT_NONE, BATT_NEG_INF, BATT_INF, BATT_NAN};
        return atoms[v->value.w];
    }
    default:
        return val_is_tuple(v->value) ? BATT_TUPLE : val_is_set(v->value) ? BATT_SET : BATT_FUNCTION;
    }
}

int64_t batt_value_int(const batt_value *v) {
    return v->value.kind == VAL_INT ? v->value.i : 0;
}

size_t batt_value_size(const batt_value *v) {
    return val_is_container(v->value) ? val_len(v->value) : 0;
}

const batt_value *batt_value_at(const batt_value *v, size_t k) {
    if (k >= batt_value_size(v)) {
        return NULL;
    }
    const batt_value *element = handle(v->context, val_at(v->value, (uint32_t)k));
    return element->context != NULL ? element : NULL;
}

int batt_value_equal(const batt_value *a, const batt_value *b) {
    return !val_failed(a->value) && !val_failed(b->value) && val_eq(a->value, b->value);
}

int batt_value_grid(const batt_value *v, int *rows, int *columns) {
    bool grid = v->value.kind == VAL_GRID8 && v->value.w != 0;
    *rows = grid ? (int)v->value.n : 0;
    *columns = grid ? v->value.w : 0;
    return grid;
}

size_t batt_value_cells(const batt_value *v, int8_t *cells, size_t room) {
    int rows, columns;
    if (!batt_value_grid(v, &rows, &columns)) {
        return 0;
    }
    size_t count = (size_t)rows * (size_t)columns;
    memcpy(cells, v->value.b8, count < room ? count : room);
    return count;
}

size_t batt_value_text(const batt_value *v, char *text, size_t size) {
    Out out;
    out_init(&out);
    text_value(&out, v->value);
    size_t length = out.len, copied = length < size ? length : size ? size - 1 : 0;
    if (size != 0) {
        memcpy(text, out.data, copied);
        text[copied] = '\0';
    }
    out_free(&out);
    return length;
}

const char *batt_value_reason(const batt_value *v) {
    return val_failed(v->value) ? reason_name((Reason)v->value.w) : "";
}

int batt_value_line(const batt_value *v) {
    return val_failed(v->value) && v->value.i <= INT_MAX ? (int)v->value.i : 0;
}

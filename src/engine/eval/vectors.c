/* Running vector files; see vectors.h. */
#include "engine/eval/vectors.h"

#include "base/alloc.h"
#include "engine/eval/eval.h"
#include "engine/language/value_text.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct Vectors {
    VectorOptions options;
    Lang *lang;
    Ctx ctx;
    VectorCounts counts;
    Diags diags;
    ProgList programs; /* of the current line: what is run, then the values */
    Out wanted, got, expression;
};

Vectors *vectors_open(const VectorOptions *options) {
    Vectors *v = mem_zalloc(1, sizeof *v);
    if (v == NULL) {
        return NULL;
    }
    v->options = *options;
    v->lang = lang_open();
    diags_init(&v->diags);
    out_init(&v->wanted);
    out_init(&v->got);
    out_init(&v->expression);
    if (v->lang == NULL || !prim_open(&v->ctx, MODE_CORE, false, &options->budget)) {
        lang_close(v->lang);
        mem_free(v);
        return NULL;
    }
    return v;
}

void vectors_close(Vectors *v) {
    if (v != NULL) {
        lang_close(v->lang);
        prim_close(&v->ctx);
        diags_free(&v->diags);
        progs_free(&v->programs);
        out_free(&v->wanted);
        out_free(&v->got);
        out_free(&v->expression);
        mem_free(v);
    }
}

VectorCounts vectors_counts(const Vectors *v) {
    return v->counts;
}

/* ---- a line ---- */

typedef struct VectorField {
    const char *text;
    size_t length;
} VectorField;

static void report(Vectors *v, const char *path, uint32_t line, VectorField expression, bool malformed) {
    v->counts.failed++;
    v->counts.malformed += malformed;
    if (v->options.mismatch != NULL) {
        out_clear(&v->expression);
        out_bytes(&v->expression, expression.text, expression.length);
        v->options.mismatch(v->options.user, path, line, v->expression.data, v->wanted.data, v->got.data,
                            malformed);
    }
}

static bool parse_field(Vectors *v, VectorField field, ParseOptions options) {
    Source source = source_of("", field.text, field.length);
    diags_clear(&v->diags);
    size_t before = v->programs.count;
    if (!lang_parse(v->lang, &source, &options, &v->programs, &v->diags)) {
        out_str(&v->got, "out of memory");
        return false;
    }
    if (v->diags.errors != 0) {
        const Diag *first = &v->diags.items[0];
        out_fmt(&v->got, "column %u: %s", first->column, diags_message(&v->diags, first));
        return false;
    }
    if (v->programs.count != before + 1) {
        out_str(&v->got, "one program was expected");
        return false;
    }
    return true;
}

/* In a vector's program, any failed assignment fails the whole program. */
static Val run_program(Vectors *v, const Program *program, const Val *params) {
    Val *slots = ctx_alloc(&v->ctx, prog_slots(program) * sizeof *slots);
    if (slots == NULL) {
        return val_fail_budget(&v->ctx);
    }
    Val result = eval_slots(&v->ctx, program, params, slots);
    for (uint32_t k = 0; program->nparams != 0 && k < program->nops; k++) {
        if (val_failed(slots[prog_op_slot(program, k)])) {
            return slots[prog_op_slot(program, k)];
        }
    }
    return result;
}

static void run_line(Vectors *v, const char *path, uint32_t line, VectorField text) {
    VectorField fields[3];
    uint32_t n = 0;
    out_clear(&v->wanted);
    out_clear(&v->got);
    for (const char *at = text.text, *end = at + text.length; n < 4 && at <= end; n++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (n < 3) {
            fields[n] = (VectorField){at, (size_t)((tab ? tab : end) - at)};
        }
        at = tab ? tab + 1 : end + 1;
    }
    if (n < 2 || n > 3) {
        out_fmt(&v->got, "a line has 2 or 3 fields separated by tabs, not %s", n < 2 ? "1" : "more");
        report(v, path, line, text, true);
        return;
    }
    VectorField value = fields[n - 1];
    bool failed = value.length == 1 && value.text[0] == '!';
    out_bytes(&v->wanted, value.text, value.length);
    ParseOptions code = {PARSE_LINE, (int)v->ctx.mode, n == 3 ? 1 : 0};
    if (!parse_field(v, fields[0], code) || (n == 3 && !parse_field(v, fields[1], PARSE_OPTIONS_LITERAL)) ||
        (!failed && !parse_field(v, value, PARSE_OPTIONS_LITERAL))) {
        report(v, path, line, fields[0], true);
    } else {
        ctx_reset(&v->ctx);
        const Program *grid = n == 3 ? v->programs.items[1] : NULL;
        Val got = run_program(v, v->programs.items[0], grid ? &grid->consts[0] : NULL);
        bool right =
            failed ? val_failed(got)
                   : !val_failed(got) && val_eq(v->programs.items[v->programs.count - 1]->consts[0], got);
        v->counts.passed += right;
        if (!right) {
            text_value(&v->got, got);
            if (val_failed(got)) {
                out_char(&v->got, ' ');
                text_failure(&v->got, got);
            }
            report(v, path, line, fields[0], false);
        }
    }
    for (size_t k = 0; k < v->programs.count; k++) {
        prog_free(v->programs.items[k]);
    }
    v->programs.count = 0;
}

void vectors_run_text(Vectors *v, const Source *source, Mode mode, bool safe) {
    VectorCounts before = v->counts;
    prim_bind(&v->ctx, mode, safe);
    v->counts.files++;
    const char *at = source->text, *end = at + source->length;
    for (uint32_t line = 1; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        VectorField text = {at, length > 0 && at[length - 1] == '\r' ? length - 1 : length};
        if (text.length != 0 && text.text[0] != '#') {
            run_line(v, source->name, line, text);
        }
        at = newline ? newline + 1 : end;
    }
    if (v->options.file != NULL) {
        v->options.file(v->options.user, source->name, v->counts.passed - before.passed,
                        v->counts.failed - before.failed, mode, safe);
    }
}

/* ---- files and folders ---- */

static bool below_dialect(const char *path) {
    char resolved[PATH_MAX];
    const char *whole = realpath(path, resolved) ? resolved : path;
    for (const char *at = whole; (at = strstr(at, "dialect/")) != NULL; at++) {
        if (at == whole || at[-1] == '/') {
            return true;
        }
    }
    return false;
}

static bool run_file(Vectors *v, const char *path, char *why, size_t why_size) {
    Source source;
    char reason[200];
    if (!source_read(&source, path, reason, sizeof reason)) {
        snprintf(why, why_size, "%.300s: %s", path, reason);
        return false;
    }
    bool dialect = below_dialect(path);
    int mode = v->options.mode;
    vectors_run_text(v, &source,
                     mode >= 0 ? (Mode)mode
                     : dialect ? MODE_BATT
                               : MODE_CORE,
                     v->options.safe || (dialect && mode < 0));
    source_free(&source);
    return true;
}

static int wanted_entry(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static bool run_folder(Vectors *v, const char *path, unsigned depth, char *why, size_t why_size) {
    enum { DEEPEST = 32 };
    struct dirent **entries;
    int count = depth < DEEPEST ? scandir(path, &entries, wanted_entry, alphasort) : (errno = ELOOP, -1);
    if (count < 0) {
        snprintf(why, why_size, "%.300s: %s", path, strerror(errno));
        return false;
    }
    bool good = true;
    for (int k = 0; k < count; k++) {
        char inner[PATH_MAX];
        const char *name = entries[k]->d_name;
        size_t length = strlen(name);
        struct stat status;
        if ((size_t)snprintf(inner, sizeof inner, "%s/%s", path, name) < sizeof inner && good &&
            stat(inner, &status) == 0) {
            if (S_ISDIR(status.st_mode)) {
                good = run_folder(v, inner, depth + 1, why, why_size);
            } else if (length > 4 && strcmp(name + length - 4, ".tsv") == 0 &&
                       strcmp(name, "reference_times.tsv") != 0) {
                good = run_file(v, inner, why, why_size);
            }
        }
        free(entries[k]);
    }
    free(entries);
    return good;
}

bool vectors_run(Vectors *v, const char *path, char *why, size_t why_size) {
    struct stat status;
    if (strcmp(path, "-") != 0 && stat(path, &status) != 0) {
        snprintf(why, why_size, "%.300s: %s", path, strerror(errno));
        return false;
    }
    bool folder = strcmp(path, "-") != 0 && S_ISDIR(status.st_mode);
    size_t length = strlen(path);
    if (folder) {
        while (length > 1 && path[length - 1] == '/') {
            length--;
        }
        char trimmed[PATH_MAX];
        snprintf(trimmed, sizeof trimmed, "%.*s", (int)length, path);
        return run_folder(v, trimmed, 0, why, why_size);
    }
    static const char skipped[] = "reference_times.tsv";
    const char *name = strrchr(path, '/');
    if (strcmp(name ? name + 1 : path, skipped) == 0) {
        return true;
    }
    return run_file(v, path, why, why_size);
}

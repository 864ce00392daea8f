/* batt store lineage: the ancestors of a program, what each step changed, and what that did to the score; as
 * text, as a graph for Graphviz, as a page, or as JSON. */
#include "base/alloc.h"
#include "tools/cli/cmd_store.h"
#include "tools/display/assets.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX, SHORT_KEY = 8, MIN_PREFIX = 4 };

typedef struct Ancestor {
    StoreKey key;
    char hex[STORE_KEY_HEX];
    char *text; /* NULL: it is not in the store any more */
    int32_t calls;
    char *mutation;      /* that made it of its parents; NULL: its origin is not known */
    uint32_t parents[2]; /* NONE: no such */
    uint32_t generation; /* steps from the program */
    uint32_t indent;     /* where it is shown */
    bool shown, scored;
    bool differ;        /* then only the score counts, that on record */
    StoreResult result; /* on the task, if scored; task and program are not set */
} Ancestor;

typedef struct Family {
    Cli *cli;
    Store *store;
    char task[STORE_TASK_MAX + 1]; /* whose scores are shown; "": none */
    Ancestor *items;               /* the program first, then generation by generation */
    uint32_t n, room;
    uint32_t *order; /* in which they are shown, see put_in_order */
    bool no_memory;
} Family;

/* ---- reading ---- */

static uint32_t find_or_add(Family *f, const StoreKey *key, uint32_t generation) {
    for (uint32_t k = 0; k < f->n; k++) {
        if (memcmp(&f->items[k].key, key, sizeof *key) == 0) {
            return k;
        }
    }
    if (f->n == f->room) {
        uint32_t room = 2 * f->room + 16;
        Ancestor *more = mem_grow(f->items, room, sizeof *more);
        if (more == NULL) {
            f->no_memory = true;
            return NONE;
        }
        f->items = more;
        f->room = room;
    }
    Ancestor *a = &f->items[f->n];
    *a = (Ancestor){.key = *key, .parents = {NONE, NONE}, .generation = generation};
    store_key_write(key, a->hex);
    return f->n++;
}

typedef struct Reading {
    Family *family;
    uint32_t at;
    StoreKey parents[2];
    int n_parents;
} Reading;

static bool take_program(void *context, const StoreProgram *program) {
    Reading *r = context;
    Ancestor *a = &r->family->items[r->at];
    a->text = mem_strndup(program->text, program->length);
    a->calls = program->calls;
    r->family->no_memory |= a->text == NULL;
    return true;
}

static bool take_lineage(void *context, const StoreLineage *lineage) {
    Reading *r = context;
    Ancestor *a = &r->family->items[r->at];
    a->mutation = mem_strndup(lineage->mutation, strlen(lineage->mutation));
    r->family->no_memory |= a->mutation == NULL;
    r->n_parents = lineage->parents;
    memcpy(r->parents, lineage->parent, sizeof r->parents);
    return true;
}

static bool take_result(void *context, const StoreResult *result, int64_t started_ms) {
    Reading *r = context;
    Ancestor *a = &r->family->items[r->at];
    (void)started_ms;
    a->scored = result->train_total > 0;
    a->result = *result;
    a->result.task = NULL;
    return true;
}

static bool take_record(void *context, const StoreRecord *record, const StoreProgram *program) {
    Reading *r = context;
    Ancestor *a = &r->family->items[r->at];
    (void)program;
    if (record->kind != STORE_DIFFER || strcmp(record->task, r->family->task) != 0) {
        return true;
    }
    a->scored = a->differ = true;
    a->result = (StoreResult){.score = record->score};
    return false;
}

/* Everything about ancestor k, whose parents are added. False: the store cannot be read, or no memory. */
static bool read_ancestor(Family *f, uint32_t k) {
    Reading r = {.family = f, .at = k};
    StoreKey key = f->items[k].key;
    bool good = store_get_program(f->store, &key, take_program, &r) &&
                store_get_lineage(f->store, &key, take_lineage, &r) &&
                (f->task[0] == '\0' || store_get_result(f->store, f->task, &key, take_result, &r)) &&
                (f->items[k].scored || store_get_records(f->store, &key, take_record, &r)) && !f->no_memory;
    for (int x = 0; good && x < r.n_parents; x++) {
        uint32_t parent = find_or_add(f, &r.parents[x], f->items[k].generation + 1);
        f->items[k].parents[x] = parent;
        good = parent != NONE;
    }
    return good;
}

/* ---- which program ---- */

typedef struct Wanted {
    const char *text;
    size_t length;
    StoreKey key;
    uint32_t found;
    char task[STORE_TASK_MAX + 1];
    int32_t grade;
} Wanted;

static bool by_prefix(void *context, const StoreProgram *program) {
    Wanted *w = context;
    char hex[STORE_KEY_HEX];
    store_key_write(&program->key, hex);
    if (w->length >= MIN_PREFIX && strncmp(hex, w->text, w->length) == 0) {
        w->key = program->key;
        w->found++;
    }
    return w->found < 2;
}

static bool by_task(void *context, const StoreRow *row) {
    Wanted *w = context;
    w->key = row->program.key;
    w->found = 1;
    return false;
}

static bool best_task(void *context, const StoreResult *result, int64_t started_ms) {
    Wanted *w = context;
    int32_t grade = result->train_total > 0 ? result->score / result->train_total : 0;
    (void)started_ms;
    if (memcmp(&result->program, &w->key, sizeof w->key) == 0 && grade > w->grade) {
        snprintf(w->task, sizeof w->task, "%s", result->task);
        w->grade = grade;
    }
    return true;
}

static bool best_differ(void *context, const StoreRecord *record, const StoreProgram *program) {
    Wanted *w = context; /* of the task; records come best first */
    if (record->kind == STORE_DIFFER) {
        w->key = program->key;
        w->found = 1;
    }
    return w->found == 0;
}

static bool best_recorded(void *context, const StoreRecord *record, const StoreProgram *program) {
    Wanted *w = context; /* of the program */
    (void)program;
    if (record->kind == STORE_DIFFER && record->score > w->grade) {
        snprintf(w->task, sizeof w->task, "%s", record->task);
        w->grade = record->score;
    }
    return true;
}

/* PROGRAM is the beginning of a hash, or a task: then its best program, or, if it has only differs, the best
 * of those. The scores are those on the task, or on the one that the program is best at. */
static int find_program(Family *f, const char *text) {
    Wanted w = {.text = text, .length = strlen(text), .grade = -1};
    bool good = store_best(f->store, text, 1, by_task, &w) &&
                (w.found == 1 || store_each_record(f->store, text, best_differ, &w));
    if (good && w.found == 1) {
        snprintf(w.task, sizeof w.task, "%s", text);
    } else {
        good = good && store_each_program(f->store, by_prefix, &w) &&
               (w.found != 1 || store_each_result(f->store, best_task, &w)) &&
               (w.found != 1 || w.grade >= 0 || store_get_records(f->store, &w.key, best_recorded, &w));
    }
    if (!good) {
        return cli_error(f->cli, "%s", store_error(f->store));
    }
    if (w.found == 0) {
        cli_error(
            f->cli,
            "'%s' is neither the beginning of a program's hash (%d digits or more) nor a task with results",
            text, MIN_PREFIX);
        return EXIT_SHORT;
    }
    if (w.found > 1) {
        return cli_error(f->cli, "several hashes begin with '%s': give more digits", text);
    }
    memcpy(f->task, w.task, sizeof f->task);
    return find_or_add(f, &w.key, 0) != NONE ? EXIT_DONE : cli_no_memory(f->cli);
}

/* Each program is followed by the ancestors of its second parent, indented, and then by its first parent: so
 * the main line stays at the left. One with several children is shown once. False: no memory. */
static bool put_in_order(Family *f) {
    uint32_t *stack = mem_array(2 * (size_t)f->n + 1, sizeof *stack), top = 0, n = 0;
    f->order = mem_array(f->n, sizeof *f->order);
    if (stack == NULL || f->order == NULL) {
        mem_free(stack);
        return false;
    }
    stack[top++] = 0;
    while (top > 0) {
        uint32_t k = stack[--top];
        if (f->items[k].shown) {
            continue;
        }
        f->items[k].shown = true;
        f->order[n++] = k;
        for (uint32_t x = 0; x < 2; x++) {
            uint32_t parent = f->items[k].parents[x];
            if (parent != NONE && !f->items[parent].shown) {
                f->items[parent].indent = f->items[k].indent + x;
                stack[top++] = parent;
            }
        }
    }
    mem_free(stack);
    return true;
}

/* ---- figures ---- */

static double score_of(const Ancestor *a) {
    return a->differ ? a->result.score : (double)a->result.score / a->result.train_total;
}

/* What a step did to the score: against the better parent. False: not known. */
static bool gain_of(const Family *f, const Ancestor *a, double *gain) {
    bool known = false;
    for (int x = 0; x < 2 && a->scored; x++) {
        const Ancestor *parent = a->parents[x] != NONE ? &f->items[a->parents[x]] : NULL;
        if (parent != NULL && parent->scored) {
            double by = score_of(a) - score_of(parent);
            *gain = known && *gain < by ? *gain : by;
            known = true;
        }
    }
    return known;
}

static void write_score(Out *out, const Ancestor *a) {
    if (a->differ) {
        out_fmt(out, "%d as a differ", (int)a->result.score);
    } else if (a->scored) {
        out_fmt(out, "%.1f (training %d/%d", score_of(a), (int)a->result.train_exact,
                (int)a->result.train_total);
        if (a->result.test_total > 0) {
            out_fmt(out, ", test %d/%d", (int)a->result.test_exact, (int)a->result.test_total);
        }
        out_char(out, ')');
    } else {
        out_str(out, a->text != NULL ? "no score" : "no longer in the store");
    }
}

/* ---- what changed ---- */

typedef struct TextLines {
    char *text; /* a copy, cut into lines */
    const char **lines;
    size_t n;
} TextLines;

static bool split(const char *text, TextLines *to) {
    size_t n = 1, length = strlen(text);
    for (size_t k = 0; k < length; k++) {
        n += text[k] == '\n';
    }
    *to = (TextLines){mem_strndup(text, length), mem_array(n, sizeof *to->lines), 0};
    if (to->text == NULL || to->lines == NULL) {
        return false;
    }
    for (char *at = to->text, *end = at + length; at < end;) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        to->lines[to->n++] = at;
        at = newline != NULL ? newline : end;
        *at++ = '\0';
    }
    return true;
}

static void lines_free(TextLines *lines) {
    mem_free(lines->text);
    mem_free(lines->lines);
}

typedef void EachChange(void *context, char sign, const char *line);

/* Lines that only one of the texts has, in order, by their longest common subsequence. False: no memory. */
static bool each_change(const char *before, const char *after, EachChange *each, void *context) {
    TextLines a = {0}, b = {0};
    bool good = split(before, &a) && split(after, &b);
    size_t columns = b.n + 1;
    uint32_t *common = good ? mem_zalloc((a.n + 1) * columns, sizeof *common) : NULL;
    for (size_t x = a.n; common != NULL && x-- > 0;) {
        for (size_t y = b.n; y-- > 0;) {
            uint32_t down = common[(x + 1) * columns + y], right = common[x * columns + y + 1];
            common[x * columns + y] = strcmp(a.lines[x], b.lines[y]) == 0
                                          ? common[(x + 1) * columns + y + 1] + 1
                                      : down > right ? down
                                                     : right;
        }
    }
    for (size_t x = 0, y = 0; common != NULL && (x < a.n || y < b.n);) {
        if (x < a.n && y < b.n && strcmp(a.lines[x], b.lines[y]) == 0) {
            x++;
            y++;
        } else if (y == b.n || (x < a.n && common[(x + 1) * columns + y] >= common[x * columns + y + 1])) {
            each(context, '-', a.lines[x]);
            x++;
        } else {
            each(context, '+', b.lines[y]);
            y++;
        }
    }
    lines_free(&a);
    lines_free(&b);
    mem_free(common);
    return common != NULL;
}

/* ---- text ---- */

typedef struct ChangeWriter {
    Out *out;
    const TermStyle *style;
    uint32_t indent;
} ChangeWriter;

static void indent_to(Out *out, uint32_t indent) {
    for (uint32_t k = 0; k < indent; k++) {
        out_str(out, "  ");
    }
}

static void change_text(void *context, char sign, const char *line) {
    const ChangeWriter *w = context;
    indent_to(w->out, w->indent);
    out_fmt(w->out, "  %s%c ", term_attr(w->style, sign == '+' ? ATTR_GOOD : ATTR_BAD), sign);
    out_printable(w->out, line);
    out_fmt(w->out, "%s\n", term_attr(w->style, ATTR_RESET));
}

static void write_text(Family *f, Out *out) {
    const TermStyle *style = &f->cli->style;
    if (f->task[0] != '\0') {
        out_str(out, "scores on ");
        out_printable(out, f->task);
        out_char(out, '\n');
    }
    for (uint32_t k = 0; k < f->n; k++) {
        const Ancestor *a = &f->items[f->order[k]];
        const Ancestor *parent = a->parents[0] != NONE ? &f->items[a->parents[0]] : NULL;
        double gain;
        indent_to(out, a->indent);
        out_fmt(out, "%s%.*s%s  ", term_attr(style, ATTR_NAME), SHORT_KEY, a->hex,
                term_attr(style, ATTR_RESET));
        write_score(out, a);
        out_fmt(out, a->text != NULL ? ", %d call%s\n" : "\n", (int)a->calls, a->calls == 1 ? "" : "s");
        if (a->mutation == NULL) {
            continue;
        }
        indent_to(out, a->indent);
        out_str(out, "  by ");
        out_printable(out, a->mutation);
        for (int x = 0; x < 2 && a->parents[x] != NONE; x++) {
            out_fmt(out, "%s%.*s", x ? " and " : " of ", SHORT_KEY, f->items[a->parents[x]].hex);
        }
        if (gain_of(f, a, &gain)) {
            out_fmt(out, ": %+.1f", gain);
        }
        out_char(out, '\n');
        ChangeWriter w = {out, style, a->indent};
        if (parent != NULL && parent->text != NULL && a->text != NULL) {
            f->no_memory |= !each_change(parent->text, a->text, change_text, &w);
        }
    }
}

/* ---- a graph, a page, JSON ---- */

static void quote_dot(Out *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            out_char(out, '\\');
        }
        out_char(out, iscntrl((unsigned char)*text) ? ' ' : *text);
    }
}

static void write_dot(Family *f, Out *out) {
    out_str(out, "digraph lineage {\n  rankdir=BT;\n  node [shape=box, fontname=monospace];\n");
    for (uint32_t k = 0; k < f->n; k++) {
        const Ancestor *a = &f->items[k];
        out_fmt(out, "  \"%s\" [label=\"%.*s\\n", a->hex, SHORT_KEY, a->hex);
        write_score(out, a);
        out_str(out, a->text != NULL ? "\"];\n" : "\", style=dashed];\n");
        double gain;
        bool known = gain_of(f, a, &gain);
        for (int x = 0; x < 2 && a->parents[x] != NONE; x++) {
            out_fmt(out, "  \"%s\" -> \"%s\" [label=\"", f->items[a->parents[x]].hex, a->hex);
            quote_dot(out, a->mutation);
            if (known) {
                out_fmt(out, " %+.1f", gain);
            }
            out_str(out, "\"];\n");
        }
    }
    out_str(out, "}\n");
}

static void change_html(void *context, char sign, const char *line) {
    Out *out = context;
    out_fmt(out, "<span class=\"%s\">%c ", sign == '+' ? "new" : "old", sign);
    out_xml(out, line);
    out_str(out, "</span>\n");
}

/* The head of the page, with the stylesheet of all pages. */
static void write_html_head(const Family *f, Out *out) {
    out_str(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><!-- " OUT_MARK " --><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Lineage of ");
    out_fmt(out, "%.*s</title>\n<style>%s", SHORT_KEY, f->items[0].hex, asset_text(ASSET_PAGE_CSS));
    out_str(out, "main{padding:1rem 1.2rem;max-width:62rem}pre{overflow:auto;background:var(--page);"
                 "border-radius:8px;padding:.6rem .8rem;margin-top:.5rem}section{background:var(--card);"
                 "border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem;margin:.9rem 0}"
                 "section:target{border-color:var(--accent)}b{font-family:var(--mono)}a{color:var(--accent);"
                 "font-family:var(--mono)}summary{cursor:pointer;color:var(--muted);margin-top:.4rem}"
                 "@media(max-width:40rem){section{margin-left:0!important}}.new{color:var(--good)}"
                 ".old{color:var(--bad)}</style></head><body>\n"
                 "<header class=\"top\"><h1>Lineage of ");
    out_fmt(out, "%.*s</h1></header>\n<main>\n", SHORT_KEY, f->items[0].hex);
}

static void write_html(Family *f, Out *out) {
    write_html_head(f, out);
    if (f->task[0] != '\0') {
        out_str(out, "<p class=\"muted\">Scores on ");
        out_xml(out, f->task);
        out_str(out, f->items[0].differ ? ", over all samples</p>\n" : ", out of 1000</p>\n");
    }
    for (uint32_t k = 0; k < f->n; k++) {
        const Ancestor *a = &f->items[f->order[k]];
        double gain;
        out_fmt(out, "<section id=\"p%s\" style=\"margin-left:%urem\"><b>%.*s</b> ", a->hex,
                a->indent < 20 ? a->indent : 20, SHORT_KEY, a->hex);
        write_score(out, a);
        if (a->mutation != NULL) {
            out_str(out, "<br>by ");
            out_xml(out, a->mutation);
            for (int x = 0; x < 2 && a->parents[x] != NONE; x++) {
                const char *hex = f->items[a->parents[x]].hex;
                out_fmt(out, "%s<a href=\"#p%s\">%.*s</a>", x ? " and " : " of ", hex, SHORT_KEY, hex);
            }
            if (gain_of(f, a, &gain)) {
                out_fmt(out, ": <b>%+.1f</b>", gain);
            }
        }
        const Ancestor *parent = a->parents[0] != NONE ? &f->items[a->parents[0]] : NULL;
        if (parent != NULL && parent->text != NULL && a->text != NULL) {
            out_str(out, "<pre>");
            f->no_memory |= !each_change(parent->text, a->text, change_html, out);
            out_str(out, "</pre>");
        }
        if (a->text != NULL) {
            out_fmt(out, "<details%s><summary>program</summary><pre>", k == 0 ? " open" : "");
            out_xml(out, a->text);
            out_str(out, "</pre></details>");
        }
        out_str(out, "</section>\n");
    }
    out_str(out, "</main></body></html>\n");
}

static void write_json(const Family *f, Out *out) {
    Json json = json_on(out, 1);
    json_begin_report(&json, "batt.store.lineage/1");
    json_kv_string(&json, "program", f->items[0].hex);
    json_kv_string(&json, "task", f->task[0] != '\0' ? f->task : NULL);
    json_key(&json, "ancestors"); /* the program itself first */
    json_begin_array(&json);
    for (uint32_t k = 0; k < f->n; k++) {
        const Ancestor *a = &f->items[k];
        double gain;
        json_begin_object(&json);
        json_kv_string(&json, "program", a->hex);
        json_kv_uint(&json, "generation", a->generation);
        if (a->scored) {
            json_kv_fixed(&json, "score", score_of(a), 3);
        }
        if (gain_of(f, a, &gain)) {
            json_kv_fixed(&json, "gain", gain, 3);
        }
        json_kv_string(&json, "mutation", a->mutation);
        json_key(&json, "parents");
        json_begin_array(&json);
        for (int x = 0; x < 2 && a->parents[x] != NONE; x++) {
            json_text(&json, f->items[a->parents[x]].hex);
        }
        json_end_array(&json);
        json_kv_string(&json, "text", a->text);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    out_char(out, '\n');
}

/* ---- output ---- */

static int write_family(Family *f, const StoreOptions *opt) {
    Out out;
    out_init(&out);
    if (opt->json) {
        write_json(f, &out);
    } else if (opt->dot) {
        write_dot(f, &out);
    } else if (opt->html != NULL) {
        write_html(f, &out);
    } else {
        write_text(f, &out);
    }
    if (f->no_memory) {
        out_free(&out);
        return cli_no_memory(f->cli);
    }
    if (opt->html != NULL) {
        bool saved = cli_save(f->cli, &out, opt->html);
        out_free(&out);
        return saved ? EXIT_DONE : EXIT_SHORT;
    }
    return store_cli_print(f->cli, &out, EXIT_DONE);
}

int store_cli_lineage(Cli *cli, const StoreOptions *opt, const char *path, char **programs, int n) {
    if (n != 1) {
        return cli_error(cli, "lineage needs one program: the first digits of its hash, or a task id for the "
                              "best program of that task");
    }
    if (opt->dot + opt->json + (opt->html != NULL) > 1) {
        return cli_error(cli, "--dot, --html and --json cannot be combined");
    }
    Family f = {.cli = cli, .store = store_cli_open(cli, path, STORE_READ)};
    if (f.store == NULL) {
        return EXIT_BAD;
    }
    int code = find_program(&f, programs[0]);
    for (uint32_t k = 0; code == EXIT_DONE && k < f.n; k++) {
        if (!read_ancestor(&f, k)) {
            code = f.no_memory ? cli_no_memory(cli) : cli_error(cli, "%s", store_error(f.store));
        }
    }
    if (code == EXIT_DONE) {
        code = put_in_order(&f) ? write_family(&f, opt) : cli_no_memory(cli);
    }
    for (uint32_t k = 0; k < f.n; k++) {
        mem_free(f.items[k].text);
        mem_free(f.items[k].mutation);
    }
    mem_free(f.items);
    mem_free(f.order);
    return store_cli_close(cli, f.store, code);
}

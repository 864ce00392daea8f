/* batt store best, batt store list: results as a table, as text or as JSON. */
#include "engine/value/ctx.h"
#include "tools/cli/cmd_store.h"
#include "tools/cli/data.h"

#include <stdio.h>
#include <string.h>

typedef struct RowPrinter {
    Cli *cli;
    const StoreOptions *opt;
    Store *store;
    Out out;
    Json json;
    Table table;
    int64_t count, limit; /* limit 0: none */
    bool more;            /* rows beyond the limit */
    bool failed;
    Lang *lang;
    OwnLacking lacking; /* programs that cannot run here */
} RowPrinter;

static const char *mode_name(int32_t mode) {
    return mode == MODE_CORE ? "core" : "batt";
}

static void share(Table *table, int32_t part, int32_t whole) {
    if (whole > 0) {
        table_fmt(table, "%d/%d", (int)part, (int)whole);
    } else {
        table_cell(table, "-");
    }
}

static void duration(Table *table, int64_t ns) {
    double value = (double)ns;
    const char *unit = ns < 1000 ? "ns" : ns < 1000000 ? "us" : ns < 1000000000 ? "ms" : "s";
    value /= ns < 1000 ? 1 : ns < 1000000 ? 1e3 : ns < 1000000000 ? 1e6 : 1e9;
    table_fmt(table, ns < 1000 ? "%.0f %s" : "%.1f %s", value, unit);
}

static void table_row(RowPrinter *rows, const StoreRow *row) {
    const StoreResult *r = &row->result;
    Table *table = &rows->table;
    char key[STORE_KEY_HEX];
    store_key_write(&row->program.key, key);
    Out task;
    out_init(&task);
    out_printable(&task, r->task);
    table_cell(table, task.data);
    out_free(&task);
    bool fits = r->train_exact == r->train_total;
    char score[32];
    snprintf(score, sizeof score, "%.1f", row->grade / 1000.0);
    table_colored(table, fits ? term_attr(&rows->cli->style, ATTR_GOOD) : NULL, score);
    share(table, r->train_exact, r->train_total);
    share(table, r->test_exact, r->test_total);
    share(table, r->guard_passed, r->guard_total);
    table_fmt(table, "%lld", (long long)r->steps);
    duration(table, r->time_ns);
    table_fmt(table, "%d", (int)row->program.calls);
    table_cell(table, mode_name(row->program.mode));
    table_fmt(table, "%.8s", key); /* enough to tell programs apart; --json has the whole hash */
}

static void json_row(RowPrinter *rows, const StoreRow *row, const Program *program) {
    const StoreResult *r = &row->result;
    Json *json = &rows->json;
    char key[STORE_KEY_HEX];
    store_key_write(&row->program.key, key);
    json_begin_object(json);
    json_kv_string(json, "task", r->task);
    if (row->place > 0) {
        json_kv_int(json, "place", row->place);
    }
    json_kv_string(json, "program", key);
    json_kv_fixed(json, "score", row->grade / 1000.0, 3);
    json_kv_int(json, "train_exact", r->train_exact);
    json_kv_int(json, "train_total", r->train_total);
    json_kv_int(json, "test_exact", r->test_exact);
    json_kv_int(json, "test_total", r->test_total);
    json_kv_int(json, "guard_passed", r->guard_passed);
    json_kv_int(json, "guard_total", r->guard_total);
    json_kv_int(json, "steps", r->steps);
    json_kv_fixed(json, "time_s", (double)r->time_ns * 1e-9, 9);
    json_kv_int(json, "calls", row->program.calls);
    json_kv_string(json, "mode", mode_name(row->program.mode));
    if (rows->opt->text) {
        json_kv_string(json, "text", row->program.text);
    }
    if (program != NULL) {
        store_json_lacks(json, program);
    }
    json_end_object(json);
}

static bool lineage_comment(void *context, const StoreLineage *lineage) {
    store_write_lineage(context, lineage);
    return true;
}

static bool text_row(RowPrinter *rows, const StoreRow *row) {
    if (rows->count > 1) {
        out_str(&rows->out, "\n\n");
    }
    const StoreResult *r = &row->result;
    out_str(&rows->out, "# ");
    out_printable(&rows->out, r->task);
    out_fmt(&rows->out, ": score %.1f of 1000, %d of %d training pairs, %d of %d tests, %lld steps\n",
            row->grade / 1000.0, r->train_exact, r->train_total, r->test_exact, r->test_total,
            (long long)r->steps);
    return store_get_lineage(rows->store, &row->program.key, lineage_comment, &rows->out) &&
           store_write_function(&rows->out, "solve", &row->program);
}

static bool take(void *context, const StoreRow *row) {
    RowPrinter *rows = context;
    if (rows->limit > 0 && rows->count == rows->limit) {
        rows->more = true;
        return false;
    }
    rows->count++;
    Program *program = store_program_of(rows->lang, &row->program);
    if (program != NULL) {
        own_lacking_note(&rows->lacking, program);
    }
    if (rows->opt->json) {
        json_row(rows, row, program);
    } else if (!rows->opt->text) {
        table_row(rows, row);
    } else {
        rows->failed = !text_row(rows, row);
    }
    prog_free(program);
    return !rows->failed;
}

static void columns(Table *table) {
    table_begin(table, "task", ">score", ">train", ">test", ">guard", ">steps", ">time", ">calls", "mode",
                "program");
}

static bool ask(RowPrinter *rows, const char *task, bool best) {
    const StoreOptions *opt = rows->opt;
    if (best) {
        return store_best(rows->store, task, opt->best == CLI_UNSET ? 1 : opt->best, take, rows);
    }
    StoreFilter filter = {.task = task,
                          .min_grade = opt->score >= 0 ? (int32_t)(opt->score * 1000) : 0,
                          .solved = opt->solved,
                          .mode = opt->mode,
                          .max_calls = opt->calls == CLI_UNSET ? 0 : (int32_t)opt->calls,
                          .limit = rows->limit > 0 ? rows->limit - rows->count + 1 : 0};
    return store_list(rows->store, &filter, take, rows);
}

/* Rows of all tasks, or of those given. A task without rows is reported, with exit code 1. */
static int ask_all(RowPrinter *rows, char **tasks, int n_tasks, bool best) {
    int status = EXIT_DONE;
    bool done = n_tasks > 0 || ask(rows, NULL, best);
    for (int i = 0; done && !rows->more && !rows->failed && i < n_tasks; i++) {
        int64_t before = rows->count;
        done = ask(rows, tasks[i], best);
        if (done && rows->count == before && !rows->more && !rows->failed) {
            cli_error(rows->cli, "no matching program for task '%s'", tasks[i]);
            status = EXIT_SHORT;
        }
    }
    return done && !rows->failed ? status : cli_error(rows->cli, "%s", store_error(rows->store));
}

int store_cli_rows(Cli *cli, const StoreOptions *opt, const char *path, char **tasks, int n_tasks,
                   bool best) {
    RowPrinter rows = {.cli = cli, .opt = opt, .store = store_cli_open(cli, path, STORE_READ)};
    if (rows.store == NULL) {
        return EXIT_BAD;
    }
    rows.lang = store_lang_open(cli->own);
    if (rows.lang == NULL) {
        return store_cli_close(cli, rows.store, cli_no_memory(cli));
    }
    rows.limit = best ? 0 : opt->limit == CLI_UNSET ? 100 : opt->limit;
    out_init(&rows.out);
    rows.json = json_on(&rows.out, 2);
    columns(&rows.table);
    if (opt->json) {
        json_begin_report(&rows.json, "batt.store.programs/1");
        json_key(&rows.json, "programs");
        json_begin_array(&rows.json);
    }
    int status = ask_all(&rows, tasks, n_tasks, best);
    lang_close(rows.lang);
    cli_report_lacking(cli, &rows.lacking, "");
    if (opt->json) {
        json_end_array(&rows.json);
        json_kv_bool(&rows.json, "more", rows.more);
        json_end_object(&rows.json);
        out_char(&rows.out, '\n');
    } else if (!opt->text && rows.count > 0) {
        table_write(&rows.table, &rows.out, cli->style.width, cli->style.color != TERM_MONO);
        rows.out.failed = rows.out.failed || rows.table.failed;
    }
    if (rows.more && !opt->json) {
        out_fmt(&rows.out, "%sthe first %lld; -n 0 lists all\n", opt->text ? "# " : "",
                (long long)rows.limit);
    }
    if (rows.count == 0 && n_tasks == 0 && !opt->json && status == EXIT_DONE) {
        out_str(&rows.out, opt->text ? "" : "no results\n");
    }
    table_free(&rows.table);
    if (status == EXIT_BAD) {
        out_free(&rows.out);
        return store_cli_close(cli, rows.store, status);
    }
    return store_cli_close(cli, rows.store, store_cli_print(cli, &rows.out, status));
}

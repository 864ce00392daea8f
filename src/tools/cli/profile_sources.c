/* Shows merged profiles with a column per source, and merges files for `batt profile merge`. */
#include "base/alloc.h"
#include "tools/cli/cmd_profile.h"
#include "tools/profiler/file.h"

#include <stdio.h>

enum { MAX_COLUMNS = 8, MAX_ROWS = 15 };

static double total_of(const Profile *p, uint32_t source, uint32_t *tasks) {
    double sum = 0;
    *tasks = 0;
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        if (p->tasks[k].source == source) {
            sum += task_execute_ns(p, &p->tasks[k]);
            ++*tasks;
        }
    }
    return sum;
}

void profile_sources_text(Out *out, const TermStyle *style, const Profile *p, const ProfSum *sum) {
    uint32_t columns = p->n_sources < MAX_COLUMNS ? p->n_sources : MAX_COLUMNS, tasks;
    char text[32];
    Table t;
    if (p->n_sources == 0) {
        return;
    }
    table_begin(&t, "measured by");
    for (uint32_t s = 0; s < columns; s++) {
        table_column(&t, p->sources[s].name, TABLE_RIGHT);
    }
    table_cell(&t, "tasks");
    for (uint32_t s = 0; s < columns; s++) {
        total_of(p, s, &tasks);
        table_fmt(&t, "%u", tasks);
    }
    table_cell(&t, "evaluating");
    for (uint32_t s = 0; s < columns; s++) {
        table_cell(&t, format_time_in(text, total_of(p, s, &tasks)));
    }
    for (uint32_t k = 0; k < sum->n_rows && k < MAX_ROWS; k++) {
        table_cell(&t, p->names[sum->rows[k].name].name);
        for (uint32_t s = 0; s < columns; s++) {
            table_cell(&t, format_time_in(text, profile_source_ns(p, s, sum->rows[k].name)));
        }
    }
    static const struct {
        ProfWork work;
        const char *name;
    } works[] = {{WORK_SCHEDULING, "handing out"}, {WORK_IDLE, "idle"}, {WORK_NETWORK, "network"}};
    for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
        table_colored(&t, term_attr(style, ATTR_DIM), works[w].name);
        for (uint32_t s = 0; s < columns; s++) {
            table_cell(&t, format_time_in(text, p->sources[s].work_ns[works[w].work]));
        }
    }
    out_char(out, '\n');
    table_end(&t, out, style);
    if (columns < p->n_sources) {
        out_fmt(out, "and %u more; a file *.json or *.csv has all\n", p->n_sources - columns);
    }
    out_char(out, '\n');
}

void profile_sources_json(Json *json, const Profile *p) {
    if (p->n_sources == 0) {
        return;
    }
    json_key(json, "sources");
    json_begin_array(json);
    for (uint32_t s = 0; s < p->n_sources; s++) {
        uint32_t tasks;
        double ns = total_of(p, s, &tasks);
        json_begin_object(json);
        json_kv_string(json, "name", p->sources[s].name);
        json_kv_uint(json, "workers", p->sources[s].workers);
        json_kv_uint(json, "tasks", tasks);
        json_kv_fixed(json, "execute_s", ns * 1e-9, 9);
        json_kv_fixed(json, "idle_s", p->sources[s].work_ns[WORK_IDLE] * 1e-9, 9);
        json_kv_fixed(json, "network_s", p->sources[s].work_ns[WORK_NETWORK] * 1e-9, 9);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Merges the profiles of the files. */
int profile_merge_files(Cli *cli, Profile *merged, int n, char **files) {
    Profile *read = mem_zalloc((size_t)n, sizeof *read);
    const Profile **from = mem_array((size_t)n, sizeof *from);
    char why[600];
    int code = read != NULL && from != NULL ? EXIT_DONE : cli_no_memory(cli), opened = 0;
    for (; opened < n && code == EXIT_DONE; opened++) {
        from[opened] = &read[opened];
        if (!profile_read(&read[opened], files[opened], why, sizeof why)) {
            code = cli_error(cli, "%s", why);
        }
    }
    if (code == EXIT_DONE &&
        !profile_merge(merged, from, (const char *const *)files, (size_t)n, why, sizeof why)) {
        code = cli_error(cli, "%s", why);
    }
    for (int k = 0; k < opened; k++) {
        profile_free(&read[k]);
    }
    mem_free(read);
    mem_free(from);
    return code;
}

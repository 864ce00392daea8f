/* A profile as JSON; see docs/formats.md, and file_load.c for the way back. */
#include "base/json.h"
#include "tools/profiler/file.h"

#include <string.h>

static void write_numbers(Json *json, const char *key, const double *values, uint32_t n) {
    json_key(json, key);
    json_begin_row(json);
    for (uint32_t k = 0; k < n; k++) {
        json_fixed(json, values[k], 1);
    }
    json_end_array(json);
}

void profile_json_phases(Json *json, const Profile *p) {
    double sum = 0;
    json_key(json, "phases");
    json_begin_object(json);
    for (int k = 0; k < PHASE_COUNT; k++) {
        sum += p->phases_ns[k];
        json_kv_fixed(json, phase_name((Phase)k), p->phases_ns[k] * 1e-9, 9);
    }
    json_end_object(json);
    json_kv_fixed(json, "wall_s", p->wall_ns * 1e-9, 9);
    json_kv_fixed(json, "cpu_s", p->cpu_ns * 1e-9, 9);
    json_kv_fixed(json, "unaccounted_s", (p->wall_ns - sum) * 1e-9, 9);
}

static void write_work(Json *json, const double *work_ns) {
    json_key(json, "work_ns");
    json_begin_object(json);
    for (int k = 0; k < WORK_COUNT; k++) {
        json_kv_fixed(json, prof_work_name((ProfWork)k), work_ns[k], 1);
    }
    json_end_object(json);
}

static void write_sources(Json *json, const Profile *p) {
    if (p->n_sources == 0) {
        return;
    }
    json_key(json, "sources");
    json_begin_array(json);
    for (uint32_t k = 0; k < p->n_sources; k++) {
        const ProfSource *s = &p->sources[k];
        json_begin_object(json);
        json_kv_string(json, "name", s->name);
        json_kv_uint(json, "workers", s->workers);
        json_kv_fixed(json, "wall_s", s->wall_ns * 1e-9, 9);
        json_kv_fixed(json, "cpu_s", s->cpu_ns * 1e-9, 9);
        json_kv_fixed(json, "pass_s", s->pass_ns * 1e-9, 9);
        write_work(json, s->work_ns);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_header(Json *json, const Profile *p) {
    json_kv_string(json, "format", "batt-profile");
    json_kv_uint(json, "version", PROFILE_FORMAT);
    json_kv_string(json, "batt", p->version);
    json_kv_string(json, "command", p->command);
    json_kv_string(json, "when", p->when);
    json_kv_string(json, "processor", p->processor);
    json_kv_uint(json, "processors", p->processors);
    json_kv_string(json, "level", prof_level_name(p->level));
    json_kv_string(json, "data", p->data);
    json_kv_uint(json, "workers", p->workers);
    json_kv_uint(json, "repeats", p->repeats);
    json_kv_uint(json, "warmup", p->warmup);
    json_key(json, "runs");
    json_begin_row(json);
    for (uint32_t k = 0; k < p->n_runs; k++) {
        json_uint(json, p->run_repeats[k]);
    }
    json_end_array(json);
    profile_json_phases(json, p);
    write_numbers(json, "pass_ns", p->pass_ns, p->repeats);
    write_work(json, p->work_ns);
    const ProfModel *m = &p->model;
    if (m->known) {
        json_key(json, "model");
        json_begin_object(json);
        json_kv_fixed(json, "load_fixed_ns", m->load_fixed, 1);
        json_kv_fixed(json, "load_task_ns", m->load_task, 1);
        json_kv_fixed(json, "generate_fixed_ns", m->generate_fixed, 1);
        json_kv_fixed(json, "generate_task_ns", m->generate_task, 1);
        json_end_object(json);
    }
    json_kv_fixed(json, "measured_ns", p->measured_ns, 1);
    json_kv_fixed(json, "plain_ns", p->plain_ns, 1);
    json_kv_fixed(json, "timestamp_ns", p->timestamp_ns, 3);
    json_kv_fixed(json, "timestamp_low_ns", p->timestamp_low_ns, 3);
    json_kv_fixed(json, "timestamp_high_ns", p->timestamp_high_ns, 3);
    json_kv_uint(json, "recorded", p->recorded);
    json_kv_uint(json, "lost", p->lost);
    json_kv_uint(json, "disturbed", p->disturbed);
    write_sources(json, p);
}

static void write_row(Json *json, const Profile *p, const ProfRow *row) {
    json_begin_row(json);
    json_uint(json, row->name);
    json_uint(json, row->calls);
    json_uint(json, row->fails);
    json_fixed(json, row->total_ns, 1);
    json_fixed(json, row->failed_ns, 1);
    for (uint32_t k = 0; k < p->repeats; k++) {
        json_fixed(json, row->self_ns[k], 1);
    }
    json_end_array(json);
}

static void write_task(Json *json, const Profile *p, const ProfTask *task) {
    json_begin_object(json);
    json_kv_string(json, "id", task->id);
    if (p->n_sources > 0) {
        json_kv_uint(json, "from", task->source);
    }
    json_kv_uint(json, "evaluations", task->evaluations);
    json_kv_uint(json, "over_budget", task->over_budget);
    json_kv_string(json, "reason", task->reason);
    json_kv_bool(json, "solved", task->solved);
    json_kv_uint(json, "cells", task->cells);
    json_kv_double(json, "weight", task->weight);
    write_numbers(json, "execute_ns", task->execute_ns, p->repeats);
    write_numbers(json, "validate_ns", task->validate_ns, p->repeats);
    json_kv_fixed(json, "setup_ns", task->setup_ns, 1);
    json_key(json, "rows");
    json_begin_array(json);
    for (uint32_t k = 0; k < task->n_rows; k++) {
        write_row(json, p, &task->rows[k]);
    }
    json_end_array(json);
    json_key(json, "uncertain_ns");
    json_begin_row(json);
    for (uint32_t k = 0; k < task->n_rows; k++) {
        json_fixed(json, task->rows[k].uncertain_ns, 1);
    }
    json_end_array(json);
    json_end_object(json);
}

void profile_write_json(Out *out, const Profile *p) {
    Json json = json_on(out, 1);
    json_begin_object(&json);
    write_header(&json, p);
    json_key(&json, "names");
    json_begin_array(&json);
    for (uint32_t k = 0; k < p->n_names; k++) {
        json_begin_row(&json);
        json_text(&json, p->names[k].name);
        json_text(&json, p->names[k].family);
        json_uint(&json, p->names[k].calls);
        json_uint(&json, p->names[k].fails);
        json_end_array(&json);
    }
    json_end_array(&json);
    json_key(&json, "tasks");
    json_begin_array(&json);
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        write_task(&json, p, &p->tasks[k]);
    }
    json_end_array(&json);
    json_key(&json, "stacks");
    json_begin_array(&json);
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        const ProfStack *s = &p->stacks[k];
        json_begin_row(&json);
        json_uint(&json, s->parent);
        json_int(&json, s->task ? -1 - (int64_t)s->name : (int64_t)s->name);
        json_uint(&json, s->calls);
        json_fixed(&json, s->self_ns, 1);
        json_fixed(&json, s->total_ns, 1);
        json_end_array(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    out_char(out, '\n');
}

static bool ends(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

ProfFormat format_of(const char *path) {
    static const struct {
        const char *ending;
        ProfFormat format;
    } endings[] = {{".speedscope.json", FORMAT_SPEEDSCOPE},
                   {".trace.json", FORMAT_CHROME},
                   {".json", FORMAT_PROFILE},
                   {".csv", FORMAT_CSV},
                   {".folded", FORMAT_FOLDED},
                   {".collapsedstack.txt", FORMAT_FOLDED},
                   {".callgrind", FORMAT_CALLGRIND},
                   {".html", FORMAT_HTML},
                   {".txt", FORMAT_TEXT}};
    const char *slash = strrchr(path, '/');
    if (strncmp(slash != NULL ? slash + 1 : path, "callgrind.out", 13) == 0) {
        return FORMAT_CALLGRIND;
    }
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        if (ends(path, endings[k].ending)) {
            return endings[k].format;
        }
    }
    return FORMAT_UNKNOWN;
}

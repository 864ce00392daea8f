/* Traces in the order of time: Chrome's trace events, speedscope's evented profiles, and a table as CSV. */
#include "tools/profiler/file.h"

#include <inttypes.h>
#include <math.h>

static double time_of(const Profile *p, uint64_t ticks) {
    return ticks > p->start_ticks ? (double)(ticks - p->start_ticks) * p->ns_per_tick : 0;
}

static bool event_next(EventWalk *w, EventStep *step) {
    if (w->next >= w->list->count) {
        return false;
    }
    ProfEvent e = prof_event_read(w->list->words, w->list->base, &w->next);
    uint64_t begin = e.kind == EVENT_OPEN && e.ticks != 0 ? e.ticks : w->last;
    uint64_t end = e.kind == EVENT_OPEN ? begin : e.ticks;
    begin = begin < w->last ? w->last : begin; /* counters of two processors may differ by a little */
    end = end < begin ? begin : end;
    *step = (EventStep){.key = e.key,
                        .open = e.kind != EVENT_CLOSE,
                        .close = e.kind != EVENT_OPEN,
                        .begin_ns = time_of(w->profile, begin),
                        .end_ns = time_of(w->profile, end),
                        .failed = e.failed};
    w->last = end;
    return true;
}

static const char *event_name(const Profile *p, uint32_t key) {
    if (key < PROF_ITEM) {
        uint32_t name = key < PROF_SCOPE ? key : PRIM_COUNT + (key - PROF_SCOPE);
        return name < p->n_names ? p->names[name].name : "?";
    }
    return key - PROF_ITEM < p->n_tasks ? p->tasks[key - PROF_ITEM].id : "?";
}

/* ---- Chrome ---- */

static void write_metadata(Json *json, const char *what, uint32_t worker, const char *name) {
    json_begin_object(json);
    json_kv_string(json, "name", what);
    json_kv_string(json, "ph", "M");
    json_kv_int(json, "pid", 1);
    json_kv_uint(json, "tid", worker);
    json_key(json, "args");
    json_begin_object(json);
    json_kv_string(json, "name", name);
    json_end_object(json);
    json_end_object(json);
}

static void write_step(Json *json, const Profile *p, const EventStep *step, uint32_t worker) {
    bool whole = step->open && step->close;
    /* rounded before subtracting, so that events do not overlap */
    double begin = round(step->begin_ns), end = round(step->end_ns);
    json_begin_object(json);
    json_kv_string(json, "name", event_name(p, step->key));
    json_kv_string(json, "cat", step->key < PRIM_COUNT ? "prim" : step->key < PROF_ITEM ? "engine" : "task");
    json_kv_string(json, "ph", whole ? "X" : step->open ? "B" : "E");
    json_kv_fixed(json, "ts", (whole || step->open ? begin : end) * 1e-3, 3);
    if (whole) {
        json_kv_fixed(json, "dur", (end - begin) * 1e-3, 3);
    }
    json_kv_int(json, "pid", 1);
    json_kv_uint(json, "tid", worker);
    if (step->failed) {
        json_key(json, "args");
        json_begin_object(json);
        json_kv_bool(json, "failed", true);
        json_end_object(json);
    }
    json_end_object(json);
}

void export_chrome(Out *out, const Profile *p) {
    Json json = json_on(out, 0);
    json_begin_object(&json);
    json_key(&json, "otherData");
    json_begin_object(&json);
    json_kv_string(&json, "creator", OUT_MARK);
    json_end_object(&json);
    json_key(&json, "traceEvents");
    json_begin_array(&json);
    write_metadata(&json, "process_name", 0, p->command);
    for (uint32_t w = 0; w < p->workers; w++) {
        char name[32];
        snprintf(name, sizeof name, "worker %u", w);
        write_metadata(&json, "thread_name", w, name);
        EventWalk walk = {.profile = p, .list = &p->events[w]};
        for (EventStep step; event_next(&walk, &step);) {
            out_char(out, '\n');
            write_step(&json, p, &step, w);
        }
    }
    json_end_array(&json);
    json_kv_string(&json, "displayTimeUnit", "ns");
    json_end_object(&json);
    out_char(out, '\n');
}

/* ---- speedscope ---- */

static void write_edge(Json *json, const char *type, uint32_t frame, double at) {
    json_begin_object(json);
    json_kv_string(json, "type", type);
    json_kv_uint(json, "frame", frame);
    json_kv_fixed(json, "at", at, 1);
    json_end_object(json);
}

void export_events_speedscope(Json *json, const Profile *p, uint32_t worker) {
    char name[32];
    double end = 0;
    snprintf(name, sizeof name, "worker %u", worker);
    json_begin_object(json);
    json_kv_string(json, "type", "evented");
    json_kv_string(json, "name", name);
    json_kv_string(json, "unit", "nanoseconds");
    json_kv_int(json, "startValue", 0);
    json_key(json, "events");
    json_begin_array(json);
    EventWalk walk = {.profile = p, .list = &p->events[worker]};
    for (EventStep step; event_next(&walk, &step);) {
        uint32_t key = step.key, frame = 1 + (key < PROF_SCOPE  ? key
                                              : key < PROF_ITEM ? PRIM_COUNT + (key - PROF_SCOPE)
                                                                : p->n_names + (key - PROF_ITEM));
        if (step.open) {
            write_edge(json, "O", frame, step.begin_ns);
        }
        if (step.close) {
            write_edge(json, "C", frame, step.end_ns);
        }
        end = fmax(end, step.end_ns);
    }
    json_end_array(json);
    json_kv_fixed(json, "endValue", end, 1);
    json_end_object(json);
}

/* ---- CSV ---- */

void export_csv(Out *out, const Profile *p, const ProfSum *sum) {
    out_str(out, "name,family,calls,fails,self_ns,total_ns,per_call_ns,share,tasks,median_ns,p90_ns,p99_ns,"
                 "max_ns,spread");
    for (uint32_t s = 0; s < p->n_sources; s++) { /* self time per source */
        out_fmt(out, ",\"self_ns of %s\"", p->sources[s].name);
    }
    out_char(out, '\n');
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        const ProfSumRow *r = &sum->rows[k];
        out_fmt(out, "%s,\"%s\",%" PRIu64 ",%" PRIu64 ",%.1f,%.1f,%.2f,%.6f,%u,%.1f,%.1f,%.1f,%.1f,",
                p->names[r->name].name, p->names[r->name].family, r->calls, r->fails, r->self_ns, r->total_ns,
                r->total_ns / (double)r->calls, sum->execute_ns > 0 ? r->self_ns / sum->execute_ns : 0,
                r->tasks, r->median_ns, r->p90_ns, r->p99_ns, r->max_ns);
        if (isfinite(r->spread)) {
            out_fmt(out, "%.4f", r->spread);
        }
        for (uint32_t s = 0; s < p->n_sources; s++) {
            out_fmt(out, ",%.1f", profile_source_ns(p, s, r->name));
        }
        out_char(out, '\n');
    }
    out_fmt(out, "(dispatch),engine,,,%.1f,%.1f,,%.6f,%u,,,,,", sum->dispatch_ns, sum->dispatch_ns,
            sum->execute_ns > 0 ? sum->dispatch_ns / sum->execute_ns : 0, sum->tasks);
    out_repeat(out, ",", p->n_sources);
    out_char(out, '\n');
}

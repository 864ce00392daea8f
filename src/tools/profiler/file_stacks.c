/* Stacks for flame graphs and call graphs: folded, speedscope, callgrind. See file.h for what opens them. */
#include "base/alloc.h"
#include "base/json.h"
#include "tools/profiler/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 4096 };

ProfStack *profile_flatten(const Profile *p, ProfFilter filter, uint32_t *count) {
    Profile made = {0}; /* only for its tree */
    uint32_t *to = mem_zalloc((size_t)p->n_stacks + 1, sizeof *to);
    double *weight = mem_zalloc((size_t)p->n_stacks + 1, sizeof *weight);
    bool good = to != NULL && weight != NULL;
    for (uint32_t k = 1; good && k < p->n_stacks; k++) {
        const ProfStack *from = &p->stacks[k];
        if (from->task) {
            const ProfTask *task = &p->tasks[from->name];
            weight[k] = filter == FILTER_ALL || task->outlier == (filter == FILTER_ONLY) ? task->weight : 0;
            continue;
        }
        weight[k] = weight[from->parent];
        if (weight[k] > 0) {
            to[k] = profile_stack(&made, to[from->parent], from->name, false);
            good = to[k] != 0;
        }
        if (good && weight[k] > 0) {
            ProfStack *s = &made.stacks[to[k]];
            s->calls += (uint64_t)llround(weight[k] * (double)from->calls);
            s->self_ns += weight[k] * from->self_ns;
            s->total_ns += weight[k] * from->total_ns;
        }
    }
    *count = made.n_stacks > 0 ? made.n_stacks : 1;
    ProfStack *flat = good ? mem_zalloc(*count, sizeof *flat) : NULL;
    if (flat != NULL && made.n_stacks > 0) {
        memcpy(flat, made.stacks, made.n_stacks * sizeof *flat);
    }
    double execute = 0, inside = 0; /* for the root: dispatch is the rest of the time */
    for (uint32_t k = 0; flat != NULL && k < p->n_tasks; k++) {
        bool in = filter == FILTER_ALL || p->tasks[k].outlier == (filter == FILTER_ONLY);
        execute += in ? task_execute_ns(p, &p->tasks[k]) : 0;
    }
    for (uint32_t k = 1; flat != NULL && k < *count; k++) {
        inside += flat[k].self_ns;
    }
    if (flat != NULL) {
        flat[0].total_ns = fmax(execute, inside);
        flat[0].self_ns = flat[0].total_ns - inside;
    }
    mem_free(to);
    mem_free(weight);
    profile_free(&made);
    return flat;
}

/* The chain of nodes from below the root to k; returns its length. */
static uint32_t chain_of(const ProfStack *stacks, uint32_t k, uint32_t *chain) {
    uint32_t n = 0;
    for (uint32_t at = k; at != 0 && n < DEEPEST; at = stacks[at].parent) {
        chain[n++] = at;
    }
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t other = chain[i];
        chain[i] = chain[n - 1 - i];
        chain[n - 1 - i] = other;
    }
    return n;
}

void export_folded(Out *out, const Profile *p, const ProfStack *stacks, uint32_t n) {
    uint32_t chain[DEEPEST];
    for (uint32_t k = 0; k < n; k++) {
        long long ns = llround(stacks[k].self_ns);
        if (ns <= 0) {
            continue;
        }
        uint32_t length = chain_of(stacks, k, chain);
        out_str(out, "batt");
        for (uint32_t i = 0; i < length; i++) {
            out_fmt(out, ";%s", p->names[stacks[chain[i]].name].name);
        }
        out_fmt(out, " %lld\n", ns);
    }
}

/* ---- speedscope ---- */

static void write_sampled(Json *json, const ProfStack *stacks, uint32_t n) {
    uint32_t chain[DEEPEST];
    double sum = 0;
    json_begin_object(json);
    json_kv_string(json, "type", "sampled");
    json_kv_string(json, "name", "calls of all tasks");
    json_kv_string(json, "unit", "nanoseconds");
    json_kv_int(json, "startValue", 0);
    for (uint32_t k = 0; k < n; k++) {
        sum += round(stacks[k].self_ns);
    }
    json_kv_fixed(json, "endValue", sum, 0);
    json_key(json, "samples");
    json_begin_array(json);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t length = chain_of(stacks, k, chain);
        json_begin_row(json);
        json_uint(json, 0);
        for (uint32_t i = 0; i < length; i++) {
            json_uint(json, 1 + stacks[chain[i]].name);
        }
        json_end_array(json);
    }
    json_end_array(json);
    json_key(json, "weights");
    json_begin_row(json);
    for (uint32_t k = 0; k < n; k++) {
        json_fixed(json, round(stacks[k].self_ns), 0);
    }
    json_end_array(json);
    json_end_object(json);
}

void export_speedscope(Out *out, const Profile *p, const ProfStack *stacks, uint32_t n) {
    Json json = json_on(out, 0);
    json_begin_object(&json);
    json_kv_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_kv_string(&json, "name", p->command);
    json_kv_string(&json, "exporter", "batt@" BATT_VERSION_TEXT);
    json_kv_int(&json, "activeProfileIndex", 0);
    json_key(&json, "shared");
    json_begin_object(&json);
    json_key(&json, "frames");
    json_begin_array(&json);
    for (uint32_t k = 0; k <= p->n_names + p->n_tasks; k++) {
        json_begin_object(&json);
        json_kv_string(&json, "name",
                       k == 0            ? "batt"
                       : k <= p->n_names ? p->names[k - 1].name
                                         : p->tasks[k - 1 - p->n_names].id);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    json_key(&json, "profiles");
    json_begin_array(&json);
    write_sampled(&json, stacks, n);
    for (uint32_t w = 0; p->events != NULL && w < p->workers; w++) {
        export_events_speedscope(&json, p, w);
    }
    json_end_array(&json);
    json_end_object(&json);
    out_char(out, '\n');
}

/* ---- callgrind ---- */

typedef struct StackEdge {
    uint32_t from, to; /* 0: the root; else 1 + name */
    uint64_t calls, below;
    double total_ns;
} StackEdge;

static int by_ends(const void *left, const void *right) {
    const StackEdge *a = left, *b = right;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

static uint32_t function_of(const ProfStack *stacks, uint32_t k) {
    return k == 0 ? 0 : 1 + stacks[k].name;
}

static void write_function(Out *out, const Profile *p, uint32_t function, const StackEdge *edges, uint32_t n,
                           double self_ns, uint64_t calls) {
    const char *name = function == 0 ? "batt" : p->names[function - 1].name;
    out_fmt(out, "fn=(%u) %s\n1 %lld %" PRIu64 "\n", function + 1, name, llround(self_ns), calls);
    for (uint32_t k = 0; k < n; k++) {
        const StackEdge *e = &edges[k];
        out_fmt(out, "cfn=(%u) %s\ncalls=%" PRIu64 " 1\n1 %lld %" PRIu64 "\n", e->to + 1,
                p->names[e->to - 1].name, e->calls, llround(e->total_ns), e->below);
    }
    out_char(out, '\n');
}

void export_callgrind(Out *out, const Profile *p, const ProfStack *stacks, uint32_t n) {
    StackEdge *edges = mem_zalloc(n, sizeof *edges);
    double *self = mem_zalloc((size_t)p->n_names + 1, sizeof *self), total_ns = 0;
    uint64_t *calls = mem_zalloc((size_t)p->n_names + 1, sizeof *calls), total_calls = 0;
    uint64_t *below = mem_zalloc(n, sizeof *below);
    uint32_t count = 0;
    if (edges == NULL || self == NULL || calls == NULL || below == NULL) {
        out->failed = true;
        goto done;
    }
    for (uint32_t k = n; k-- > 0;) {
        below[k] += stacks[k].calls;
        self[function_of(stacks, k)] += stacks[k].self_ns;
        calls[function_of(stacks, k)] += stacks[k].calls;
        total_calls += stacks[k].calls;
        if (k > 0) {
            below[stacks[k].parent] += below[k];
            edges[count++] = (StackEdge){function_of(stacks, stacks[k].parent), function_of(stacks, k),
                                         stacks[k].calls, below[k], stacks[k].total_ns};
        }
    }
    qsort(edges, count, sizeof *edges, by_ends);
    uint32_t merged = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (merged > 0 && by_ends(&edges[merged - 1], &edges[k]) == 0) {
            edges[merged - 1].calls += edges[k].calls;
            edges[merged - 1].below += edges[k].below;
            edges[merged - 1].total_ns += edges[k].total_ns;
        } else {
            edges[merged++] = edges[k];
        }
    }
    for (uint32_t k = 0; k <= p->n_names; k++) {
        total_ns += (double)llround(self[k]);
    }
    out_fmt(out,
            "# callgrind format\nversion: 1\ncreator: batt %s\ncmd: %s\npositions: line\nevents: ns calls\n",
            BATT_VERSION_TEXT, p->command);
    out_fmt(out, "summary: %.0f %" PRIu64 "\n\nfl=(1) dsl\n", total_ns, total_calls);
    for (uint32_t f = 0, at = 0; f <= p->n_names; f++) {
        uint32_t first = at;
        while (at < merged && edges[at].from == f) {
            at++;
        }
        if (calls[f] > 0 || f == 0) {
            write_function(out, p, f, edges + first, at - first, self[f], calls[f]);
        }
    }
done:
    mem_free(edges);
    mem_free(self);
    mem_free(calls);
    mem_free(below);
}

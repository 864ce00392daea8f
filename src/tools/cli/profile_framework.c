/* batt profile framework: divides the time of a whole pass by purpose, the engine's own work included. */
#include "base/alloc.h"
#include "tools/cli/cmd_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Category {
    CAT_DEVICE,
    CAT_DEDUPE,
    CAT_TUPLES,
    CAT_SETS,
    CAT_CANDIDATES,
    CAT_RESULTS,
    CAT_ERRORS,
    CAT_PRIMITIVES,
    CAT_ENGINE,
    CAT_COUNT
} Category;

static const char *const category_names[CAT_COUNT] = {
    "device batches",    "deduplication",  "tuple operations", "set operations",   "candidate management",
    "result collection", "error handling", "primitives",       "other engine work"};

typedef struct Part {
    Category category;
    const char *name;
    double ns[2]; /* of the sum shown, and of the one beside it */
    uint64_t calls;
} Part;

static int by_category(const void *left, const void *right) {
    const Part *a = left, *b = right;
    if (a->category != b->category) {
        return a->category < b->category ? -1 : 1;
    }
    return a->ns[0] != b->ns[0] ? (a->ns[0] < b->ns[0] ? 1 : -1) : strcmp(a->name, b->name);
}

/* Scopes say where they belong; primitives on containers are classified by their signature. */
static Category category_of(const char *name) {
    static const char *const words[CAT_COUNT] = {[CAT_DEVICE] = "DEVICE",
                                                 [CAT_DEDUPE] = "DEDUPE",
                                                 [CAT_CANDIDATES] = "CANDIDATES",
                                                 [CAT_RESULTS] = "RESULTS"};
    int id = prim_find(name, strlen(name));
    for (int k = 0; id < 0 && k < SCOPE_COUNT; k++) {
        for (int c = 0; strcmp(scope_table[k].name, name) == 0 && c < CAT_COUNT; c++) {
            if (words[c] != NULL && strcmp(scope_table[k].category, words[c]) == 0) {
                return (Category)c;
            }
        }
        if (strcmp(scope_table[k].name, name) == 0) {
            return CAT_ENGINE;
        }
    }
    if (strncmp(name, "dedupe", 6) == 0) {
        return CAT_DEDUPE;
    }
    if (id < 0 || prim_table[id].family != FAMILY_CONTAINERS) {
        return CAT_PRIMITIVES;
    }
    const char *signature = prim_table[id].signature;
    return strstr(signature, "set") != NULL     ? CAT_SETS
           : strstr(signature, "tuple") != NULL ? CAT_TUPLES
           : strstr(signature, "C(") != NULL    ? CAT_SETS
                                                : CAT_TUPLES;
}

const char *profile_category(const char *name) {
    return category_names[category_of(name)];
}

const char *profile_engine_category(void) {
    return category_names[CAT_ENGINE];
}

/* Time in failed calls is subtracted from the primitives and shown separately. */
static void add_primitives(const Profile *p, const ProfSum *sum, int column, Part *parts, uint32_t n_names) {
    for (uint32_t k = 0; sum != NULL && k < sum->n_rows; k++) {
        const ProfSumRow *r = &sum->rows[k];
        double failed = r->total_ns > 0 ? r->self_ns * r->failed_ns / r->total_ns : 0;
        parts[r->name].category = category_of(p->names[r->name].name);
        parts[r->name].name = p->names[r->name].name;
        parts[r->name].ns[column] = r->self_ns - failed;
        parts[r->name].calls = column == 0 ? r->calls - r->fails : parts[r->name].calls;
        parts[n_names + r->name].category = CAT_ERRORS;
        parts[n_names + r->name].name = p->names[r->name].name;
        parts[n_names + r->name].ns[column] = failed;
        parts[n_names + r->name].calls = column == 0 ? r->fails : parts[n_names + r->name].calls;
    }
}

static uint32_t make_parts(const ProfileView *v, Part *parts) {
    const Profile *p = &v->profile;
    static const struct {
        ProfWork work;
        Category category;
        const char *name;
    } works[] = {{WORK_MATCH, CAT_CANDIDATES, "matching programs to tasks"},
                 {WORK_STRIP, CAT_CANDIDATES, "removing unused calls"},
                 {WORK_MERGE, CAT_DEDUPE, "merging equal calls"},
                 {WORK_SCHEDULING, CAT_ENGINE, "handing out tasks"},
                 {WORK_IDLE, CAT_ENGINE, "idle workers"},
                 {WORK_BREAKS, CAT_ENGINE, "interruptions by the system"},
                 {WORK_NETWORK, CAT_ENGINE, "waiting for other ranks"},
                 {WORK_DEVICE_WAIT, CAT_DEVICE, "battery by levels: the host's part"},
                 {WORK_BUILD, CAT_DEVICE, "compiling kernels"},
                 {WORK_DEVICE_TRANSFER, CAT_DEVICE, "transfers to and from the device"},
                 {WORK_DEVICE_KERNEL, CAT_DEVICE, "kernels running"}};
    const ProfSum *sums[] = {profile_main(v), profile_secondary(v)};
    uint32_t n = 2 * p->n_names;
    for (int x = 0; x < 2; x++) {
        add_primitives(p, sums[x], x, parts, p->n_names);
    }
    for (size_t k = 0; k < sizeof works / sizeof *works; k++) {
        double ns = p->work_ns[works[k].work];
        parts[n++] = (Part){works[k].category, works[k].name, {ns, ns}, 0};
    }
    const ProfSum *a = sums[0], *b = sums[1] != NULL ? sums[1] : sums[0];
    parts[n++] = (Part){CAT_RESULTS, "judging answers", {a->validate_ns, b->validate_ns}, a->evaluations};
    parts[n++] =
        (Part){CAT_ENGINE, "dispatch between primitives", {a->dispatch_ns, b->dispatch_ns}, a->calls};
    parts[n++] = (Part){CAT_ENGINE, "making samples ready", {a->setup_ns, b->setup_ns}, a->evaluations};
    uint32_t used = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (parts[k].name != NULL) { /* the name was called */
            parts[used++] = parts[k];
        }
    }
    qsort(parts, used, sizeof *parts, by_category);
    return used;
}

/* How many rows of a category are shown: the largest, or all that --search finds. */
static uint32_t rows_shown(const ProfileView *v) {
    return v->opt->search != NULL ? UINT32_MAX : 5;
}

static bool is_wanted(const ProfileView *v, const Part *part) {
    const char *word = v->opt->search;
    return word == NULL || strstr(part->name, word) != NULL ||
           strstr(category_names[part->category], word) != NULL;
}

/* Whether anything of a category is shown. */
static bool category_is_wanted(const ProfileView *v, const Part *parts, uint32_t n, int category) {
    bool wanted = v->opt->search == NULL;
    for (uint32_t k = 0; k < n && !wanted; k++) {
        wanted = parts[k].category == (Category)category && parts[k].ns[0] > 0 && is_wanted(v, &parts[k]);
    }
    return wanted;
}

static void json_parts(ProfileView *v, const Part *parts, uint32_t n, const double total[2]) {
    Json json = json_on(&v->out, 1);
    json_begin_report(&json, "batt.profile.framework/1");
    profile_json_common(&json, v, "framework");
    json_kv_fixed(&json, "total_s", total[0] * 1e-9, 9);
    json_key(&json, "categories");
    json_begin_array(&json);
    for (int c = 0; c < CAT_COUNT; c++) {
        double sum = 0;
        if (!category_is_wanted(v, parts, n, c)) {
            continue;
        }
        json_begin_object(&json);
        json_kv_string(&json, "name", category_names[c]);
        json_key(&json, "largest");
        json_begin_array(&json);
        uint32_t shown = 0;
        for (uint32_t k = 0; k < n; k++) {
            if (parts[k].category != (Category)c || parts[k].ns[0] <= 0) {
                continue;
            }
            sum += parts[k].ns[0];
            if (is_wanted(v, &parts[k]) && shown++ < rows_shown(v)) {
                json_begin_object(&json);
                json_kv_string(&json, "name", parts[k].name);
                json_kv_fixed(&json, "us", parts[k].ns[0] * 1e-3, 3);
                json_kv_uint(&json, "calls", parts[k].calls);
                json_kv_fixed(&json, "per_call_us",
                              parts[k].calls > 0 ? parts[k].ns[0] / (double)parts[k].calls * 1e-3 : NAN, 6);
                json_end_object(&json);
            }
        }
        json_end_array(&json);
        json_kv_fixed(&json, "us", sum * 1e-3, 3);
        json_kv_fixed(&json, "share", total[0] > 0 ? sum / total[0] : 0, 6);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    out_char(&v->out, '\n');
}

/* Number of calls and time per call; empty for work that has no calls. */
static void cells_calls(Table *t, double ns, uint64_t calls) {
    char text[32];
    if (calls == 0) {
        table_cell(t, "");
        table_cell(t, "");
        return;
    }
    table_fmt(t, "%llu", (unsigned long long)calls);
    table_cell(t, format_time_in(text, ns / (double)calls));
}

static void write_parts(ProfileView *v, const Part *parts, uint32_t n, const double total[2]) {
    const TermStyle *style = &v->cli->style;
    bool secondary = profile_secondary(v) != NULL;
    Table t;
    char text[32];
    table_begin(&t, "category", ">time", ">share", ">calls", ">per call");
    if (secondary) {
        table_columns(&t, ">without outliers", ">share");
    }
    for (int c = 0; c < CAT_COUNT; c++) {
        double sum[2] = {0, 0};
        if (!category_is_wanted(v, parts, n, c)) {
            continue;
        }
        for (uint32_t k = 0; k < n; k++) {
            for (int x = 0; x < 2 && parts[k].category == (Category)c; x++) {
                sum[x] += parts[k].ns[x];
            }
        }
        table_colored(&t, term_attr(style, ATTR_BOLD), category_names[c]);
        for (int x = 0; x < 1 + secondary; x++) {
            if (c == CAT_DEVICE && sum[x] == 0) {
                table_cell(&t, "none used");
                table_cell(&t, "");
            } else {
                table_cell(&t, format_time_in(text, sum[x]));
                table_fmt(&t, "%.1f %%", total[x] > 0 ? 100 * sum[x] / total[x] : 0);
            }
            if (x == 0) {
                cells_calls(&t, 0, 0);
            }
        }
        uint32_t shown = 0;
        for (uint32_t k = 0; k < n && shown < rows_shown(v); k++) {
            if (parts[k].category != (Category)c || parts[k].ns[0] <= 0 || !is_wanted(v, &parts[k])) {
                continue;
            }
            shown++;
            table_fmt(&t, "  %s", parts[k].name);
            for (int x = 0; x < 1 + secondary; x++) {
                table_cell(&t, format_time_in(text, parts[k].ns[x]));
                table_fmt(&t, "%.1f %%", total[x] > 0 ? 100 * parts[k].ns[x] / total[x] : 0);
                if (x == 0) {
                    cells_calls(&t, parts[k].ns[0], parts[k].calls);
                }
            }
        }
    }
    table_end(&t, &v->out, style);
    out_fmt(&v->out, "all of it   %s: the time of %u worker%s in one pass, and what came before it\n",
            format_time_in(text, total[0]), v->profile.workers, v->profile.workers == 1 ? "" : "s");
}

int profile_view_framework(ProfileView *v) {
    enum { OTHERS = 24 };
    Part *parts = mem_zalloc(2 * (size_t)v->profile.n_names + OTHERS, sizeof *parts);
    if (parts == NULL) {
        return cli_error(v->cli, MEM_NONE);
    }
    uint32_t n = make_parts(v, parts);
    double total[2] = {0, 0};
    for (uint32_t k = 0; k < n; k++) {
        total[0] += parts[k].ns[0];
        total[1] += parts[k].ns[1];
    }
    bool found = false;
    for (int c = 0; c < CAT_COUNT; c++) {
        found |= category_is_wanted(v, parts, n, c);
    }
    if (!found) {
        mem_free(parts);
        cli_error(v->cli, "--search: no row of this profile contains `%s` in its name or category",
                  v->opt->search);
        return EXIT_SHORT;
    }
    if (v->opt->json) {
        json_parts(v, parts, n, total);
    } else {
        write_parts(v, parts, n, total);
        profile_write_common(v);
    }
    mem_free(parts);
    return profile_flush(v);
}

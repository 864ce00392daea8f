/* Profiles commands while they do their work; see profile_option.h. */
#include "tools/cli/profile_option.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "tools/cli/cmd_profile.h"
#include "tools/profiler/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 1 << 18, EVENTS = 4 << 20 };

static ProfLevel level_of(const ProfileChoice *choice) {
    return choice->level < 0 ? PROF_COUNTERS : (ProfLevel)choice->level;
}

static bool attach(ProfileRecorder *recorder, Pool *pool) {
    Cli *cli = recorder->cli;
    const ProfileChoice *choice = recorder->choice;
    ProfLevel level = level_of(choice);
    for (size_t k = 0; k < choice->out.count; k++) {
        ProfFormat format = format_of(choice->out.items[k]);
        if (format == FORMAT_UNKNOWN || format == FORMAT_TEXT) { /* the command prints its own text */
            cli_error(cli,
                      "--profile-out %s: the file name selects no format; known endings: " FORMAT_ENDINGS,
                      choice->out.items[k]);
            return false;
        }
        if (level < (format == FORMAT_CHROME ? PROF_TRACE : PROF_TIMING)) {
            cli_error(cli, "--profile-out %s needs --profile %s", choice->out.items[k],
                      format == FORMAT_CHROME ? "trace" : "timing or trace");
            return false;
        }
    }
    if (!prof_attach(&recorder->profiler, pool, level, NODES, EVENTS)) {
        cli_no_memory(cli);
        return false;
    }
    recorder->profiler.everything = level == PROF_TRACE;
    recorder->attached = true;
    return true;
}

bool profile_attach(ProfileRecorder *recorder, Cli *cli, const ProfileChoice *choice, Pool *pool) {
    *recorder = (ProfileRecorder){.cli = cli, .choice = choice};
    return attach(recorder, pool);
}

void profile_detach(ProfileRecorder *recorder) {
    if (recorder->attached) {
        prof_detach(&recorder->profiler);
        recorder->attached = false;
    }
    for (size_t k = 0; k < recorder->n_ids; k++) {
        mem_free(recorder->ids[k]);
    }
    mem_free(recorder->ids);
    recorder->ids = NULL;
    recorder->n_ids = 0;
}

/* ---- alone ---- */

bool profile_attach_alone(ProfileRecorder *recorder, Cli *cli, const ProfileChoice *choice, Ctx *ctx,
                          Phase rest) {
    *recorder = (ProfileRecorder){.cli = cli, .choice = choice, .rest = rest};
    recorder->pool = (Pool){.count = 1, .workers = &recorder->worker};
    if (!attach(recorder, &recorder->pool)) {
        return false;
    }
    recorder->profiler.everything = true; /* there are only a few evaluations */
    memset(ctx->calls, 0, PRIM_COUNT * sizeof *ctx->calls);
    memset(ctx->fails, 0, PRIM_COUNT * sizeof *ctx->fails);
    prof_add_ctx(&recorder->profiler, 0, ctx);
    phase_start(&recorder->phases, rest);
    return true;
}

void profile_item(ProfileRecorder *recorder, const char *id) {
    char **ids = recorder->attached ? mem_grow(recorder->ids, recorder->n_ids + 1, sizeof *ids) : NULL;
    if (ids == NULL) {
        return;
    }
    recorder->ids = ids;
    ids[recorder->n_ids] = mem_strndup(id, strlen(id));
    if (ids[recorder->n_ids] == NULL) {
        return;
    }
    recorder->n_ids++;
    phase_enter(&recorder->phases, PHASE_EXECUTE);
    recorder->began_ns = clock_now_ns();
    if (recorder->pool.observer != NULL) {
        recorder->pool.observer->start(&recorder->profiler, recorder->n_ids);
        recorder->pool.observer->begin(&recorder->profiler, &recorder->worker, recorder->n_ids - 1);
    }
}

void profile_item_end(ProfileRecorder *recorder) {
    if (recorder->attached && recorder->n_ids > 0 && recorder->began_ns != 0) {
        if (recorder->pool.observer != NULL) {
            recorder->pool.observer->end(&recorder->profiler, &recorder->worker, recorder->n_ids - 1);
        }
        recorder->worker.busy_ns += clock_now_ns() - recorder->began_ns;
        recorder->began_ns = 0;
        phase_enter(&recorder->phases, recorder->rest);
    }
}

/* ---- telling ---- */

/* Time outside primitives: what each scope took in all, by the workers' exact clocks, and without the calls
 * in it. */
static void json_engine(Json *json, const Profiler *profiler, const Profile *p, const ProfSum *sum) {
    double rate = prof_ns_per_tick(profiler);
    bool any = false;
    for (int s = SCOPE_NONE + 1; s < SCOPE_COUNT; s++) {
        uint64_t calls, ticks = prof_scope_ticks(profiler, (Scope)s, &calls);
        const ProfSumRow *row = NULL;
        for (uint32_t k = 0; k < sum->n_rows; k++) {
            row = sum->rows[k].name == PRIM_COUNT + (uint32_t)s ? &sum->rows[k] : row;
        }
        if (calls == 0 && (row == NULL || row->self_ns <= 0)) {
            continue;
        }
        if (!any) {
            json_key(json, "engine");
            json_begin_object(json);
            any = true;
        }
        json_key(json, scope_table[s].name);
        json_begin_object(json);
        json_kv_uint(json, "calls", calls > 0 ? calls : row->calls);
        if (calls > 0) {
            json_kv_fixed(json, "total_s", (double)ticks * rate * 1e-9, 9);
        }
        if (p->level >= PROF_TIMING && row != NULL) {
            json_kv_fixed(json, "self_s", row->self_ns * 1e-9, 9);
        }
        json_end_object(json);
    }
    if (any) {
        json_end_object(json);
    }
}

static void write_json(Json *json, const Profiler *profiler, const Profile *p, const ProfSum *sum,
                       uint32_t measured) {
    json_key(json, "profile");
    json_begin_object(json);
    json_kv_string(json, "level", prof_level_name(p->level));
    json_kv_fixed(json, "idle_s", p->work_ns[WORK_IDLE] * 1e-9, 9);
    if (p->level >= PROF_TIMING) {
        json_kv_uint(json, "items", p->n_tasks);
        json_kv_uint(json, "items_measured", measured);
        json_kv_fixed(json, "items_s", sum->execute_ns * 1e-9, 9);
        json_kv_fixed(json, "primitives_s", sum->primitives_ns * 1e-9, 9);
        json_kv_fixed(json, "engine_s", (sum->engine_ns + sum->dispatch_ns) * 1e-9, 9);
        json_kv_fixed(json, "scheduling_s", p->work_ns[WORK_SCHEDULING] * 1e-9, 9);
        json_kv_fixed(json, "unaccounted_s", profile_unaccounted(p, sum) * 1e-9, 9);
        json_kv_uint(json, "lost", p->lost);
    }
    json_engine(json, profiler, p, sum);
    json_key(json, "prims");
    json_begin_object(json);
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        const ProfSumRow *r = &sum->rows[k];
        if (p->names[r->name].engine) {
            continue;
        }
        json_key(json, p->names[r->name].name);
        json_begin_object(json);
        json_kv_uint(json, "calls", r->calls);
        json_kv_uint(json, "fails", r->fails);
        if (p->level >= PROF_TIMING) {
            json_kv_fixed(json, "self_us", r->self_ns * 1e-3, 3);
            json_kv_fixed(json, "total_us", r->total_ns * 1e-3, 3);
        }
        json_end_object(json);
    }
    json_end_object(json);
    json_end_object(json);
}

typedef struct EngineRow {
    Scope scope;
    uint64_t calls;
    double ns;
} EngineRow;

static int by_ns(const void *left, const void *right) {
    const EngineRow *a = left, *b = right;
    return a->ns != b->ns ? (a->ns < b->ns ? 1 : -1) : (int)a->scope - (int)b->scope;
}

static void write_engine(Out *out, const TermStyle *style, const Profiler *profiler) {
    EngineRow rows[SCOPE_COUNT];
    double rate = prof_ns_per_tick(profiler), sum = 0;
    size_t n = 0;
    char text[32];
    for (int s = SCOPE_NONE + 1; s < SCOPE_COUNT; s++) {
        rows[n].scope = (Scope)s;
        rows[n].ns = (double)prof_scope_ticks(profiler, (Scope)s, &rows[n].calls) * rate;
        sum += rows[n].ns;
        n += rows[n].calls > 0;
    }
    if (n == 0) {
        return;
    }
    qsort(rows, n, sizeof *rows, by_ns);
    Table t;
    table_begin(&t, "engine", ">times", ">with calls", ">share", "");
    for (size_t k = 0; k < n; k++) {
        table_cell(&t, scope_table[rows[k].scope].name);
        table_fmt(&t, "%" PRIu64, rows[k].calls);
        table_cell(&t, format_time_in(text, rows[k].ns));
        table_fmt(&t, "%.1f %%", sum > 0 ? 100 * rows[k].ns / sum : 0);
        table_cell(&t, scope_table[rows[k].scope].text);
    }
    table_write(&t, out, style->width, style->color != TERM_MONO);
    out_char(out, '\n');
    table_free(&t);
}

static void write_table(ProfileRecorder *recorder, Out *out, const Profile *p, const ProfSum *sum,
                        uint32_t measured) {
    enum { SHOWN = 15 };
    const TermStyle *style = &recorder->cli->style;
    const char *bad = term_attr(style, ATTR_BAD), *reset = term_attr(style, ATTR_RESET);
    bool timed = p->level >= PROF_TIMING;
    uint32_t primitives = 0;
    char text[32];
    Table t;
    table_begin(&t, timed ? "where" : "primitive", ">calls", ">failed");
    if (timed) {
        table_columns(&t, ">total", ">self", ">share");
    }
    for (uint32_t k = 0, shown = 0; k < sum->n_rows; k++) {
        const ProfSumRow *r = &sum->rows[k];
        primitives += !p->names[r->name].engine;
        if (shown == SHOWN || (p->names[r->name].engine && !timed)) {
            continue;
        }
        shown++;
        table_colored(&t, p->names[r->name].engine ? term_attr(style, ATTR_DIM) : NULL,
                      p->names[r->name].name);
        table_fmt(&t, "%" PRIu64, r->calls);
        table_fmt(&t, "%" PRIu64, r->fails);
        if (timed) {
            table_cell(&t, format_time_in(text, r->total_ns));
            table_cell(&t, format_time_in(text, r->self_ns));
            table_fmt(&t, "%.1f %%", sum->execute_ns > 0 ? 100 * r->self_ns / sum->execute_ns : 0);
        }
    }
    out_char(out, '\n');
    table_write(&t, out, style->width, style->color != TERM_MONO);
    out_char(out, '\n');
    table_free(&t);
    write_engine(out, style, &recorder->profiler);
    profile_sources_text(out, style, p, sum);
    out_fmt(out, "profile     %" PRIu64 " call%s, %" PRIu64 " failed, of %u primitive%s", sum->calls,
            sum->calls == 1 ? "" : "s", sum->fails, primitives, primitives == 1 ? "" : "s");
    if (timed) {
        double rest = profile_unaccounted(p, sum), whole = p->pass_ns[0] * p->workers;
        out_fmt(out, "; %s in them", format_time_in(text, sum->primitives_ns));
        out_fmt(out, ", %s in the engine", format_time_in(text, sum->engine_ns + sum->dispatch_ns));
        out_fmt(out, ", %s idle; %u of %u items measured%s", format_time_in(text, p->work_ns[WORK_IDLE]),
                measured, p->n_tasks, measured < p->n_tasks ? ", the rest estimated from similar items" : "");
        if (fabs(rest) > 0.01 * whole) {
            out_fmt(out, "\n%sunaccounted: %.1f %% of the workers' time is in no row%s", bad,
                    100 * rest / whole, reset);
        }
    }
    out_char(out, '\n');
    if (p->lost > 0) {
        out_fmt(out, "%s%" PRIu64 " calls were not recorded: the buffer was full%s\n", bad, p->lost, reset);
    }
}

static bool take_events(Profile *p, const Profiler *profiler) {
    p->events = profile_alloc(p, p->workers, sizeof *p->events);
    for (unsigned k = 0; p->events != NULL && k < profiler->pool->count; k++) {
        /* borrowed; there are none from other ranks */
        const ProfWorker *w = &profiler->workers[k];
        p->events[k] = (ProfEventList){w->events, w->n_events, w->base};
    }
    return p->events != NULL;
}

/* Makes the profile of this process. */
static bool make_profile(ProfileRecorder *recorder, Profile *profile, Phases *phases,
                         const char *const *ids) {
    ProfLevel level = level_of(recorder->choice);
    char command[64];
    snprintf(command, sizeof command, "batt %s", recorder->cli->entry->name);
    unsigned workers = recorder->profiler.pool->count;
    bool totals = recorder->choice->out.count == 0 && recorder->cli->ranks == NULL;
    bool good = totals ? profile_begin_totals(profile, level, workers, 1)
                       : profile_begin(profile, command, level, workers, 1);
    profile_set_phases(profile, phases);
    good = good && profile_from_run(profile, &recorder->profiler, ids);
    if (good && recorder->cli->ranks != NULL) { /* workers wait for other ranks where items are handed out */
        double waited = (double)ranks_waited_ns(recorder->cli->ranks),
               scheduling = profile->work_ns[WORK_SCHEDULING];
        profile->work_ns[WORK_NETWORK] = waited < scheduling ? waited : scheduling;
        profile->work_ns[WORK_SCHEDULING] = scheduling - profile->work_ns[WORK_NETWORK];
    }
    return good;
}

bool profile_gather(ProfileRecorder *recorder, Phases *phases, const char *const *ids, RankSummaries *ranks,
                    const Statistics *counted) {
    if (recorder->cli->ranks == NULL) {
        return true;
    }
    Out text;
    bool good = true;
    out_init(&text);
    if (recorder->attached && level_of(recorder->choice) >= PROF_TIMING &&
        !ranks_is_root(recorder->cli->ranks)) {
        Profile profile = {0};
        good = make_profile(recorder, &profile, phases, ids);
        if (good) {
            profile_write_json(&text, &profile);
        }
        profile_free(&profile);
    }
    recorder->ranks = ranks;
    good = good && !text.failed &&
           rank_summaries_gather(ranks, recorder->cli, recorder->profiler.pool->count, counted, &text);
    out_free(&text);
    return good;
}

bool profile_add_ranks(const Cli *cli, Profile *profile, const RankSummaries *ranks) {
    unsigned n = ranks->count, count = 1;
    Profile *read = mem_zalloc(n, sizeof *read), merged;
    const Profile **from = mem_array(n, sizeof *from);
    char(*labels)[32] = mem_array(n, sizeof *labels), why[600] = "";
    const char **names = mem_array(n, sizeof *names);
    bool good = read != NULL && from != NULL && labels != NULL && names != NULL;
    for (unsigned k = 0; k < n && good; k++) {
        const Out *text = &ranks->ranks[k].profile;
        unsigned at = k == 0 ? 0 : count;
        if (k > 0 && text->len == 0) {
            continue;
        }
        snprintf(labels[at], sizeof *labels, "rank %u", k);
        names[at] = labels[at];
        from[at] = k == 0 ? profile : &read[at];
        if (k > 0 && !profile_read_bytes(&read[at], labels[at], text->data, text->len, why, sizeof why)) {
            fprintf(cli_err(cli), "batt: the profile of %s\n", why);
            continue;
        }
        count += k > 0;
    }
    good = good && profile_merge(&merged, from, names, count, why, sizeof why);
    if (good) {
        profile_free(profile);
        *profile = merged;
    }
    for (unsigned k = 1; read != NULL && k < n; k++) {
        profile_free(&read[k]);
    }
    mem_free(read);
    mem_free(from);
    mem_free(labels);
    mem_free(names);
    return good;
}

int profile_collect(ProfileRecorder *recorder, Phases *phases, const char *const *ids, Json *json, Out *out) {
    Profile profile = {0};
    ProfSum sum = {0};
    if (!recorder->attached || level_of(recorder->choice) == PROF_OFF) {
        profile_detach(recorder);
        return EXIT_DONE;
    }
    ProfLevel level = level_of(recorder->choice);
    int code = EXIT_DONE;
    if (phases == NULL) {
        phases = &recorder->phases;
        ids = (const char *const *)recorder->ids;
    }
    bool others = recorder->ranks != NULL && recorder->ranks->count > 1 && level >= PROF_TIMING;
    bool good = make_profile(recorder, &profile, phases, ids) &&
                (!others || profile_add_ranks(recorder->cli, &profile, recorder->ranks)) &&
                profile_sum(&profile, FILTER_ALL, &sum) &&
                (level != PROF_TRACE || take_events(&profile, &recorder->profiler));
    if (!good) {
        code = cli_error(recorder->cli, MEM_NONE);
    } else {
        uint32_t measured = 0;
        for (uint32_t k = 0; k < profile.n_tasks; k++) {
            measured += profile.tasks[k].weight > 0;
        }
        if (!profile.totals_only) {
            outliers_mark(&profile, OUTLIERS_DEVIATIONS);
        }
        if (json != NULL) {
            write_json(json, &recorder->profiler, &profile, &sum, measured);
        } else if (recorder->choice->level >= 0) {
            write_table(recorder, out, &profile, &sum, measured);
        }
        code = profile_write_files(recorder->cli, &recorder->choice->out, &profile, NULL, NULL, false);
    }
    profile_sum_free(&sum);
    profile_free(&profile);
    profile_detach(recorder);
    return code;
}
